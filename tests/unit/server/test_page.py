"""The page is served to anyone, under a strict policy; it holds no data, and no path leads out of it."""

import gzip
from pathlib import Path

import pytest

from scova.server.routes import page
from serving import HELLO, served


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    with served(tmp_path_factory.mktemp("page") / "data") as made:
        yield made


def test_the_page_and_all_it_is_made_of_are_served_as_what_they_are(one):
    assert "index.html" in page.assets()
    for name, asset in page.assets().items():
        answer = one.client.get(f"/page/{name}", headers={"accept-encoding": "identity"})
        assert answer.status_code == 200
        assert answer.content == (page.FOLDER / name).read_bytes()
        assert answer.headers["content-type"] == asset.media_type
        assert "content-encoding" not in answer.headers
    assert one.client.get("/").content == (page.FOLDER / "index.html").read_bytes()


def test_every_file_of_the_page_is_of_a_kind_that_is_served():
    """One of another kind would be in the package, and never reach a browser."""
    files = {path.relative_to(page.FOLDER).as_posix() for path in page.FOLDER.rglob("*") if path.is_file()}
    assert files - {name for name in files if "__pycache__" in name} == set(page.assets())
    assert {Path(name).suffix for name in page.assets()} == set(page.TYPES)


def test_the_policy_lets_nothing_in_and_nothing_out(one):
    for path in ("/", "/page/index.html"):
        headers = one.client.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert {policy[name] for name in ("script-src", "style-src", "connect-src", "img-src")} == {"'self'"}
        assert {policy[name] for name in ("base-uri", "form-action", "frame-ancestors")} == {"'none'"}
        assert "unsafe" not in headers["content-security-policy"]
        assert "http" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_who_has_a_file_already_is_told_so_and_a_changed_one_is_sent(one):
    first = one.client.get("/")
    again = one.client.get("/", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert "content-security-policy" in again.headers
    for tag in (f"W/{first.headers['etag']}", f'"x", {first.headers["etag"]}', "*"):
        assert one.client.get("/", headers={"if-none-match": tag}).status_code == 304
    assert one.client.get("/", headers={"if-none-match": '"other"'}).status_code == 200


def test_what_shrinks_is_packed_for_who_takes_it(one, tmp_path):
    (tmp_path / "long.js").write_text("// the same again\n" * 500)
    (tmp_path / "short.js").write_text("x")
    (tmp_path / "dot.png").write_bytes(b"\x89PNG" * 50)
    found = page.assets(tmp_path)
    assert gzip.decompress(found["long.js"].packed) == found["long.js"].content
    assert len(found["long.js"].packed) < len(found["long.js"].content) / 2
    assert not found["short.js"].packed
    assert "dot.png" not in found, "no file of the page is of this kind"
    large = max(page.assets().items(), key=lambda item: len(item[1].content))[0]
    packed = one.client.get(f"/page/{large}", headers={"accept-encoding": "br, gzip;q=0.5"})
    plain = one.client.get(f"/page/{large}", headers={"accept-encoding": "gzip;q=0, identity"})
    assert packed.content == plain.content  # the client unpacks it
    assert packed.headers["content-encoding"] == "gzip" and packed.headers["vary"] == "accept-encoding"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])
    assert packed.headers["etag"] != plain.headers["etag"]


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py",
        "/page/..%2fapp.py",
        "/page/%2e%2e/app.py",
        "/page/js/../../app.py",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/page/index.html%00.js",
        "/page/index.html/",
        "/page/.",
        "/page/",
        "/page/C:%5Cwindows",
        "/page/none.js",
    ],
)
def test_no_path_leads_out_of_the_page(one, path):
    answer = one.client.get(path)
    assert answer.status_code in (403, 404), answer.text
    assert "import" not in answer.text and "root:" not in answer.text


def test_heads_are_answered_and_nothing_is_put_there(one):
    head = one.client.head("/")
    assert head.status_code == 200 and head.content == b""
    assert int(head.headers["content-length"]) > 0
    refused = one.client.post("/")
    assert refused.status_code == 405
    assert "GET" in refused.headers["allow"]


def test_the_page_needs_no_token_and_what_it_asks_does(tmp_path):
    with served(tmp_path / "data") as one:
        one.post("/projects", project_id="p")
        one.index("p", {"hello.py": HELLO})
        headers = one.with_token("p", "read")
        assert one.client.get("/").status_code == 200
        assert one.client.get("/page/index.html").status_code == 200
        for path in ("/session", "/projects", "/projects/p/file?path=hello.py", "/projects/p/health"):
            assert one.client.get(path).status_code == 401
            assert one.client.get(path, headers=headers).status_code == 200


# --- who is let in where nobody is asked


FOREIGN = [
    {"host": "evil.example"},
    {"host": "evil.example:8766"},
    {"host": "127.0.0.1.evil.example"},
    {"host": ""},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:1"},
    {"origin": "http://127.0.0.1.evil.example"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize("path", ["/session", "/projects", "/jobs", "/metrics", "/", "/page/index.html"])
def test_without_tokens_no_page_of_another_site_gets_in(one, path, headers):
    answer = one.client.get(path, headers=headers)
    assert answer.status_code == 403, answer.text
    assert answer.json()["hint"]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_nor_can_one_change_anything(one, headers):
    answer = one.client.post("/projects", json={"project_id": "theirs"}, headers=headers)
    assert answer.status_code == 403
    assert one.client.delete("/projects/theirs", headers=headers).status_code == 403
    assert "theirs" not in one.client.get("/projects").json()["projects"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1", "sec-fetch-site": "same-origin"},
        {"host": "localhost:8766", "origin": "http://localhost:8766"},
        {"host": "[::1]:8766"},
        {"sec-fetch-site": "none"},
    ],
    ids=str,
)
def test_the_own_page_and_programs_of_this_machine_get_in(one, headers):
    assert one.client.get("/session", headers=headers).status_code == 200


def test_a_link_from_elsewhere_may_open_the_page_and_nothing_else(one):
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert one.client.get("/", headers=followed).status_code == 200
    assert one.client.get("/projects", headers=followed).status_code == 403


def test_with_tokens_names_and_origins_are_the_proxys_business(tmp_path):
    """A token is not sent by a browser for others; a server behind a proxy has whatever name that has."""
    with served(tmp_path / "data") as one:
        headers = one.with_token("*", "read")
        told = {**headers, "host": "scova.example", "origin": "https://scova.example"}
        assert one.client.get("/session", headers=told).status_code == 200
        assert one.client.get("/", headers={"host": "scova.example"}).status_code == 200
