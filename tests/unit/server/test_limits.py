"""How often and how much: a rate for each token, room for all."""

import pytest

from scova.server.limits import Limits, Rate
from scova.server.middleware.quota import Quota
from scova.server.problems import Problem
from serving import HELLO, served


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


def test_a_pattern_that_is_too_large_is_refused_and_one_that_takes_too_long_is_given_up(tmp_path):
    for route, word, more in (("/grep", "pattern", {}), ("/search", "query", {"mode": "regex"})):
        for seconds, pattern, said in ((60.0, "x{1,9000}y", "too large"), (-1.0, "hello", "takes more than")):
            data = tmp_path / f"{word}{seconds}"
            with served(data, limits=Limits(rate=0, pattern_seconds=seconds)) as one:
                one.post("/projects", project_id="p")
                one.index("p", {"hello.py": HELLO})
                answer = one.post(route, project_id="p", **{word: pattern}, **more)
                assert (answer.status_code, said in answer.json()["error"], bool(answer.json()["hint"])) == (
                    422,
                    True,
                    True,
                )
