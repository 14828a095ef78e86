"""The first index of a folder that the page is opened on: where it lies, and what becomes of one that did not come to its end."""

import pytest

from scova.config import cache_folder
from scova.desk.opening import opened
from scova.index import Index
from scova.stores.layout import layouts
from serving import HELLO


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
