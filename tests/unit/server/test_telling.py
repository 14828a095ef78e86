"""What clients hear of errors: what it means for them, and nothing of the server's machine. Its log has the rest."""

import logging

import pytest

from scova import errors
from scova.lock import writer_lock
from scova.server.housing import telling
from scova.server.problems import problem_of
from scova.server.tenants import opened
from serving import HELLO, served

SECRET = "database db.internal:5432, file /srv/scova/data/store.db, process 4711 on api-1"


def kinds(of=errors.ScovaError):
    return [
        of,
        *(deeper for kind in of.__subclasses__() if kind.__module__ == "scova.errors" for deeper in kinds(kind)),
    ]


ABOUT_THE_SERVER = [kind for kind in kinds() if not issubclass(kind, telling._PLAIN)]


@pytest.mark.parametrize("kind", ABOUT_THE_SERVER, ids=lambda kind: kind.__name__)
def test_no_error_about_the_server_tells_where_it_keeps_things_and_the_log_does(kind, caplog):
    caplog.set_level(logging.INFO)
    said = problem_of(kind(SECRET, SECRET), "r-17")
    assert said.message and said.hint
    assert not [word for word in ("internal", "/srv", "4711", "api-1") if word in said.message + said.hint]
    assert "r-17" in caplog.text and SECRET in caplog.text


@pytest.mark.parametrize("error", [OSError(13, "denied", "/srv/x"), ValueError("/srv/x")])
def test_nor_does_what_was_not_foreseen(error):
    assert "/srv" not in telling.fit(error).message + telling.fit(error).hint


@pytest.mark.parametrize("kind", [errors.UsageError, errors.QueryError, errors.CheckpointError, errors.IndexMissing])
def test_what_is_wrong_with_a_request_is_told_as_it_is(kind):
    said = problem_of(kind("there is no such thing", "name another"), "r")
    assert (said.message, said.hint) == ("there is no such thing", "name another")


def test_whoever_waits_too_long_for_another_process_does_not_hear_which(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(opened, "WAIT_SECONDS", 0.05)
    caplog.set_level(logging.INFO)
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        with one.hall.tenants.lease("p") as tenant, writer_lock(tenant.layout.lock):
            said = one.post("/index", project_id="p", files=[{"path": "a.py", "content": HELLO}])
    assert (said.status_code, said.json()["error"]) == (503, "others are writing to `p`")
    assert "process" not in said.text
    assert said.headers["retry-after"]
    assert "is writing this index: process" in caplog.text


def test_a_job_that_fails_tells_clients_no_more_than_a_request_would(tmp_path, caplog):
    """A file of the server that cannot be read, told by the system with its path."""
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        one.index("p", {"a.py": HELLO})
        with one.hall.tenants.lease("p") as tenant:
            place = tenant.layout.root
        for folder in ("text", "vectors", "grams"):
            target = place / folder
            if target.is_dir():
                target.rename(place / f"{folder}-away")
            target.write_text("in the way")
        ended = one.hall.jobs.wait(one.post("/jobs", project_id="p", kind="tidy").json()["job_id"], 30)
    assert ended.status == "failed", ended
    assert str(place) not in ended.message
    assert "log" in ended.message
    assert str(place) in caplog.text


@pytest.mark.parametrize("with_tokens", [False, True])
@pytest.mark.parametrize("what", ["data", "data/tenants"])
def test_without_its_data_folder_it_says_so_and_denies_no_project(tmp_path, what, with_tokens):
    with served(tmp_path / "data") as one:
        headers = one.with_token("*", "admin") if with_tokens else {}
        one.client.headers.update(headers)
        one.post("/projects", project_id="p")
        one.index("p", {"hello.py": HELLO})
        (tmp_path / what).rename(tmp_path / "away")
        asked = [
            one.client.get("/projects"),
            one.post("/search", project_id="p", query="hello"),
            one.post("/projects", project_id="q"),
            one.client.delete("/projects/p"),
        ]
        assert [(said.status_code, said.json().get("error")) for said in asked] == [
            (503, "the data folder of this server cannot be read")
        ] * 4
        assert asked[0].headers["retry-after"]
        ready = one.client.get("/readyz")
        assert (ready.status_code, ready.json()) == (503, {"status": "the data folder cannot be read"})
        (tmp_path / "away").rename(tmp_path / what)
        assert one.client.get("/readyz").status_code == 200
        assert one.client.get("/projects").json() == {"projects": ["p"]}
