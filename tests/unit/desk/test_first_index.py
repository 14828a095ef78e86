"""The first index of a folder that the page is opened on: where it lies, and what becomes of one that did not come to its end."""

import pytest
from starlette.testclient import TestClient

from scova.config import cache_folder
from scova.desk.opening import opened
from scova.index import Index
from scova.server.app import application
from scova.stores.layout import layouts
from serving import HELLO
from until import until


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "shop"
    root.mkdir()
    (root / "hello.py").write_text(HELLO)
    return root


def test_it_is_made_where_the_environment_says_whoever_makes_it(folder, tmp_path, monkeypatch):
    """Jobs are the user's: one that this page began may be done by a process that was started elsewhere."""
    monkeypatch.setenv("SCOVA_DATA", str(tmp_path / "apart"))
    page = opened(folder)  # not started: another takes its jobs
    monkeypatch.delenv("SCOVA_DATA")
    try:
        (job,) = page.jobs.list(10)
        page.parts.runners["index"](job, lambda progress: None)
        assert page.tenants.folder.is_complete
        assert not [*layouts(cache_folder())]
    finally:
        page.close()
    with Index.open(folder) as index:
        assert not index.indexed


@pytest.mark.parametrize("end", ["cancelled", "failed"])
def test_one_that_did_not_come_to_its_end_is_not_said_to_go_on_and_is_begun_again(folder, monkeypatch, end):
    page = opened(folder)
    home = page.parts.home
    (first,) = page.jobs.list(10)
    if end == "cancelled":
        page.jobs.cancel(first.job_id)
    else:
        monkeypatch.setenv("SCOVA_WORKERS", "some")  # a mistake in the settings, made after the page was opened
    with TestClient(application(page), base_url="http://127.0.0.1") as client:
        assert page.jobs.wait(first.job_id, 120).status == end
        monkeypatch.delenv("SCOVA_WORKERS", raising=False)

        def told():
            return client.get(f"/projects/{home}/build").json()

        assert (told()["state"], told()["builder"]) == ("checkpoint_available", "")
        assert "not complete" in told()["recommendation"]
        assert client.get(f"/projects/{home}/health").json()["watcher"] is None
        again = client.post(f"/projects/{home}/build", json={}).json()["job_id"]
        assert page.jobs.wait(again, 120).status == "done"
        until(lambda: client.get(f"/projects/{home}/health").json()["watcher"], "watching")
        until(lambda: told()["state"] == "idle", "the watcher's first look")


def test_one_that_waits_for_its_turn_is_said_to_be_under_way(folder):
    """While another process writes, a job is put back into the queue, over and over."""
    page = opened(folder)
    try:
        (job,) = page.jobs.list(10)
        assert job.status == "queued"
        told = page.parts.works.status_of(page.tenants.folder, page.builder(page.tenants.folder))
        assert (told.state, told.builder) == ("in_progress", f"job {job.job_id}")
    finally:
        page.close()
