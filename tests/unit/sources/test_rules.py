"""One ignore file compiled: what the property test against git cannot reach by chance."""

import os
import re

import pytest

from scova.sources.git.rules import Kind, Rules
from scova.sources.git.wildmatch import POSIX, translate
from unit.sources.trees import git, repository


def ignored(content: bytes, path: bytes, *, is_folder: bool = False) -> bool:
    rule = Rules(content, "file", Kind.GIT).deciding(path, name=path.rpartition(b"/")[2], start=0, is_folder=is_folder)
    return rule is not None and not rule.negated


def test_every_named_class_has_the_bytes_git_gives_it(tmp_path):
    """All bytes that a name may have, against all classes, in one call of git."""
    repository(tmp_path)
    names = [bytes([byte]) for byte in range(1, 256) if byte not in b"/\n."]
    for name in POSIX:
        (tmp_path / name.decode()).mkdir()
        (tmp_path / name.decode() / ".gitignore").write_bytes(b"[[:" + name + b":]]\n")
    asked = [name + b"/" + each for name in POSIX for each in names]
    (tmp_path / "asked").write_bytes(b"\0".join(asked))
    script = "git check-ignore --no-index -z --stdin < asked > answered"
    assert os.system(f"cd '{tmp_path}' && {script}") == 0
    answered = set((tmp_path / "answered").read_bytes().split(b"\0"))
    for name in POSIX:
        content = b"[[:" + name + b":]]"
        ours = {name + b"/" + each for each in names if ignored(content, each)}
        assert ours == {path for path in answered if path.startswith(name + b"/")}


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (b"*a" * 30 + b"b", b"a" * 200),
        (b"/" + b"*a" * 30 + b"b", b"a" * 200),
        (b"**/a/" * 30 + b"b", b"a/" * 200 + b"c"),
        (b"**/*a*/" * 20 + b"b", b"aaaa/" * 100 + b"c"),
        (b"x/" + b"**\\/a/" * 30 + b"b", b"x/" + b"a/" * 200 + b"c"),
        (b"?*" * 60 + b"b", b"a" * 250),
    ],
)
def test_hostile_patterns_take_no_time(pattern, path):
    assert not ignored(pattern, path)
    assert ignored(pattern, re.sub(rb"[^/]+$", b"b", path) if b"/" in path else path + b"b") or pattern.startswith(
        b"?*"
    )


def test_one_byte_is_one_byte_even_in_the_middle_of_a_character():
    assert not ignored(b"?", "é".encode())
    assert ignored(b"??", "é".encode())


def test_the_line_number_counts_comments_and_empty_lines():
    rules = Rules(b"\xef\xbb\xbf# top\r\n\r\n  \n*.x\r\n", "file", Kind.GIT)
    rule = rules.deciding(b"a/b.x", name=b"b.x", start=2, is_folder=False)
    assert rule is not None
    assert (rule.line, rule.pattern) == (4, "*.x")


def test_a_pattern_ends_at_a_zero_byte_as_in_git(tmp_path):
    content = b"a.x\0 junk\nb\n"
    repository(tmp_path, {".gitignore": content, "a.x": "", "b": "", "c": ""})
    assert git(tmp_path, "ls-files", "--others", "--exclude-standard").split() == [".gitignore", "c"]
    assert ignored(content, b"a.x")
    assert not ignored(content, b"c")


def test_a_file_without_patterns_is_false():
    assert not Rules(b"", "file", Kind.GIT)
    assert not Rules(b"#\n\n/\n!\n", "file", Kind.GIT)
    assert Rules(b"a", "file", Kind.GIT)


def test_malformed_patterns_match_nothing():
    for pattern in (b"[a", b"a\\", b"[[:nope:]]", b"[[:alpha:", b"[!", b"[/]"):
        assert translate(pattern, deep=True) is None, pattern
