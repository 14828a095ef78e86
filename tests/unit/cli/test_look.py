"""Looking at a tree by several processes: they find what one would find, and nothing is shown before they have."""

import subprocess
import sys
import threading

import pytest

from scova.cli import look as looking
from scova.cli.look import Changed, Look
from scova.cli.opened import at_once
from scova.index import Index
from scova.types import WHOLE

# The real command, with a tree of any size taken for a large one, on a machine with two processors.
SHARED = """
import os, sys
os.sched_getaffinity = lambda process: {0, 1}
from scova.cli import look
look.LARGE_STORE = 0
begun = look._begun
look._begun = lambda index, share: print(f"looks at {share.number} of {share.of}", file=sys.stderr) or begun(index, share)
from scova.cli.main import main
sys.exit(main())
"""
BOTH = "looks at 0 of 2\nlooks at 1 of 2\n"


def shared(*words):
    done = subprocess.run([sys.executable, "-c", SHARED, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def indexed(project):
    with Index.open(project) as index:
        while index.is_stale():  # marks that are too young to be trusted are looked at again
            index.refresh()
    return project


@pytest.fixture
def shares(monkeypatch):
    """Every look is shared by three processes."""
    monkeypatch.setattr(looking, "_processes_for", lambda index: 3)


def is_unchanged(root):
    with Index.open(root) as index:
        try:
            with Look(index) as look:
                look.require_unchanged()
        except Changed:
            return False
        return True


CHANGES = {
    "first file": lambda root: (root / "README.md").write_text("changed"),
    "last file": lambda root: (root / "tests" / "test_auth.py").write_text("changed"),
    "new file": lambda root: (root / "src" / "new.py").write_text("new = 1"),
    "removed file": lambda root: (root / "config.toml").unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_found_in_whosever_part_it_lies(indexed, shares, change):
    assert is_unchanged(indexed)
    change(indexed)
    assert not is_unchanged(indexed)


def test_the_processes_are_gone_when_the_block_is_left(indexed, shares):
    with Index.open(indexed) as index, pytest.raises(RuntimeError), Look(index) as look:
        begun = list(look._processes)
        raise RuntimeError
    assert len(begun) == 3
    for process in begun:
        with pytest.raises(ProcessLookupError):
            looking.os.kill(process, 0)


class Failing(Index):
    """Its parts cannot be looked at, the whole can."""

    def is_stale(self, part=WHOLE):
        if part != WHOLE:
            raise MemoryError
        return super().is_stale()


def test_what_the_others_could_not_tell_this_process_finds_out(indexed, shares):
    with Failing.open(indexed) as index:
        with Look(index) as look:
            look.require_unchanged()
        (indexed / "README.md").write_text("changed")
        with pytest.raises(Changed), Look(index) as look:
            look.require_unchanged()


def test_where_no_process_can_be_made_this_one_looks(indexed, shares, monkeypatch):
    def no_room(index, share):
        if share.number:
            raise BlockingIOError
        return begun(index, share)

    begun = looking._begun
    monkeypatch.setattr(looking, "_begun", no_room)
    assert is_unchanged(indexed)
    (indexed / "README.md").write_text("changed")
    assert not is_unchanged(indexed)


def test_no_process_is_copied_while_another_thread_runs(indexed, monkeypatch):
    monkeypatch.setattr(looking, "LARGE_STORE", 0)
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        with Index.open(indexed) as index:
            assert looking._processes_for(index) == 0
    finally:
        done.set()
        thread.join()


def test_what_goes_wrong_counts_only_when_nothing_changed(indexed, shares):
    def ask(index, sure):
        raise KeyError

    with Index.open(indexed) as index, pytest.raises(KeyError):
        at_once(index, ask)
    (indexed / "README.md").write_text("changed")
    with Index.open(indexed) as index, pytest.raises(Changed):
        at_once(index, ask)


# --- the command


@pytest.mark.parametrize("words", [("grep", "hash_password"), ("search", "passwords"), ("def", "hash_password")])
def test_a_shared_look_gives_the_same_answer(indexed, scova, words):
    alone, together = scova(*words, indexed), shared(*words, indexed)
    assert together.stderr.startswith(BOTH)
    assert (together.returncode, together.stdout) == (alone.code, alone.out)


def test_what_changed_a_moment_ago_is_found_and_each_line_is_shown_once(indexed):
    (indexed / "README.md").write_text("hash_password is explained here\n")
    done = shared("grep", "hash_password", "-l", indexed)
    assert done.stderr.startswith(BOTH)
    assert done.stdout == "README.md\nsrc/auth.py\ntests/test_auth.py\n"
    assert shared("grep", "explained here", indexed).stdout == "README.md:1:hash_password is explained here\n"


def test_a_file_that_is_gone_is_not_shown(indexed):
    (indexed / "tests" / "test_auth.py").unlink()
    assert shared("grep", "hash_password", "-l", indexed).stdout == "src/auth.py\n"


def test_a_pattern_that_cannot_be_read_is_told_once(indexed):
    done = shared("grep", "hash(", indexed)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.count("error:") == 1


def test_a_folder_that_is_not_indexed_yet_is_indexed_first(project):
    done = shared("grep", "hash_password", "-l", project)
    assert done.stdout == "src/auth.py\ntests/test_auth.py\n" and "looks at" not in done.stderr


def test_derived_files_that_are_gone_come_back_before_the_answer(indexed, scova):
    with Index.open(indexed) as index:
        folders = (index.layout.text_folder, index.layout.grams_folder, index.layout.vectors_folder)
    for folder in folders:
        for path in folder.iterdir():
            path.unlink()
    assert "src/auth.py" in shared("search", "hash_password", indexed).stdout
    assert all(any(folder.iterdir()) for folder in folders)
