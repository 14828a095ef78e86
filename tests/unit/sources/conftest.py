"""Fixtures of the tests of sources."""

import shutil
import tempfile
from pathlib import Path

import pytest

from unit.sources.website import serving


@pytest.fixture
def open_folder():
    """A folder that everyone may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp()).resolve()
    folder.chmod(0o777)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o777)
    shutil.rmtree(folder)


@pytest.fixture
def site():
    """A web server on loopback."""
    with serving() as served:
        yield served
