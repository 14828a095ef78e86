"""A process without derived files that is asked about much: one thread makes them, nobody else waits, and who writes goes first."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from scova.errors import StoreAway
from scova.server.problems import Problem
from scova.server.tenants import opened, readiness
from scova.server.tenants.readiness import Readiness
from scova.stores.derived import newest_grams, newest_segment
from serving import HELLO, served
from until import until

ASK = {"project_id": "p", "query": "lantern", "limit": 20}
CONTENTS = {
    f"src/{number}.py": "".join(f"def lantern_{number}_{one}(a):\n    return a + {one}\n\n\n" for one in range(30))
    for number in range(60)
}


@pytest.fixture
def data(tmp_path):
    """A data folder with a project of 1,800 functions, of which nothing derived is left; and how it answers when it is warm."""
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        one.index("p", CONTENTS)
        answer = one.post("/search", **ASK).json()
        with one.hall.tenants.lease("p") as tenant:
            layout = tenant.layout
    layout.remove_derived()
    return tmp_path / "data", layout, answer


@pytest.fixture(autouse=True)
def low(monkeypatch):
    monkeypatch.setattr(opened, "COLD_CHUNKS", 50)


@pytest.fixture
def gate(monkeypatch):
    """Derived files are made when it is opened, and not before."""
    go, calls, original = threading.Event(), [], opened.catch_up

    def gated(tools, holding):
        calls.append(tools)
        assert go.wait(120)
        original(tools, holding)

    monkeypatch.setattr(opened, "catch_up", gated)
    go.calls = calls
    yield go
    go.set()


def test_while_much_is_made_ready_one_question_waits_and_the_others_are_told_when_to_come_back(data, gate, monkeypatch):
    monkeypatch.setattr(readiness, "MOMENT", 60.0)
    folder, layout, warm = data
    with served(folder) as one, ThreadPoolExecutor(20) as pool:
        asking = [pool.submit(one.post, "/search", **ASK) for _ in range(20)]
        until(lambda: sum(answer.done() for answer in asking) == 19, "all but one to be told")
        told = [answer.result() for answer in asking if answer.done()]
        for answer in told:
            assert (answer.status_code, "is being made ready here" in answer.json()["error"]) == (503, True)
            assert 1 <= int(answer.headers["retry-after"]) <= readiness.LONGEST_ASKED and answer.json()["hint"]
        for route, body in (("/definitions", {"name": "lantern_1_1"}), ("/outline", {"path": "src/1.py"})):
            assert one.post(route, project_id="p", **body).status_code == 503
        assert one.client.get("/projects/p").json()["files"] == len(CONTENTS)
        assert one.post("/grep", project_id="p", pattern="lantern_7_7").json()["count"] == 1
        gate.set()
        (last,) = [answer.result(120) for answer in asking if answer.result(120) not in told]
        assert (last.status_code, last.json()["results"], last.json()["total"]) == (200, warm["results"], warm["total"])
        assert len(gate.calls) == 1
        with one.hall.tenants.lease("p") as tenant:
            store_id = tenant._opened().store_id
            assert newest_segment(layout, store_id) and newest_grams(layout, store_id)


def test_little_is_answered_from_the_store_at_once(data, gate, monkeypatch):
    monkeypatch.setattr(opened, "COLD_CHUNKS", 1_000_000)
    folder, _, warm = data
    with served(folder) as one:
        answer = one.post("/search", **ASK).json()
    assert (answer["results"], answer["total"], gate.calls) == (warm["results"], warm["total"], [])


def test_derived_files_that_cover_nearly_all_are_enough(data, gate, monkeypatch):
    folder, _, _ = data
    gate.set()
    with served(folder) as one:
        until(lambda: one.post("/search", **ASK).status_code == 200, "the index to be ready")
        one.index("p", {"one.py": HELLO})
    with served(folder) as one:
        assert one.post("/search", **ASK).status_code == 200
    assert len(gate.calls) == 1


def test_where_derived_files_cannot_be_made_it_is_answered_without_them(data, monkeypatch):
    def full(tools, holding):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opened, "catch_up", full)
    monkeypatch.setattr(readiness, "MOMENT", 60.0)
    folder, _, warm = data
    with served(folder) as one:
        answer = one.post("/search", **ASK).json()
    assert (answer["results"], answer["total"]) == (warm["results"], warm["total"])


def test_who_writes_waits_for_one_derived_file_at_most(data, monkeypatch):
    """A push that comes while the text index is made is done before the next file is begun."""
    folder, _, _ = data
    steps, in_text, go = [], threading.Event(), threading.Event()
    original = opened.catch_up

    def slow(tools, holding):
        @contextmanager
        def held():
            with holding():
                steps.append("one.py" in tools.store.files())
                if not in_text.is_set():
                    in_text.set()
                    assert go.wait(120)
                yield

        original(tools, held)

    monkeypatch.setattr(opened, "catch_up", slow)
    with served(folder) as one, ThreadPoolExecutor(2) as pool:
        asking = pool.submit(one.post, "/search", **ASK)
        assert in_text.wait(120)
        pushing = pool.submit(one.index, "p", {"one.py": HELLO})
        with one.hall.tenants.lease("p") as tenant:
            until(tenant._writing.locked, "the push to wait")
        go.set()
        pushing.result(120)
        asking.result(120)
        until(lambda: one.post("/search", **ASK).status_code == 200, "the index to be ready")
        assert one.post("/definitions", project_id="p", name="hello").json()["total"] == 1
    assert steps == [False, True, True]  # text, n-grams, vectors


def test_what_fails_is_told_once_and_tried_again(monkeypatch):
    outcomes = iter([StoreAway("away", "wait"), "made"])

    def make():
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    one = Readiness("p")
    with pytest.raises(StoreAway):
        one.get(make)
    assert (one.get(make), one.get(make), one.found) == ("made", "made", "made")


def test_who_only_begins_waits_for_nothing_and_what_failed_is_told_to_who_asks_next(monkeypatch):
    monkeypatch.setattr(readiness, "MOMENT", 60.0)
    go, outcomes = threading.Event(), iter([StoreAway("away", "wait"), "made"])

    def make():
        assert go.wait(120)
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    one = Readiness("p")
    assert one.begin(make) and one.begin(make)
    with pytest.raises(Problem):
        one.get(make)  # it was begun before, so that this one is not the first, who waits
    go.set()
    until(lambda: not one.is_making, "the end of it")
    assert not one.begin(make), "nobody has been told yet"
    with pytest.raises(StoreAway):
        one.get(make)
    assert one.get(make) == "made" and not one.begin(make)


def test_what_was_put_while_it_is_being_made_stays(monkeypatch):
    """Two who ask may judge differently whether it takes long, when someone writes in between."""
    monkeypatch.setattr(readiness, "MOMENT", 0.0)
    go = threading.Event()

    def make():
        go.wait(120)
        raise StoreAway("away", "wait")

    one = Readiness("p")
    with pytest.raises(Problem):
        one.get(make)
    assert one.put("quick") == one.put("late") == "quick"
    go.set()
    until(lambda: not one.is_making, "the end of it")
    assert one.get(make) == "quick"


def test_who_is_closed_while_something_is_made_is_closed_afterwards(monkeypatch):
    monkeypatch.setattr(readiness, "MOMENT", 0.0)
    go, closed = threading.Event(), threading.Event()
    one = Readiness("p")
    with pytest.raises(Problem) as caught:
        one.get(lambda: go.wait(120))
    assert caught.value.status == 503 and caught.value.headers["retry-after"] == "2"
    one.end(closed.set)
    assert not closed.is_set()
    go.set()
    assert closed.wait(120)
    again = threading.Event()
    one.end(again.set)
    assert again.is_set()


def test_a_server_whose_database_takes_newcomers_and_answers_none_of_its_connections_is_not_ready(
    tmp_path, postgres_url
):
    with served(tmp_path / "data", serve_store=postgres_url) as one:
        assert one.client.get("/readyz").status_code == 200
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(postgres_url) as beside:
            asked = "SELECT pid FROM pg_stat_activity WHERE application_name = 'scova' AND datname = current_database()"
            hung = [pid for (pid,) in beside.execute(asked)]
            for pid in hung:
                os.kill(pid, signal.SIGSTOP)
            try:
                said = [one.client.get("/readyz") for _ in range(2)]
                assert [answer.status_code for answer in said] == [503, 503]
            finally:
                for pid in hung:
                    os.kill(pid, signal.SIGCONT)
        until(lambda: one.client.get("/readyz").status_code == 200, "an answer", 120)
