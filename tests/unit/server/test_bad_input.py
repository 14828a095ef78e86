"""What is wrong with a request is said, with a fitting status, of what it is wrong with; never a 500, and what is right proceeds."""

import json

import pytest

from scova.server.limits import Limits
from serving import HELLO, served, sha

pytestmark = pytest.mark.usefixtures("store_url")


@pytest.fixture
def one(tmp_path):
    with served(tmp_path / "data", limits=Limits(rate=0, body_bytes=100_000, batch_files=5)) as server:
        server.post("/projects", project_id="p")
        yield server


def refused(answer, status):
    """An answer in the form that every error has."""
    assert answer.status_code == status, answer.text
    said = answer.json()
    assert said["error"]
    assert said["request_id"] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text
    return said


BAD_FILES = {
    "wrong.py": ({"content": "x", "hash": sha("y")}, "hash"),
    "no-hash.py": ({"content": "x", "hash": "abc"}, "hash"),
    "../out.py": ({"content": "x"}, ".."),
    "a/../../out.py": ({"content": "x"}, ".."),
    "/etc/passwd": ({"content": "x"}, "relative"),
    "C:/x.py": ({"content": "x"}, "relative"),
    "a\\b.py": ({"content": "x"}, "backslash"),
    "a//b.py": ({"content": "x"}, "empty step"),
    "./b.py": ({"content": "x"}, "empty step"),
    "zero\0.py": ({"content": "x"}, "zero"),
    "l" * 1025: ({"content": "x"}, "1024"),
    "number.py": ({"content": 7}, "content"),
    "nothing.py": ({}, "content"),
    "more.py": ({"content": "x", "mode": 7}, "mode"),
    "surrogate.py": ({"content": "\ud800"}, "UTF-8"),
}


@pytest.mark.parametrize("path", BAD_FILES)
def test_a_bad_file_fails_by_name_and_the_others_proceed(one, path):
    more, word = BAD_FILES[path]
    body = {"project_id": "p", "files": [{"path": path, **more}, {"path": "good.py", "content": HELLO}]}
    content = json.dumps(body).encode()
    answer = one.client.post("/index", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert said["status"] == "partial"
    assert [result["status"] for result in said["results"]] == ["failed", "indexed"]
    assert said["results"][0]["path"] == path[:200]
    assert word in said["results"][0]["error"]
    assert said["results"][0]["hint"]
    assert one.post("/definitions", project_id="p", name="hello").json()["total"] == 1
    alone = one.client.post(
        "/index",
        content=json.dumps({"project_id": "p", "files": body["files"][:1]}).encode(),
        headers={"content-type": "application/json"},
    )
    said = refused(alone, 422)
    assert [result["status"] for result in said["results"]] == ["failed"]
    assert path[:200] in said["error"]
    assert one.client.get("/projects/p").json()["files"] == 1


def test_a_path_twice_in_a_batch_fails_both_times_and_the_others_proceed(one):
    files = [{"path": "a.py", "content": "1"}, {"path": "b.py", "content": HELLO}, {"path": "a.py", "content": "2"}]
    said = one.post("/index", project_id="p", files=files).json()
    assert [result["status"] for result in said["results"]] == ["failed", "indexed", "failed"]
    assert "more than once" in said["results"][2]["error"]


def test_bytes_that_are_not_utf8_fail_the_file_they_are_in(one):
    body = b'{"project_id": "p", "files": [{"path": "bad.py", "content": "\xff\xfe"}, {"path": "good.py", "content": "x = 1"}]}'
    answer = one.client.post("/index", content=body, headers={"content-type": "application/json"})
    said = answer.json()
    assert [(result["path"], result["status"]) for result in said["results"]] == [
        ("bad.py", "failed"),
        ("good.py", "indexed"),
    ]
    assert "UTF-8" in said["results"][0]["error"]
    alone = b'{"project_id": "p", "files": [{"path": "b\xffd.py", "content": "x"}]}'
    said = refused(one.client.post("/index", content=alone, headers={"content-type": "application/json"}), 400)
    assert said["results"][0]["status"] == "failed"
    elsewhere = b'{"project_id": "p", "query": "\xff"}'
    refused(one.client.post("/search", content=elsewhere, headers={"content-type": "application/json"}), 400)


def test_an_unknown_project_is_404_and_says_how_to_make_it(one):
    for route, body in (
        ("/index", {"files": [{"path": "a.py", "content": "x"}]}),
        ("/delete", {"paths": ["a.py"]}),
        ("/sync", {"files": {}}),
        ("/search", {"query": "x"}),
    ):
        said = refused(one.post(route, project_id="nobody", **body), 404)
        assert "nobody" in said["error"]
        assert "POST /projects" in said["hint"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"[]", 422),
        (b"null", 422),
        (b'"text"', 422),
        (b"{}", 422),
        (b'{"project_id": "p", "query": "x", "limit": "5"}', 422),
        (b'{"project_id": "p", "query": "x", "limit": 0}', 422),
        (b'{"project_id": "p", "query": "x", "budget": 0}', 422),
        (b'{"project_id": "p", "query": "x", "limit": 1e3}', 422),
        (b'{"project_id": "p", "query": "x", "limit": NaN}', 422),
        (b'{"project_id": "p", "query": "x", "mode": "loud"}', 422),
        (b'{"project_id": "p", "query": "x", "extra": 1}', 422),
        (b'{"project_id": "../p", "query": "x"}', 422),
        (b'{"project_id": "p\\n", "query": "x"}', 422),
        (b'{"project_id": ".", "query": "x"}', 422),
        (b'{"project_id": "p", "query": "\\ud800"}', 422),
        (b'{"project_id": "p", "query": "x", "after": "nonsense"}', 422),
        (b'{"project_id": "p", "query": ' + b"[" * 2_000 + b"]" * 2_000 + b"}", 400),
        (b'{"project_id": "p", "query": ' + b"1" * 5000 + b"}", 400),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(one, body, status):
    answer = one.client.post("/search", content=body, headers={"content-type": "application/json"})
    refused(answer, status)


def test_a_body_that_is_no_json_by_its_own_word_is_refused(one):
    """A page in a browser may send forms and plain text to any server without being asked: they do nothing here."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        content = json.dumps({"project_id": "evil"}).encode()
        refused(one.client.post("/projects", content=content, headers={"content-type": kind}), 415)
    assert one.client.get("/projects").json() == {"projects": ["p"]}
    preflight = one.client.options(
        "/projects", headers={"origin": "http://evil.example", "access-control-request-method": "POST"}
    )
    assert "access-control-allow-origin" not in preflight.headers


def test_without_tokens_another_name_for_this_machine_is_refused(one):
    """A page may have a name of its own lead to 127.0.0.1; it must not get in with it."""
    refused(one.client.get("/projects", headers={"host": "evil.example"}), 403)
    for name in ("localhost:8766", "127.0.0.1", "[::1]:80"):
        assert one.client.get("/projects", headers={"host": name}).status_code == 200


def test_too_large_a_body_and_too_many_files_are_413(one):
    large = [{"path": "large.py", "content": "x" * 200_000}]
    assert "100,000" in refused(one.post("/index", project_id="p", files=large), 413)["error"]
    many = [{"path": f"{number}.py", "content": "x"} for number in range(6)]
    assert "at most 5" in refused(one.post("/index", project_id="p", files=many), 413)["error"]


def test_a_manifest_may_be_larger_than_a_batch(one):
    manifest = {f"{number:0100d}.py": "0" * 64 for number in range(1000)}
    assert len(one.post("/sync", project_id="p", files=manifest).json()["missing"]) == 1000
    manifest = {f"{number:0100d}.py": "0" * 64 for number in range(3000)}
    refused(one.post("/sync", project_id="p", files=manifest), 413)


def test_a_body_without_a_length_is_refused_as_soon_as_it_is_too_large(one):
    sent = 0

    def endless():
        nonlocal sent
        while sent < 10_000_000:
            sent += 10_000
            yield b"x" * 10_000

    answer = one.client.post("/search", content=endless(), headers={"content-type": "application/json"})
    refused(answer, 413)


def test_a_route_or_method_that_is_not_there(one):
    refused(one.client.get("/nothing"), 404)
    refused(one.client.get("/projects/"), 404)
    answer = one.client.put("/search")
    refused(answer, 405)
    assert "POST" in answer.headers["allow"]


def test_a_request_keeps_the_id_it_came_with_if_it_is_a_plain_one(one):
    assert one.client.get("/healthz", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
    assert one.client.get("/healthz", headers={"x-request-id": "a b"}).headers["x-request-id"] != "a b"
    token = one.with_token("*", "read")["authorization"].removeprefix("Bearer ")
    for given in (token, f"id-{token}"):  # sent by mistake, it would be in the log
        assert token not in one.client.get("/healthz", headers={"x-request-id": given}).headers["x-request-id"]


def test_an_error_nobody_foresaw_is_500_in_the_same_form_without_a_word_of_it(one, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("secret words")

    monkeypatch.setattr("scova.server.tenants.tenant.Tenant.search", fail)
    answer = one.post("/search", project_id="p", query="x")
    said = refused(answer, 500)
    assert "secret" not in answer.text
    assert said["request_id"] in said["hint"]
