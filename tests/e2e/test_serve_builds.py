"""Builds over HTTP by the real command: killed in the middle, they go on with the next process, and fetch nothing twice; another process on the
same database, with a data folder of its own, finishes them too."""

import json
import sqlite3
import threading
from contextlib import ExitStack, closing

import httpx2
import pytest

import served as web
from projected import CHUNKS, build_all, make, rows, use_cache
from serving import running
from until import until

PAGES = 90
ALLOWED = {"SCOVA_FETCH_ALLOW": web.ALLOWED}


@pytest.fixture
def site():
    with web.serving() as site:
        yield site


def chunks(client, project="p"):
    """All that can be told of what is in the project."""
    listed = client.post("/grep", json={"project_id": project, "pattern": "page", "limit": 10_000}).json()
    stats = client.get("/stats", params={"project_id": project}).json()
    return listed["files"], stats["chunks"], stats["symbols"], stats["files"]


def begin(client, source, project="p"):
    client.post("/projects", json={"project_id": project})
    client.post(f"/projects/{project}/sources", json={"sources": [{"type": "sitemap", "uri": source}]})
    return client.post(f"/projects/{project}/build", json={"whole": True}).json()["job_id"]


def waited_for(client, job_id):
    def over():
        job = client.get(f"/jobs/{job_id}").json()
        return job if job["status"] not in ("queued", "running") else None

    return until(over, "the job", seconds=120)


def test_a_build_killed_twice_goes_on_and_equals_one_that_was_not(site, tmp_path):
    urls = [site.put(f"/page/{n}", web.html(n), host=n) for n in range(PAGES)]
    source = site.sitemap("/map.xml", urls)
    with (
        running(tmp_path / "whole", environment=ALLOWED) as whole,
        httpx2.Client(base_url=whole.url, timeout=120) as client,
    ):
        job_id = begin(client, source)
        waited_for(client, job_id)
        expected = chunks(client)
    assert expected[3] == PAGES

    data = tmp_path / "killed"
    latest = data / "tenants" / "p" / "builds" / "data" / "checkpoints" / "latest.json"
    settled: set[str] = set()
    job_id = ""
    for stop_at in (30, 70, None):
        mark = site.mark
        held, go = threading.Event(), threading.Event()

        def before(path, stop_at=stop_at, held=held, go=go):
            if path == f"/page/{stop_at}":
                held.set()
                go.wait(120)

        site.before = before
        with running(data, environment=ALLOWED) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
            job_id = job_id or begin(client, source)
            if stop_at is not None:
                assert held.wait(120), (server.log.read_text(), client.get(f"/jobs/{job_id}").json())
                server.kill()
                go.set()
            else:
                job = waited_for(client, job_id)
                assert (job["status"], job["attempts"]) == ("done", 3), job
                assert chunks(client) == expected
                audit = client.post("/jobs", json={"project_id": "p", "kind": "audit"}).json()["job_id"]
                assert waited_for(client, audit)["result"]["clean"]
        assert not {asked.url for asked in site.since(mark)} & settled
        kept = json.loads(latest.read_bytes())["in_progress_source"]
        settled = set(kept["urls_completed"]) if kept else settled
    assert len(settled) >= 50


def test_a_server_builds_what_the_command_builds(site, tmp_path, monkeypatch):
    """The same pages give the same chunks, whichever door asked."""
    source = site.sitemap("/map.xml", [site.put(f"/page/{n}", web.html(n), host=n) for n in range(12)])
    use_cache(monkeypatch, tmp_path / "cache")
    make("p", [f"sitemap:{source}"])
    build_all("p")
    data = tmp_path / "data"
    with running(data, environment=ALLOWED) as server, httpx2.Client(base_url=server.url, timeout=120) as client:
        waited_for(client, begin(client, source))
    with closing(sqlite3.connect(data / "tenants" / "p" / "store.db")) as store:
        built = store.execute(CHUNKS).fetchall()
    assert len({path for path, *_ in built}) == 12
    assert built == rows("p", CHUNKS)


def test_a_build_of_a_process_that_was_killed_is_finished_by_another_with_its_own_folder(site, tmp_path, postgres_url):
    urls = [site.put(f"/page/{n}", web.html(n), host=n) for n in range(50)]
    source = site.sitemap("/map.xml", urls)
    held, go = threading.Event(), threading.Event()

    def before(path):
        if path == "/page/30" and not go.is_set():
            held.set()
            go.wait(120)

    site.before = before
    with ExitStack() as stack:

        def another(name):
            server = stack.enter_context(running(tmp_path / name, environment=ALLOWED, store=postgres_url))
            return server, stack.enter_context(httpx2.Client(base_url=server.url, timeout=120))

        first, client = another("a")
        job_id = begin(client, source)
        assert held.wait(120), first.log.read_text()
        _, survivor = another("b")
        told = [each.get("/projects/p/build").json() for each in (client, survivor)]
        assert told[0] == told[1]
        assert (told[0]["state"], told[0]["builder"]) == ("in_progress", f"job {job_id}")
        refused = survivor.delete("/projects/p")
        assert (refused.status_code, "being built" in refused.json()["error"]) == (503, True)
        first.kill()
        go.set()
        job = waited_for(survivor, job_id)
        assert (job["status"], job["attempts"]) == ("done", 2), job
        finished = chunks(survivor)
        assert finished[3] == 50
        waited_for(survivor, begin(survivor, source, "undisturbed"))
        assert chunks(survivor, "undisturbed") == finished
        audit = survivor.post("/jobs", json={"project_id": "p", "kind": "audit"}).json()["job_id"]
        assert waited_for(survivor, audit)["result"]["clean"]
