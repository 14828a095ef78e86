"""The page as `scova serve` gives it out, the real command: with its policy, its types and its tags, and no way out of it."""

import http.client
import subprocess
import sys
import zipfile

import httpx2
import pytest

from scova.server.routes import page
from serving import SCOVA, running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("served") / "data") as one:
        yield one


def raw(server, method, path, **headers):
    """A request as it is written: no client makes a path nicer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_every_part_is_served_with_its_type_its_tag_and_the_policy(server):
    for name, asset in page.assets().items():
        answer, body = raw(server, "GET", f"/page/{name}")
        assert (answer.status, body) == (200, asset.content), name
        assert answer.headers["content-type"] == asset.media_type
        assert answer.headers["content-security-policy"] == page.POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        again, empty = raw(server, "GET", f"/page/{name}", if_none_match=answer.headers["etag"])
        assert (again.status, empty) == (304, b"")
    total = sum(len(asset.content) for asset in page.assets().values())
    assert total < 300_000  # the weight of the whole page, unpacked


@pytest.mark.parametrize(
    "path",
    [
        "/page/../../../../../../etc/passwd",
        "/page/%2e%2e/%2e%2e/app.py",
        "/page/..\\app.py",
        "//page/index.html",
        "/page",
    ],
)
def test_no_path_leads_out(server, path):
    answer, body = raw(server, "GET", path)
    assert answer.status in (401, 403, 404), body
    assert b"root:" not in body and b"import" not in body


def test_a_head_has_no_body_and_other_methods_are_refused(server):
    answer, body = raw(server, "HEAD", "/")
    assert (answer.status, body) == (200, b"") and int(answer.headers["content-length"]) > 0
    for method in ("PUT", "DELETE", "PATCH"):
        answer, _ = raw(server, method, "/", content_length="0")
        assert answer.status == 405


def test_names_and_origins_of_others_are_refused_where_nobody_is_asked(server):
    for headers in ({"origin": "http://evil.example"}, {"sec_fetch_site": "cross-site"}):
        for path in ("/", "/session", "/projects", "/openapi.json"):
            answer, _ = raw(server, "GET", path, **headers)
            assert answer.status == (200 if path == "/openapi.json" else 403), (path, headers)
    with httpx2.Client(base_url=server.url) as client:
        assert client.get("/session").json()["auth"] is False
        assert client.get("/session", headers={"host": f"evil.example:{server.port}"}).status_code == 403


def test_with_tokens_a_session_needs_one_and_the_page_does_not(tmp_path):
    data = tmp_path / "data"
    made = subprocess.run(
        [str(SCOVA), "token", "create", "--project", "*", "--scope", "read", "--name", "me", "--data", str(data)],
        capture_output=True,
        text=True,
        check=True,
    )
    with running(data) as server, httpx2.Client(base_url=server.url) as client:
        assert client.get("/").status_code == 200
        assert client.get("/session").status_code == 401
        said = client.get("/session", headers={"authorization": f"Bearer {made.stdout.strip()}"}).json()
        assert (said["auth"], said["token"]["name"], said["token"]["scopes"]) == (True, "me", ["read"])


def test_the_page_is_in_the_wheel(tmp_path):
    """What is installed from a wheel has every file of it."""
    hatchling = pytest.importorskip("hatchling.builders.wheel")
    from pathlib import Path

    root = Path(__file__).parents[2]
    (made,) = hatchling.WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    names = set(zipfile.ZipFile(made).namelist())
    assert {f"scova/server/page/{name}" for name in page.assets()} <= names
    installed = tmp_path / "installed"
    zipfile.ZipFile(made).extractall(installed)
    code = "from scova.server.routes import page; print(page.FOLDER, len(page.assets()))"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(installed)!r}); {code}"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [str(installed / "scova/server/page"), str(len(page.assets()))], done.stderr
