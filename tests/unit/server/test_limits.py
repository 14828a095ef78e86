"""How often and how much: a rate for each token, room for all."""

import pytest

from scova import config
from scova.desk.opening import opened
from scova.mcp.desk import Desk
from scova.server.limits import Limits, Rate
from scova.server.middleware.quota import Quota
from scova.server.problems import Problem
from scova.server.routes import asking, reading, structure
from scova.server.routes.patience import questioned
from serving import HELLO, OTHER, served


def test_a_rate_gives_its_burst_then_one_after_another():
    now = 0.0
    rate = Rate(10, clock=lambda: now)
    assert [rate.wait("a") for _ in range(20)] == [0.0] * 20
    assert 0 < rate.wait("a") <= 0.1
    assert rate.wait("b") == 0.0
    now = 0.1
    assert rate.wait("a") == 0.0
    assert rate.wait("a") > 0
    assert Rate(0).wait("a") == 0.0


def test_of_what_there_is_one_client_has_a_quarter_and_it_is_given_back():
    quota = Quota(100, "requests")
    with quota.holding("a") as a, quota.holding("b") as b:
        a.take(25)
        with pytest.raises(Problem) as own:
            a.take(1)
        assert (own.value.status, own.value.retry_seconds) == (429, 1)
        b.take(25)  # another has a quarter of its own
        with quota.holding("c") as c, quota.holding("d") as d, quota.holding("e") as e:
            c.take(25)
            d.take(25)
            with pytest.raises(Problem) as full:
                e.take(1)
            assert full.value.status == 503
        with pytest.raises(Problem):
            a.take(1)
    with quota.holding("a") as a:
        a.take(25)  # all of it is there again


def test_too_many_requests_of_one_token_are_429_with_how_long_to_wait(tmp_path):
    with served(tmp_path / "data", limits=Limits(rate=5)) as one:
        first, second = one.with_token("*", "read"), one.with_token("*", "read")
        answers = [one.client.get("/projects", headers=first) for _ in range(15)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert [answer.status_code for answer in answers[:10]] == [200] * 10
        assert refused
        assert int(refused[0].headers["retry-after"]) >= 1
        assert refused[0].json()["hint"]
        assert one.client.get("/projects", headers=second).status_code == 200
        assert one.client.get("/healthz").status_code == 200


def test_more_requests_at_once_than_there_is_room_for_are_told_to_come_back(tmp_path):
    with served(tmp_path / "data", limits=Limits(rate=0, requests=0)) as one:
        answer = one.client.get("/projects")
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"


def test_who_waits_too_long_for_another_writer_is_told_to_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr("scova.server.tenants.opened.WAIT_SECONDS", 0.05)
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        with one.hall.tenants.lease("p") as tenant, tenant.held():
            answer = one.post("/index", project_id="p", files=[{"path": "a.py", "content": "x"}])
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) >= 1
            assert one.post("/search", project_id="p", query="x").status_code == 200  # readers wait for nobody
        assert one.post("/index", project_id="p", files=[{"path": "a.py", "content": "x"}]).status_code == 200


def test_a_pattern_that_is_too_large_is_refused_and_one_that_takes_too_long_is_answered_with_what_was_found(tmp_path):
    for route, word, more in (("/grep", "pattern", {}), ("/search", "query", {"mode": "regex"})):
        data = tmp_path / word
        with served(data, limits=Limits(rate=0, question_seconds=60.0)) as one:
            one.post("/projects", project_id="p")
            one.index("p", {"hello.py": HELLO})
            refused = one.post(route, project_id="p", **{word: "x{1,9000}y"}, **more)
            assert (refused.status_code, "too large" in refused.json()["error"], bool(refused.json()["hint"])) == (
                422,
                True,
                True,
            )
        with served(data, limits=Limits(rate=0, question_seconds=-1.0)) as one:
            (said,) = one.post(route, project_id="p", **{word: "hello"}, **more).json()["cut"]
            assert said.startswith("Cut: 0 of 1 file were searched")
            assert "`deadline_ms`" in said


QUESTIONS = {
    "/search": {"query": '"hello"'},
    "/usages": {"name": "hello"},
    "/callers": {"name": "hello"},
    "/outline": {"path": ""},
    "/context": {"subject": "hello"},
    "/grep": {"pattern": "hello"},
    "/definitions": {"name": "hel*"},
}


def test_every_question_that_has_had_its_time_is_answered_with_what_was_found_and_says_so(tmp_path):
    with served(tmp_path, limits=Limits(rate=0, question_seconds=-1.0)) as one:
        one.post("/projects", project_id="p")
        one.index("p", {"hello.py": HELLO, "other.py": OTHER})
        for route, question in QUESTIONS.items():
            answer = one.post(route, project_id="p", **question)
            assert answer.status_code == 200, answer.text
            said = answer.json()["cut"]
            assert said and all("`deadline_ms`" in sentence for sentence in said), route
        assert one.client.get("/search", params={"project_id": "p", "query": '"hello"'}).json()["cut"]
    with served(tmp_path) as one:
        for route, question in QUESTIONS.items():
            assert one.post(route, project_id="p", **question).json()["cut"] == [], route


def test_every_route_that_answers_a_question_has_a_deadline():
    routes = [route for module in (asking, structure, reading) for route in module.router.routes]
    assert len(routes) > 10
    for route in routes:
        assert questioned in {each.call for each in route.dependant.dependencies}, route.path


def test_each_door_has_its_time_unless_the_setting_says_another(tmp_path):
    assert Limits.of(config.load(tmp_path, {})).question_seconds == 5.0
    assert Limits.of(config.load(tmp_path, {"deadline_ms": 250})).question_seconds == 0.25
    for chosen, seconds in ((None, 2.0), ("250", 0.25)):
        (tmp_path / "tree").mkdir(exist_ok=True)
        with pytest.MonkeyPatch.context() as environment:
            if chosen:
                environment.setenv("SCOVA_DEADLINE_MS", chosen)
            hall = opened(tmp_path / "tree", data=str(tmp_path / "index"))
            try:
                assert hall.limits.question_seconds == seconds
            finally:
                hall.close()
            desk = Desk([tmp_path / "tree"])
            assert desk.question_seconds == (0.25 if chosen else 10.0)
            desk.close()
