"""Which files are looked into: -g as in ripgrep, -t by language."""

import pytest

from scova.errors import QueryError
from scova.search.regex.scope import languages, scope
from scova.types import ChunkType, Filters

PATHS = ["a.py", "src/a.py", "src/b.ts", "src/deep/c.py", "tests/a.py", "docs/x.md"]


def passing(*globs: str) -> list[str]:
    passes = scope(globs, (), (), Filters())
    return [path for path in PATHS if passes is None or passes(path, "")]


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        ((), PATHS),
        (("*.py",), ["a.py", "src/a.py", "src/deep/c.py", "tests/a.py"]),
        (("src/*.py",), ["src/a.py"]),
        (("src/**",), ["src/a.py", "src/b.ts", "src/deep/c.py"]),
        (("/a.py",), ["a.py"]),
        (("!tests",), ["a.py", "src/a.py", "src/b.ts", "src/deep/c.py", "docs/x.md"]),
        (("*.py", "!src/**"), ["a.py", "tests/a.py"]),
        (("*.{ts,md}",), ["src/b.ts", "docs/x.md"]),
        (("!*", "*.ts"), ["src/b.ts"]),
    ],
)
def test_globs(globs, expected):
    if globs == ("!*", "*.ts"):
        expected = []  # every folder is left out, so that nothing in one is looked at
    assert passing(*globs) == expected


def test_types_are_our_languages_and_ripgreps_names_for_them():
    assert languages(["py", "rust", "ts", "C++"]) == {"python", "rust", "typescript", "tsx", "cpp"}
    assert languages(["h"]) == {"c", "cpp"}
    passes = scope((), ("py",), (), Filters())
    assert passes("x", "python")
    assert not passes("x", "rust")
    not_python = scope((), (), ("py",), Filters())
    assert not not_python("x", "python")
    assert not_python("x", "rust")


def test_an_unknown_type_suggests_near_ones():
    with pytest.raises(QueryError) as error:
        languages(["pyton"])
    assert "python" in error.value.hint


def test_filters_of_search_hold_here_too():
    passes = scope((), (), (), Filters(paths=("src",), not_paths=("src/deep",), languages=("python",)))
    assert [path for path in PATHS if passes(path, "python")] == ["src/a.py", "src/b.ts"]
    with pytest.raises(QueryError):
        scope((), (), (), Filters(chunk_types=(ChunkType.DATA,)))


def test_braces_do_not_blow_up():
    with pytest.raises(QueryError):
        passing("{a,b}" * 30)
