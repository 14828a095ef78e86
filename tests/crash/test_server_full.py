"""The disk of a server is full: it says so to whoever brings more, goes on answering, and can be rescued by those who only ask it over HTTP."""

import os
import random
import subprocess

import httpx2
import pytest

from crash.test_disk_full import mounted
from serving import running

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system takes root")

FULL = (507, "there is no room left on the disk of this server")


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    if not mounted(folder, 6144):
        pytest.skip("this machine does not let a test mount anything")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def batch(number: int) -> list[dict[str, str]]:
    chance = random.Random(number)
    line = "def fn_{}_{}(a): return a * {}\n"
    return [
        {
            "path": f"d/f{number}_{k}.py",
            "content": "".join(line.format(number, n, chance.randrange(10**9)) for n in range(60)),
        }
        for k in range(4)
    ]


def said(reply: httpx2.Response) -> tuple[int, str]:
    return reply.status_code, reply.json().get("error", "")


def filled(client: httpx2.Client, disk) -> None:
    """Push until nothing more fits, and take whatever room is left."""
    assert client.post("/projects", json={"project_id": "p"}).status_code == 201
    refused = 0
    for number in range(200):
        reply = client.post("/index", json={"project_id": "p", "files": batch(number)})
        if reply.status_code != 200:
            assert said(reply) == FULL
            assert "DELETE /projects" in reply.json()["hint"]
            refused += 1
        if refused == 5:
            break
    assert refused == 5
    with (disk / "ballast").open("wb", buffering=0) as ballast:
        try:
            while ballast.write(bytes(4096)):
                pass
        except OSError:
            pass


@pytest.mark.timeout(110)
@pytest.mark.parametrize("again", [False, True], ids=["the one that filled it", "one that found it full"])
def test_a_full_server_says_so_answers_and_can_be_rescued_over_http(disk, again):
    environment = {"SCOVA_SERVE_RATE": "0"}
    with running(disk, environment=environment) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        filled(client, disk)
        if not again:
            rescued(client)
    if again:
        with (
            running(disk, environment=environment) as server,
            httpx2.Client(base_url=server.url, timeout=120) as client,
        ):
            rescued(client)


def rescued(client: httpx2.Client) -> None:
    asked = client.post("/search", json={"project_id": "p", "query": "fn_1_1"})
    assert asked.status_code == 200 and asked.json()["results"], asked.text
    for route, body in (
        ("/index", {"project_id": "p", "files": batch(1000)}),
        ("/projects", {"project_id": "q"}),
        ("/jobs", {"project_id": "p", "kind": "tidy"}),
    ):
        reply = client.post(route, json=body)
        assert said(reply) == FULL or reply.is_success, (route, reply.text)
    removed = client.delete("/projects/p")
    assert removed.status_code == 200, removed.text
    made = client.post("/projects", json={"project_id": "new"})
    assert made.status_code == 201, made.text
    indexed = client.post("/index", json={"project_id": "new", "files": batch(0)})
    assert indexed.status_code == 200, indexed.text
