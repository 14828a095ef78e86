"""Fixtures of the tests of projects: a cache of their own, and a site."""

import pytest

import served
from projected import use_cache


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Projects lie here, and pages of this machine may be fetched."""
    return use_cache(monkeypatch, tmp_path / "cache")


@pytest.fixture
def site():
    """A web server at several addresses of this machine."""
    with served.serving() as site:
        yield site


@pytest.fixture
def pages(site):
    """Put so many plain pages on the site; returns their URLs."""

    def put(count, first=0, **how):
        return [site.put(f"/page/{n}", served.html(n), host=n, **how) for n in range(first, first + count)]

    return put


@pytest.fixture
def folder(tmp_path):
    """Write a folder of so many small files; returns its path."""

    def write(name, count):
        root = tmp_path / name
        root.mkdir()
        for number in range(count):
            (root / f"note_{number:04d}.md").write_text(f"# Note {number}\n\nOf {name}, number{number}.\n")
        return root

    return write
