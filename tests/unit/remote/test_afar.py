"""A server that is asked: what it says, or one clear error in bounded time, whatever it does instead of answering."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from clock import Clock
from scova.errors import Cancelled, IndexMissing, PushError, QueryError
from scova.push import Patience, address, pace, server
from scova.push import push as pushing
from scova.push.server import Forbidden
from scova.remote import Afar, Builds, Project
from scova.types import Query
from until import until

TOKEN = "scova-secret-Zq81xyz"
QUICK = Patience(
    attempts=3, answered=1, seconds=5.0, first_pause=0.01, longest_pause=0.02, longest_asked=2.0, total=5.0
)


@contextmanager
def answering(*replies):
    """A server that gives these replies one after the other, the last again and again: status, body and headers, or a function."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            self.rfile.read(int(self.headers.get("content-length") or 0))
            asked.append((self.command, self.path, self.headers.get("authorization")))
            reply = replies[min(len(asked), len(replies)) - 1]
            if callable(reply):
                reply(self)
                return
            status, body, *headers = reply
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (headers[0] if headers else {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_DELETE = do_POST

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def project(url, patience=QUICK):
    return Project(Afar(address(url, token=TOKEN, token_env="MY_TOKEN"), patience=patience), "shop")


def problem(error, hint="do this"):
    return {"error": error, "hint": hint, "request_id": "1"}


GOOD = {"files": [{"path": "a.py", "language": "python"}], "total": 1, "truncated": False, "change_seq": 3}

WRONG = [
    ((401, problem("no such token")), PushError, "refuses the token (401)", "MY_TOKEN"),
    ((403, problem("not for shop")), Forbidden, "does not allow this (403)", "of any scope"),
    ((404, problem("there is no project `shop`")), IndexMissing, "there is no project `shop` on http", "scova push FOLDER"),
    ((404, problem("Not Found", "GET /openapi.json lists every route")), PushError, "does not know this question", "updated"),
    ((422, problem("the pattern\n  (\n  ^ is wrong")), QueryError, "the pattern\n  (\n  ^ is wrong", "do this"),
    ((413, problem("the body is too large")), QueryError, "too large", "do this"),
    ((429, problem("too many"), {"retry-after": "60"}), PushError, "is too busy (429)", "wait 60 s"),
    ((503, problem("others are writing")), PushError, "is too busy (503)", "ask again"),
    ((500, problem(f"went wrong with {TOKEN}")), PushError, "failed at this (500)", "do this"),
    ((302, b"", {"location": "http://127.0.0.1:1"}), PushError, "sends elsewhere (302)", "--server"),
    ((200, b"<html>hello"), PushError, "something else than expected", "of the same version"),
    ((200, {"files": [1]}), PushError, "something else than expected", "of the same version"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "kind", "said", "hint"), WRONG, ids=lambda value: str(value)[:20])
def test_every_refusal_is_a_clear_error_that_says_what_to_do(reply, kind, said, hint):
    with answering(reply) as (url, asked), pytest.raises(kind) as caught:
        project(url).files()
    assert said in caught.value.message and hint in caught.value.hint
    assert TOKEN not in caught.value.message + caught.value.hint
    assert {header for _, _, header in asked} == {f"Bearer {TOKEN}"}


@pytest.fixture
def clock(monkeypatch):
    """The clock by which a server is waited for."""
    return Clock(monkeypatch, pace, pushing, server)


def test_a_busy_server_is_waited_for(clock):
    with answering((429, problem("too many"), {"retry-after": "1"}), (503, problem("busy")), (200, GOOD)) as (
        url,
        asked,
    ):
        assert project(url).files() == {"a.py": "python"}
    assert sum(clock.slept) >= 1.0
    assert len(asked) == 3


def test_a_server_that_says_when_to_come_back_is_asked_as_often_as_the_time_allows(clock):
    """A project that is being made ready takes as long as it takes; attempts are for servers that say nothing."""
    wait = (503, problem("the index of `shop` is being made ready here"), {"retry-after": "0"})
    with answering(*[wait] * 6, (200, GOOD)) as (url, asked):
        assert project(url).files() == {"a.py": "python"}
    assert len(asked) == 7 > QUICK.attempts
    slow = (*wait[:2], {"retry-after": "1"})
    with answering(slow) as (url, asked):
        began = clock.now
        with pytest.raises(PushError, match="is being made ready here") as caught:
            project(url, QUICK._replace(total=2.5, seconds=1.0)).files()
    assert clock.now - began <= 2.5
    assert len(asked) == 2 and "wait 1 s" in caught.value.hint


def test_a_server_slower_than_the_deadline_is_given_up():
    release = threading.Event()
    with answering(lambda handler: release.wait(3600)) as (url, _):
        with pytest.raises(PushError, match=r"did not answer within 0\.4 s") as caught:
            project(url, QUICK._replace(seconds=0.4, total=0.5)).files()
        release.set()
    assert "ask again" in caught.value.hint


def test_no_server_is_found_out_at_once(clock):
    with answering((200, GOOD)) as (url, _):
        pass
    with pytest.raises(PushError, match="cannot be reached") as caught:
        project(url).files()
    assert sum(clock.slept) <= (QUICK.attempts - 1) * QUICK.longest_pause + 1e-9
    assert "see that the server is running" in caught.value.hint


def test_an_answer_of_another_change_is_asked_for_again_once_whoever_pushes_says_so():
    heard = []

    def settle(change_seq):
        heard.append(change_seq)
        return True

    with answering((200, GOOD), (200, {**GOOD, "files": []})) as (url, asked):
        afar = Afar(address(url), patience=QUICK)
        assert Project(afar, "shop", settle).files() == {}
    assert heard == [3] and len(asked) == 2


def test_a_question_after_closing_ends():
    patience = QUICK._replace(longest_asked=3600.0, total=7200.0)
    with answering((503, problem("busy"), {"retry-after": "3600"})) as (url, asked):
        afar = Afar(address(url), patience=patience)
        closing = threading.Thread(target=lambda: (until(lambda: asked, "the question"), afar.close()))
        closing.start()
        with pytest.raises(Exception):  # noqa: B017 - whatever it is, nobody listens any more
            Project(afar, "shop").search(Query("x"))  # else it would wait for an hour
        closing.join()


def test_a_failed_build_says_why_and_one_that_is_not_wanted_is_cancelled():
    job = {"job_id": "build-1", "status": "running", "message": "", "stage": "fetch", "result": {}}
    failed = (200, {**job, "status": "failed", "message": "no network"})
    with answering((202, job), failed) as (url, _), pytest.raises(PushError, match="is failed: no network"):
        Builds(Afar(address(url), patience=QUICK)).build("shop", {}, lambda *_: None, lambda: False)
    with answering((202, job)) as (url, asked), pytest.raises(Cancelled, match="was stopped"):
        Builds(Afar(address(url), patience=QUICK)).build("shop", {}, lambda *_: None, lambda: True)
    assert asked[-1][:2] == ("DELETE", "/jobs/build-1")


def test_a_list_of_tools_does_not_wait_for_a_server():
    release = threading.Event()
    with answering(lambda handler: release.wait(3600)) as (url, _):
        assert not Builds(Afar(address(url))).exist()  # else it would not return before the test is over
        release.set()
