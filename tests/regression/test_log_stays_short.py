"""The log beside a database begins anew however many processes have the index open, and whatever they do with it.

Judged by size, never by time. The sizes are the real ones: nothing else would end a log that grows to 300 MB here.
"""

import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from scova import Index
from scova.stores.sqlite import SqliteStore

MEGABYTE = 1 << 20
MOST, COMMITS = 64 * MEGABYTE, 300
READER = """
import sys
from pathlib import Path
from scova import Index

root, kind, stop = sys.argv[1], sys.argv[2], Path(sys.argv[3])
with Index.open(root) as index:
    assert index.search("lantern").results
    assert index.callers("lantern").roots
    print("ready", flush=True)
    if kind == "idle":
        sys.stdin.read()
    while not stop.exists():
        if kind == "following":
            index.keep_up()
        else:
            assert index.search("lantern", mode="text").results
            index.grep("lantern")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "lantern.py").write_text("def lantern():\n    return 1\n\n\ndef lamp():\n    return lantern()\n")
    with Index.open(folder) as index:
        index.refresh()
    return folder


@contextmanager
def readers(root: Path, stop: Path, *kinds: str):
    """Processes that read an index, each in its way, until the block ends; what they meet is an error here."""
    command = [sys.executable, "-c", READER, str(root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([*command, kind, str(stop)], **pipes) for kind in kinds]
    try:
        assert [one.stdout.readline() for one in running] == ["ready\n"] * len(kinds)
        yield
    finally:
        stop.touch()
        for one in running:
            one.communicate(timeout=300)
    assert [one.returncode for one in running] == [0] * len(kinds)


def longest_log(store: SqliteStore) -> int:
    """How long the log is at most while so many megabytes are committed, one at a time. Each commit is one that readers follow."""
    longest = 0
    for number in range(COMMITS):
        store.put_settings({"test": f"{number} " + "x" * MEGABYTE})
        longest = max(longest, store.path.with_name("store.db-wal").stat().st_size)
    return longest


def test_the_log_stays_short_beside_processes_that_ask_that_follow_and_that_are_idle(root: Path, tmp_path: Path):
    with Index.open(root) as index, readers(root, tmp_path / "stop", "asking", "following", "idle"):
        assert longest_log(index._opened()) <= MOST


def test_the_log_stays_short_while_threads_ask_without_a_pause(root: Path):
    """As in a server: there is no moment at which nobody holds the newest View."""
    with Index.open(root) as index:
        index.search("lantern")
        store, done, failures = index._opened(), threading.Event(), []

        def ask() -> None:
            try:
                while not done.is_set():
                    assert index._searching().ask(one_after_the_other).definitions
            except BaseException as error:
                failures.append(error)
                raise

        def one_after_the_other(view):
            for _ in range(20):
                assert view.chunk_set.reader.files()
                done.wait(0.01)
            return index.definitions("lantern")

        asking = [threading.Thread(target=ask) for _ in range(4)]
        for one in asking:
            one.start()
        try:
            assert longest_log(store) <= MOST
        finally:
            done.set()
            for one in asking:
                one.join()
        assert not failures
