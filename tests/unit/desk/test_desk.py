"""What a user has on their machine, asked by the same routes as a server's projects."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import projected
from desk_page import on
from scova.config import cache_folder
from scova.desk.opening import opened
from scova.desk.places import LocalFolder
from scova.index import Index
from scova.lock import writer_lock
from scova.server.reading import remembered
from scova.stores.layout import layouts
from scova.stores.project_layout import project_layout
from serving import HELLO, OTHER
from until import until


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "my shop!"
    (root / "src").mkdir(parents=True)
    (root / "hello.py").write_text(HELLO)
    (root / "src" / "door.py").write_text(OTHER)
    (root / "b.bin").write_bytes(b"\0" * 99)
    return root


@pytest.fixture
def desk(folder):
    with Index.open(folder) as index:
        index.refresh()
    with on(folder) as one:
        one.home = one.hall.parts.home
        until(lambda: one.client.get(f"/projects/{one.home}/health").json()["watcher"], "watching")
        yield one


@pytest.fixture
def named(tmp_path):
    """A named project over another folder, built."""
    root = tmp_path / "papers"
    root.mkdir()
    (root / "notes.md").write_text("# Harbour\n\nThe lantern stands at the harbour.\n")
    projected.make("papers", [f"folder:{root}"])
    projected.build_all("papers")


def test_the_folder_comes_first_and_named_projects_behind_it(desk, named):
    assert desk.home == "my-shop"
    assert desk.client.get("/projects").json()["projects"] == ["my-shop", "papers"]
    said = desk.client.get("/session").json()
    assert (said["auth"], said["local"], said["home"]) == (False, True, "my-shop")


def test_a_named_project_keeps_its_name_and_the_folder_gets_another(folder):
    projected.make("my-shop", [f"folder:{folder}"])
    with on(folder) as one:
        assert one.hall.parts.home == "my-shop-2"
        assert one.client.get("/projects").json()["projects"] == ["my-shop-2", "my-shop"]


def test_answers_come_from_the_folders_own_index_and_there_is_no_other(desk, folder):
    found = desk.post("/search", project_id=desk.home, query="greet_all").json()
    assert found["results"][0]["path"] == "hello.py"
    assert found["freshness"]["verified"] > 0  # compared with the files, as for the command line
    assert [layout.owner() for layout in layouts(cache_folder())] == [str(folder)]
    with Index.open(folder) as index:
        status = index.status()
        assert found["freshness"]["change_seq"] == index.status().freshness.change_seq
    health = desk.client.get(f"/projects/{desk.home}/health").json()
    for name in ("files", "chunks", "symbols", "calls", "indexed_at", "bytes_on_disk", "embedder"):
        assert health[name] == getattr(status, name), name
    for name in ("languages", "chunk_types", "skipped"):
        assert health[name] == dict(getattr(status, name)), name
    assert health["watcher"]["pid"] == status.watcher.pid and health["watcher"]["state"] == "watching"
    audit = desk.post("/jobs", project_id=desk.home, kind="audit").json()["job_id"]
    assert desk.hall.jobs.wait(audit, 120).result == {"clean": True, "count": 0, "findings": []}


@pytest.mark.parametrize("is_named", [False, True], ids=["folder", "named project"])
def test_every_question_is_answered(desk, folder, is_named):
    project_id, below = desk.home, ""
    if is_named:
        project_id, below = "copy", projected.make("copy", [f"folder:{folder}"])[0] + "/"
        projected.build_all(project_id)
    ask = {
        "/usages": {"name": "hello"},
        "/definitions": {"name": "Door"},
        "/callers": {"name": "hello", "depth": 2},
        "/outline": {"path": f"{below}src/door.py"},
        "/files": {},
        "/grep": {"pattern": "knock"},
        "/context": {"subject": "hello"},
        "/similar": {"text": "say hello"},
    }
    for route, words in ask.items():
        answer = desk.post(route, project_id=project_id, **words)
        assert answer.status_code == 200, (route, answer.text)
    tree = desk.post("/callers", project_id=project_id, name="hello", depth=2).json()
    assert {node["name"] for node in tree["roots"][0]["nodes"]} == {"greet_all", "Door.knock"}
    shown = desk.client.get(f"/projects/{project_id}/file", params={"path": f"{below}hello.py"}).json()["lines"]
    assert "\n".join(shown) + "\n" == HELLO
    (found,) = desk.post("/grep", project_id=project_id, pattern="knock").json()["files"]
    lines = [(line["line"], line["text"]) for line in found["lines"]]
    assert (found["path"], lines) == (f"{below}src/door.py", [(5, "    def knock(self):")])


def test_an_edit_is_in_the_next_answer(desk, folder):
    (folder / "fresh.py").write_text("def brand_new_lighthouse(): pass\n")

    def seen():
        found = desk.post("/search", project_id=desk.home, query="brand_new_lighthouse").json()["results"]
        return found and found[0]["path"] == "fresh.py"

    until(seen, "the edit")
    assert desk.client.get(f"/projects/{desk.home}/file", params={"path": "fresh.py"}).status_code == 200


def test_every_answer_tells_what_is_known_not_to_be_in_it_yet(desk, folder):
    """While another process writes, what was saved waits; who asks is told, as an agent is."""
    ask = {
        "/search": {"query": "greet_all"},
        "/similar": {"text": "hi"},
        "/grep": {"pattern": "knock"},
        "/usages": {"name": "hello"},
    }

    def pending():
        said = [desk.post(route, project_id=desk.home, **words).json() for route, words in ask.items()]
        return [one["freshness"]["pending_files"] for one in said]

    with writer_lock(desk.hall.tenants.folder.layout.lock, wait_seconds=10):
        (folder / "fresh.py").write_text("def brand_new_lighthouse(): pass\n")
        until(lambda: all(pending()), "the file that waits")
    until(lambda: not any(pending()), "it to be in")


def test_nothing_is_pushed_to_what_lies_here(desk, named):
    for project_id in (desk.home, "papers"):
        for route, more in (
            ("/index", {"files": [{"path": "x.py", "content": "x = 1\n"}]}),
            ("/delete", {"paths": ["hello.py"]}),
            ("/sync", {"files": {}, "prune": True}),
        ):
            answer = desk.post(route, project_id=project_id, **more)
            assert answer.status_code == 409, (route, answer.text)
            assert answer.json()["hint"]
    assert desk.client.get(f"/projects/{desk.home}").json()["files"] == 2


def test_the_folder_cannot_be_removed_and_has_no_sources(desk, folder):
    assert desk.client.delete(f"/projects/{desk.home}").status_code == 409
    source = {"type": "url", "uri": "https://example.org/"}
    assert desk.post(f"/projects/{desk.home}/sources", sources=[source]).status_code == 422
    assert desk.client.get(f"/projects/{desk.home}/sources").json() == {"sources": []}
    assert desk.post(f"/projects/{desk.home}/build", dry_run=True).status_code == 422
    assert desk.post(f"/projects/{desk.home}/build", checkpoint_id="x").status_code == 422
    assert (folder / "hello.py").exists()


def test_the_folder_is_built_again_on_demand(desk):
    job = desk.post(f"/projects/{desk.home}/build", force=True).json()
    done = desk.hall.jobs.wait(job["job_id"], 120)
    assert (done.status, done.result["report"]["changed"]) == ("done", 2)
    (told,) = desk.client.get(f"/projects/{desk.home}/health").json()["builds"]
    assert told["job_id"] == job["job_id"] and told["phases"]["index"] > 0
    assert desk.client.get(f"/projects/{desk.home}/build").json()["state"] == "idle"


def test_a_first_index_is_built_behind_the_page(folder):
    with on(folder) as one:
        (job,) = one.client.get("/jobs").json()["jobs"]
        assert job["kind"] == "index"
        assert (
            one.post("/search", project_id=one.hall.parts.home, query="hello").status_code == 200
        )  # whatever is there
        assert one.hall.jobs.wait(job["job_id"], 120).status == "done"
        assert one.client.get(f"/projects/{one.hall.parts.home}").json()["files"] == 2
        until(lambda: one.client.get(f"/projects/{one.hall.parts.home}/health").json()["watcher"], "watching")


def test_a_named_project_is_asked_shown_and_built(desk, named, tmp_path):
    found = desk.post("/search", project_id="papers", query="lantern harbour").json()["results"][0]
    assert found["provenance"]["place"].endswith("notes.md")
    shown = desk.client.get("/projects/papers/file", params={"path": found["path"]}).json()
    assert shown["lines"][0] == "# Harbour" and shown["provenance"]["type"] == "folder"
    (tmp_path / "papers" / "more.md").write_text("# Orchard\n\nApples.\n")
    job = desk.post("/projects/papers/build", whole=True).json()
    assert desk.hall.jobs.wait(job["job_id"], 120).status == "done"
    assert desk.client.get("/projects/papers").json()["files"] == 2
    health = desk.client.get("/projects/papers/health").json()
    assert (health["files"], health["builds"][0]["job_id"]) == (2, job["job_id"])
    status = desk.client.get("/projects/papers/build").json()
    assert (status["state"], status["pending_sources"]) == ("idle", 0)
    for kind in ("tidy", "audit"):
        begun = desk.post("/jobs", project_id="papers", kind=kind).json()["job_id"]
        assert desk.hall.jobs.wait(begun, 120).status == "done"


def test_a_named_project_is_made_and_removed_and_what_the_command_does_is_seen(desk):
    assert desk.post("/projects", project_id="later").status_code == 201
    assert desk.post("/projects", project_id="later").status_code == 409
    assert desk.post("/projects", project_id=desk.home).status_code == 409
    source = {"type": "url", "uri": "https://example.org/"}
    assert desk.post("/projects/later/sources", sources=[source]).json()["added"]
    assert "later" in projected.catalog().names()
    assert desk.client.get("/projects/later/health").json()["files"] == 0
    unbuilt = desk.post("/search", project_id="later", query="x")
    assert unbuilt.status_code == 404 and "built" in unbuilt.json()["error"]
    for kind in ("tidy", "audit"):
        begun = desk.post("/jobs", project_id="later", kind=kind).json()["job_id"]
        assert "has not been built" in desk.hall.jobs.wait(begun, 120).message
    projected.catalog().delete("later")
    assert desk.client.get("/projects/later").status_code == 404
    assert desk.client.delete("/projects/later").status_code == 404
    projected.catalog().create("later")
    assert desk.client.get("/projects/later/sources").json() == {"sources": []}
    assert desk.client.delete("/projects/later").json() == {"deleted": "later"}
    assert "later" not in projected.catalog().names()


def test_an_index_that_was_made_anew_is_the_one_that_is_asked(desk, named, tmp_path):
    assert desk.post("/search", project_id="papers", query="lantern").json()["results"]
    projected.catalog().delete("papers")
    (tmp_path / "papers" / "notes.md").write_text("# Quarry\n\nStones of the quarry.\n")
    projected.make("papers", [f"folder:{tmp_path / 'papers'}"])
    projected.build_all("papers")
    found = desk.post("/search", project_id="papers", query="quarry stones").json()["results"]
    assert "Quarry" in found[0]["text"]


def test_jobs_that_others_began_are_seen(desk, folder):
    from scova.jobs import Jobs, index_runner
    from scova.stores.jobs import SqliteJobs
    from scova.stores.layout import jobs_db

    others = Jobs(SqliteJobs(jobs_db(cache_folder())), {"index": index_runner()})
    job = others.submit("index", str(folder))
    assert desk.hall.jobs.wait(job.job_id, 120).status == "done"
    assert [one["job_id"] for one in desk.client.get("/jobs", params={"project_id": desk.home}).json()["jobs"]] == [
        job.job_id
    ]


def test_what_was_pending_when_it_was_looked_at_is_not_told_for_ever(folder):
    """Another process may bring it in: this one only follows then, and never refreshes."""
    with LocalFolder.open(folder) as looked_at, Index.open(folder) as other:
        looked_at.named("shop")
        assert looked_at.standing().freshness.pending_files == 2
        other.refresh()
        found = looked_at.search("greet_all")
        assert found.results and found.freshness.pending_files == 0


def test_the_whole_folder_is_not_looked_through_each_time_someone_looks(folder, monkeypatch):
    monkeypatch.setattr(remembered, "REST", 1e9)
    looks = []

    class Counted(LocalFolder):
        def pending_files(self):
            looks.append(1)
            return super().pending_files()

    with Counted.open(folder) as one:
        one.named("shop")
        assert [one.standing().freshness.pending_files for _ in range(3)] == [2, 2, 2]
    assert looks == [1]


@pytest.mark.parametrize("kind", ["build", "tidy", "audit"])
def test_what_the_page_of_another_folder_wished_for_is_done_to_that_folder(desk, tmp_path, kind):
    """Pages of one user share their jobs: whichever takes one up, it is about the folder it was wished for, though both have one name."""
    other, data = tmp_path / "elsewhere" / "my shop!", tmp_path / "apart"
    other.mkdir(parents=True)
    with Index.open(other, data=str(data)) as index:
        for name in ("one", "two"):
            (other / f"{name}.py").write_text(f"def {name}(): pass\n")
            index.refresh()
        if kind == "audit":
            with closing(sqlite3.connect(index.layout.store_db, isolation_level=None)) as connection:
                connection.execute("UPDATE chunk_texts SET text = 'damaged'")
    (other / "three.py").write_text("def three(): pass\n")
    theirs = opened(other, data=str(data))  # not started: the page of the first folder takes its jobs
    folder = theirs.tenants.folder
    try:
        assert theirs.parts.home == desk.home
        options = theirs.parts.works.wished(folder, {}, whole=False) if kind == "build" else None
        done = desk.hall.jobs.wait(theirs.submit(kind, folder, options).job_id, 120)
        assert done.status == "done", done.message
        assert folder.size[0] == (3 if kind == "build" else 2)
        assert kind != "tidy" or done.result == {"change_seq": folder.size[2]}
        assert kind != "audit" or not done.result["clean"]
    finally:
        theirs.close()
    assert [layout.owner() for layout in layouts(cache_folder())] == [desk.hall.tenants.folder.address]


def open_below(folder):
    """What this process has open below a folder."""
    found = []
    for one in Path("/proc/self/fd").iterdir():
        try:
            found.append(os.readlink(one))
        except FileNotFoundError:  # the descriptor of the look itself
            continue
    return [path for path in found if path.startswith(f"{folder}/")]


def test_a_named_project_that_is_deleted_is_closed_once_nobody_asks_it(desk, named):
    place = project_layout(cache_folder(), "papers").root
    ask = {"project_id": "papers", "query": "lantern"}
    assert desk.post("/search", **ask).json()["results"]
    assert open_below(place)
    with desk.hall.tenants.lease("papers") as asked:  # somebody still asks
        assert desk.client.delete("/projects/papers").status_code == 200
        assert asked.search("lantern").results
    assert open_below(place) == []
