"""Git's own files, and ignore files, as somebody made them who wants to harm whoever looks at the repository."""

import os
import struct
import time
import tracemalloc

import pytest

from scova.sources.git.branch import branch_of
from scova.sources.git.controls import Controls
from scova.sources.git.rules import MOST_PATTERNS, Kind, Rules
from scova.sources.git.tracked import read_tracked
from unit.sources.trees import offered, repository, skipped, write

MOST_BYTES = 50_000_000
MOST_SECONDS = 10.0  # of processor time


@pytest.fixture(autouse=True)
def bounded():
    """Nothing here takes much memory or time."""
    tracemalloc.start()
    began = time.process_time()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST_BYTES
    assert time.process_time() - began < MOST_SECONDS


def entry(name, *, version=2, dropped=0):
    head = bytes(60) + struct.pack(">H", min(len(name), 0xFFF))
    if version == 4:
        return head + bytes([dropped]) + name + b"\0"
    body = head + name
    return body + bytes(8 - len(body) % 8)


def extension(name, content):
    return name + struct.pack(">I", len(content)) + content


def bitmap(size, marker):
    return struct.pack(">II", 0xFFFFFFFF, size) + struct.pack(">Q", marker) + struct.pack(">I", 0)


def index(count, *entries, version=2, more=b""):
    return b"DIRC" + struct.pack(">II", version, count) + b"".join(entries) + more + bytes(20)


LINK = b"\1" * 20
ALL = 1 | 0xFFFFFFFF << 1  # a run of ones as long as can be said
INDEXES = {
    "millions of entries": index(0xFFFFFFFF, entry(b"a.py")),
    "a bitmap of billions of bits": index(0, more=extension(b"link", LINK + bitmap(1, ALL) * 2)),
    "a bitmap of billions of words": index(0, more=extension(b"link", LINK + bitmap(0xFFFFFFFF, ALL))),
    "an extension of billions of bytes": index(0, more=b"link" + struct.pack(">I", 0xFFFFFFFF) + LINK),
    "names that grow": index(20_000, *(entry(b"x" * 5, version=4, dropped=0) for _ in range(20_000)), version=4),
    "a name dropped below nothing": index(1, entry(b"a", version=4, dropped=100), version=4),
    "a name without an end": index(1, bytes(60) + b"\x0f\xff" + b"a" * 100),
    "an unknown version": index(1, entry(b"a"), version=77),
    "nothing": b"",
    "a beginning": b"DIRC\0\0",
}


@pytest.mark.parametrize("kind", INDEXES)
def test_an_index_of_git_is_believed_no_further_than_its_bytes(tmp_path, kind):
    (tmp_path / "index").write_bytes(INDEXES[kind])
    assert b"nothing" not in read_tracked(tmp_path, Controls())


def test_a_shared_index_that_names_itself_is_read_once(tmp_path):
    content = index(1, entry(b"a.py"), more=extension(b"link", LINK + bitmap(1, 0) * 2))
    (tmp_path / "index").write_bytes(content)
    (tmp_path / f"sharedindex.{LINK.hex()}").write_bytes(content)
    assert b"a.py" in read_tracked(tmp_path, Controls())


@pytest.mark.parametrize("name", ["HEAD", "index", "config", "info/exclude", "commondir", "config.worktree"])
@pytest.mark.parametrize("kind", ["zero", "pipe", "folder", "large"])
def test_a_file_of_git_that_is_none_is_as_if_it_were_not_there(tmp_path, name, kind):
    root = repository(tmp_path / "tree", {"a.py": "x = 1\n"})
    place = root / ".git" / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    if kind == "zero":
        place.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.write_bytes(b"")
        os.truncate(place, 4_000_000_000)
    assert "a.py" in offered(root)
    assert branch_of(root) == "" or name != "HEAD"


@pytest.mark.parametrize("kind", ["zero", "pipe", "large"])
def test_a_git_file_that_is_none_is_as_if_it_were_not_there(tmp_path, kind):
    root = write(tmp_path / "tree", {"a.py": "x = 1\n"})
    if kind == "zero":
        (root / ".git").symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(root / ".git")
    else:
        (root / ".git").write_bytes(b"gitdir: ")
        os.truncate(root / ".git", 4_000_000_000)
    assert "a.py" in offered(root)
    assert branch_of(root) == ""


def test_the_name_of_a_branch_cannot_write_to_a_terminal(tmp_path):
    root = repository(tmp_path / "tree", {"a.py": "x = 1\n"})
    (root / ".git" / "HEAD").write_text("ref: refs/heads/\x1b]0;owned\x07\n")
    assert branch_of(root) == ""
    (root / ".git" / "HEAD").write_text("ref: refs/heads/größe\n")
    assert branch_of(root) == "größe"


def test_settings_of_git_that_include_each_other_are_read_some_times_only(tmp_path):
    root = repository(tmp_path / "tree", {"a.py": "x = 1\n"})
    config = root / ".git" / "config"
    config.write_text("[include]\n" + "\tpath = config\n" * 1000)
    assert offered(root) == ["a.py"]


PATTERNS = {
    "plain": lambda number: f"name{number}",
    "deep": lambda number: f"**/x{number}/**/y*z",
    "classes": lambda number: f"[a-z]x{number}[!0-9]*?",
    "stars": lambda number: "*a" * 20 + str(number),
    "negated": lambda number: f"!a*b{number}",
}


@pytest.mark.parametrize("kind", PATTERNS)
@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".scovaignore"])
def test_an_ignore_file_of_too_many_patterns_is_followed_in_part_and_said(tmp_path, name, kind):
    lines = ["first.py", *map(PATTERNS[kind], range(20_001))]
    root = repository(tmp_path / "tree", {"first.py": "x = 1\n", "b.py": "y = 1\n", name: "\n".join(lines) + "\n"})
    tracemalloc.stop()  # it costs more than what is looked at
    assert "b.py" in offered(root)
    left = skipped(root)
    assert left["first.py"].reason == "ignored"
    assert left[name].reason == "rules" and "too many" in left[name].detail
    tracemalloc.start()


@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".scovaignore"])
def test_an_ignore_file_that_is_too_large_is_said(tmp_path, name):
    root = repository(tmp_path / "tree", {"a.py": "x = 1\n", name: "x\n" * 600_000})
    assert offered(root) == ["a.py"]
    assert skipped(root)[name].reason == "rules" and "larger than" in skipped(root)[name].detail


def test_gits_own_list_of_patterns_is_said_where_it_is_too_long(tmp_path):
    root = repository(tmp_path / "tree", {"a.py": "x = 1\n"})
    (root / ".git" / "info" / "exclude").write_text("".join(f"a{number}\n" for number in range(30_000)))
    assert offered(root) == ["a.py"]
    assert skipped(root)[".git"].reason == "rules"


def test_usual_ignore_files_are_followed_whole():
    usual = [f"[Bb]uild{number}/" for number in range(300)] + [f"*.{number}" for number in range(3000)]
    usual += [f"name{number}" for number in range(MOST_PATTERNS - 4000)] + [
        f"src/*/gen{number}" for number in range(300)
    ]
    assert not Rules("\n".join(usual).encode(), "x", Kind.GIT).left_aside
