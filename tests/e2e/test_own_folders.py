"""scova's own folders inside the tree that it indexes: never opened, so that SQLite's locks on what lies there are kept.

A process loses all its POSIX locks on a file when it closes any descriptor of it; /proc/locks says who has which.
"""

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from conftest import SCOVA
from scova import Index
from scova.errors import ScovaError

ROUNDS = 6
needs_proc = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="no /proc/locks here")


def locks_on(folder: Path) -> set[str]:
    """The locks of this process on files below a folder; those on the same bytes count once."""
    names = {path.stat().st_ino: path.name for path in folder.rglob("*") if path.is_file()}
    held = set()
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        inode = int(words[5].rpartition(":")[2]) if words[1] in ("POSIX", "OFDLCK") else 0
        if inode in names and words[4] == str(os.getpid()):
            held.add(f"{names[inode]} {words[3]} {words[6]}-{words[7]}")
    return held


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A folder with a cache in it, as a CI job keeps it, and an index of another folder."""
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("def login(password):\n    return password\n")
    (root / ".scovaignore").write_text("!*.db\n!*.db-shm\n!*.db-wal\n!ci\n!ci/**\n")  # asks for everything
    monkeypatch.setenv("SCOVA_CACHE", str(root / "ci" / "cache"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.py").write_text("def other():\n    pass\n")
    with Index.open(tmp_path / "other", data=str(root / "kept")) as index:
        index.refresh()
    with Index.open(root) as index:
        index.refresh()
    return root


def asked_everything(root: Path) -> None:
    """Every way by which this process reads files of the tree."""
    with Index.open(root) as index:
        index.refresh(force=True)
        index.grep("login")
        index.search("login")
        index.update(["ci/cache/embeddings.db-shm", "kept/store.db-shm", "src/app.py"])
        index.audit()


@needs_proc
def test_a_refresh_keeps_the_locks_of_this_process_on_databases_in_the_tree(tree):
    databases = [tree / "ci" / "cache" / "embeddings.db", tree / "kept" / "store.db"]
    connections = [sqlite3.connect(path, isolation_level=None) for path in databases]
    for connection in connections:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    before = locks_on(tree)
    assert {lock.split()[0] for lock in before} >= {f"{path.name}-shm" for path in databases}
    connections[0].execute("ROLLBACK")  # what is computed in a refresh is kept in the cache; its readers' locks stay
    before = locks_on(tree)
    asked_everything(tree)
    assert locks_on(tree) >= before
    for connection in connections:
        connection.close()


@needs_proc
@pytest.mark.parametrize("how", ["hard links", "a copy that was renamed"])
def test_a_copy_of_a_cache_in_the_tree_is_known_as_what_it_is(tree, how):
    copied = tree / "src" / "backup"
    shutil.copytree(tree / "kept", copied, copy_function=os.link if how == "hard links" else shutil.copy2)
    connection = sqlite3.connect(tree / "kept" / "store.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    before = locks_on(tree / "kept")
    assert before
    asked_everything(tree)
    assert locks_on(tree / "kept") == before
    connection.close()


def test_what_is_left_out_is_named_and_the_rest_is_indexed(tree):
    (tree / "src" / "app.db-wal").write_text("looks like text\n")
    with Index.open(tree) as index:
        index.refresh()
        skips = {skip.path: skip.reason for skip in index.skips()}
        assert {"ci/cache", "kept", "src/app.db-wal"} <= skips.keys()
        assert {skips[path] for path in ("ci/cache", "kept", "src/app.db-wal")} == {"internal"}
        assert [*index.files()] == [".scovaignore", "src/app.py"]


def test_an_index_of_an_older_scova_is_known_without_a_marker(tree):
    for marker in tree.rglob(".scova-data"):
        marker.unlink()
    shutil.move(tree / "ci" / "cache", tree / "src" / "old")
    with Index.open(tree) as index:
        index.refresh()
        assert [*index.files()] == [".scovaignore", "src/app.py"]


@pytest.mark.parametrize("variable", ["SCOVA_CACHE", "SCOVA_DATA"])
def test_the_indexed_folder_itself_is_refused_as_the_place_of_our_own_files(tmp_path, monkeypatch, variable):
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(ScovaError, match="its own files") as refused:
        Index.open(tmp_path).refresh()
    assert "--data" in refused.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def _work(root: str, number: int) -> None:
    """Write into the cache in the tree, and refresh the tree, again and again."""
    own = Path(root).parent / f"own-{number}"
    own.mkdir()
    for turn in range(ROUNDS):
        for name in range(30):
            (own / f"{name}.py").write_text(f"def work_{number}_{turn}_{name}():\n    return {turn * name}\n")
        with Index.open(own, workers=1) as index:
            index.refresh()
        with Index.open(root, workers=1) as index:
            index.refresh(wait_seconds=60)
            index.grep("login")


def test_four_processes_with_a_cache_in_the_tree_do_not_damage_it(tree):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_work, args=(str(tree), number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(100)
    assert [worker.exitcode for worker in workers] == [0] * 4
    for path in tree.rglob("*.db"):
        assert "damaged" not in path.name
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), path
        connection.close()


def test_a_server_marks_its_data_folder(tmp_path):
    words = ["token", "create", "--project", "*", "--scope", "read", "--data", str(tmp_path / "served")]
    subprocess.run([SCOVA, *words], capture_output=True, check=True)
    assert (tmp_path / "served" / ".scova-data").exists()
