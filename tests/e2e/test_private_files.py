"""What scova keeps of a user's code is for this user alone, whatever the umask: no other user of the machine can read any of it."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from conftest import SCOVA, write_project
from desk_page import ui
from scova import config
from scova.evaluation.evaluate import Options, evaluate
from scova.stores.layout import embeddings_db, folder_for
from serving import running
from until import until

NOBODY = "65534"


@pytest.fixture(params=[0o000, 0o022], ids=["umask-000", "umask-022"])
def place(request, monkeypatch):
    """A folder that every user may look into, for a user whose umask keeps nothing from anybody."""
    folder = Path(tempfile.mkdtemp(prefix="scova-test-"))
    folder.chmod(0o755)
    before = os.umask(request.param)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    try:
        yield folder
    finally:
        os.umask(before)
        # A process that works in the background may still write there: it ends by itself.
        until(lambda: shutil.rmtree(folder, ignore_errors=True) or not folder.exists(), "the folder being removed")


@pytest.fixture
def root(place):
    return write_project(place / "shop")


def open_to_others(*folders):
    """Every file and folder here that others may do anything with, by their modes."""
    found = []
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            status = path.lstat()
            if not stat.S_ISLNK(status.st_mode) and status.st_mode & 0o077:
                found.append(f"{stat.filemode(status.st_mode)} {path.relative_to(folder.parent)}")
    return found


def read_by_another(*folders):
    """Every file here that another user can read; nothing where this is not root, who alone may act as another."""
    if os.geteuid() != 0 or not (setpriv := shutil.which("setpriv")):
        return []
    act = [setpriv, "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    find = [*act, "find", *map(str, folders), "-readable", "!", "-type", "l"]
    return subprocess.run(find, capture_output=True, text=True, check=False).stdout.splitlines()


def assert_private(*folders):
    assert all(folder.exists() for folder in folders)
    assert open_to_others(*folders) == []
    assert read_by_another(*folders) == []


def test_another_user_can_be_played(place):
    """What the tests below rely on."""
    (place / "open").write_text("x")
    (place / "open").chmod(0o644)
    (place / "closed").write_text("x")
    (place / "closed").chmod(0o600)
    assert open_to_others(place / "closed") == []
    assert open_to_others(place / "open") != []
    if os.geteuid() == 0 and shutil.which("setpriv"):
        assert read_by_another(place / "open", place / "closed") == [str(place / "open")]
    else:
        pytest.skip("only root can act as another user")


def test_an_index_and_the_cache(root, place, scova):
    scova("index", root)
    (root / "new.py").write_text("def cucumber():\n    return 1\n")
    scova("search", "cucumber", root)
    scova("index", root, "--force")
    scova("index", root, "--background")
    until(lambda: scova("jobs", "list", "--json").json["jobs"][0]["status"] == "done", "the job", seconds=60)
    assert_private(place / "cache")


def test_a_data_folder_that_is_named(root, place, scova):
    scova("index", root, "--data", place / "deep/er/index")
    assert_private(place / "deep", place / "cache")


def test_while_it_is_watched_and_shown(root, place):
    with ui(root) as page:
        page.built()
        (root / "fresh.py").write_text("def brand_new_lighthouse(): pass\n")
        until(lambda: page.paths("brand_new_lighthouse")[:1] == ["fresh.py"], "the new file", seconds=60)
        assert_private(place / "cache")
    assert_private(place / "cache")


def test_while_an_agent_asks(root, place):
    server = StdioServerParameters(command=str(SCOVA), args=["mcp"], cwd=str(root), env=dict(os.environ))

    async def talk():
        with anyio.fail_after(100):
            async with Client(server) as client:
                await client.call_tool("search", {"query": "how are passwords hashed"})
                assert_private(place / "cache")

    anyio.run(talk)
    assert_private(place / "cache")


def test_a_named_project(root, place, scova):
    scova("project", "create", "shop")
    scova("project", "add", "shop", f"folder:{root}")
    assert scova("project", "build", "shop").code == 0
    assert_private(place / "cache")


def test_the_data_of_a_server(root, place, scova):
    data = place / "server"
    token = scova("token", "create", "--project", "*", "--scope", "admin", "--data", data).out.strip()
    environment = os.environ | {"SCOVA_TOKEN": token}
    with running(data) as server:
        done = scova("push", root, "--server", server.url, "--project", "p", env=environment)
        assert done.code == 0, done.err
        assert_private(data)
    assert_private(data)


def test_an_evaluation_keeps_its_copies_out_of_folders_that_all_share(root, place, scova):
    made = []

    def hear(event, arguments):
        if (
            event in ("tempfile.mkdtemp", "tempfile.mkstemp") and "pymp-" not in arguments[0]
        ):  # a socket's, with nothing in it
            made.append(Path(arguments[0]))

    sys.addaudithook(hear)
    evaluate(str(root), Options(questions=20))
    heard, made = made, []
    assert [path for path in heard if not path.is_relative_to(place / "cache")] == []
    assert heard, "copies were made"
    assert_private(place / "cache")


def test_what_an_earlier_version_left_open_is_closed_when_it_is_opened(root, place, scova):
    scova("index", root)
    cache = config.cache_folder()
    for path in (cache, *cache.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    scova("search", "hash_password", root)
    assert read_by_another(cache) == []
    assert _closed(cache)
    assert _closed(folder_for(cache, root))


def test_a_folder_with_other_files_in_it_keeps_its_mode_but_ours_are_closed(root, place, scova):
    shared = place / "mixed"
    shared.mkdir()
    shared.chmod(0o755)
    (shared / "notes.txt").write_text("mine")
    (shared / "notes.txt").chmod(0o644)
    scova("index", root, env=os.environ | {"SCOVA_CACHE": str(shared)})
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert embeddings_db(shared).exists()
    assert open_to_others(embeddings_db(shared)) == []
    assert stat.S_IMODE((shared / "notes.txt").stat().st_mode) == 0o644


def test_an_export_has_the_mode_that_the_user_wants(root, place, scova):
    mask = os.umask(0o022)
    try:
        scova("index", root)
        scova("export", root, "--to", place / "exported")
    finally:
        os.umask(mask)
    files = [path for path in (place / "exported").rglob("*") if path.is_file()]
    assert files
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o644}


def _closed(folder):
    return stat.S_IMODE(folder.stat().st_mode) == 0o700
