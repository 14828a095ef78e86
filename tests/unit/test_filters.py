"""Path patterns mean what their description says."""

import pytest

from scova.errors import QueryError
from scova.filters import chunk_passes, path_passes
from scova.types import Filters

PATHS = [
    "a.py", "src", "src/a.py", "src/b.ts", "src/deep/a.py", "src/deep/er/a.py", "src/deep.py", "srcs/a.py", "lib/src/c.py",
    "lib/src/deep/a.py", "docs/README.md", "we[ird]/x+y.py", "A.PY", "line\nfeed/a.py",
]  # fmt: skip

CASES = {
    "*.py": {p for p in PATHS if p.endswith(".py")},
    "a.py": {p for p in PATHS if p.split("/")[-1] == "a.py"},
    "src": {"src", "src/a.py", "src/b.ts", "src/deep/a.py", "src/deep/er/a.py", "src/deep.py"},
    "src/": {"src/a.py", "src/b.ts", "src/deep/a.py", "src/deep/er/a.py", "src/deep.py"},
    "./src/": {"src/a.py", "src/b.ts", "src/deep/a.py", "src/deep/er/a.py", "src/deep.py"},
    "/src/deep": {"src/deep/a.py", "src/deep/er/a.py"},
    "src/deep": {"src/deep/a.py", "src/deep/er/a.py"},
    "src/*": {"src/a.py", "src/b.ts", "src/deep.py"},
    "src/*.py": {"src/a.py", "src/deep.py"},
    "src/**": {"src/a.py", "src/b.ts", "src/deep/a.py", "src/deep/er/a.py", "src/deep.py"},
    "src/**/a.py": {"src/a.py", "src/deep/a.py", "src/deep/er/a.py"},
    "**/deep/*.py": {"src/deep/a.py", "lib/src/deep/a.py"},
    "**/src/**": {"src/a.py", "src/b.ts", "src/deep/a.py", "src/deep/er/a.py", "src/deep.py", "lib/src/c.py", "lib/src/deep/a.py"},
    "**": set(PATHS),
    "**/*": set(PATHS),
    "*": set(PATHS),
    ".": set(PATHS),
    "": set(PATHS),
    "*/a.py": {"src/a.py", "srcs/a.py", "line\nfeed/a.py"},
    "sr?/a.py": {"src/a.py"},
    "src/[ab].*": {"src/a.py", "src/b.ts"},
    "src/[!b].*": {"src/a.py"},
    "src/[a-c].py": {"src/a.py"},
    "we[[]ird]/*": {"we[ird]/x+y.py"},
    "x+y.py": {"we[ird]/x+y.py"},
    "src//deep": {"src/deep/a.py", "src/deep/er/a.py"},
    "src/de*": {"src/deep.py"},
    "src/a.py": {"src/a.py"},
    "nothing": set(),
    "[": set(),
}  # fmt: skip


@pytest.mark.parametrize("glob", CASES)
def test_a_pattern_matches_exactly_what_it_should(glob):
    passes = path_passes(Filters(paths=(glob,)))
    assert {path for path in PATHS if passes(path)} == CASES[glob]
    rejects = path_passes(Filters(not_paths=(glob,)))
    assert {path for path in PATHS if not rejects(path)} == CASES[glob]


def test_any_wanted_and_no_unwanted_pattern_must_match():
    passes = path_passes(Filters(paths=("src", "*.md"), not_paths=("src/deep", "*.ts")))
    assert {path for path in PATHS if passes(path)} == {"src", "src/a.py", "src/deep.py", "docs/README.md"}


def test_no_pattern_is_no_test():
    assert path_passes(Filters(languages=("go",))) is None


def test_a_pattern_that_cannot_be_read_is_an_error_with_a_hint():
    with pytest.raises(QueryError, match=r"\[z-a\]") as caught:
        chunk_passes(Filters(paths=("src/[z-a]*",)))
    assert "**" in caught.value.hint


LONG = "a" * 1000


@pytest.mark.parametrize(
    "filters",
    [
        Filters(paths=("a" * 1025,)),
        Filters(not_paths=("a" * 1025,)),
        Filters(paths=(LONG,) * 33, not_paths=(LONG,) * 33),
    ],
)
def test_patterns_are_no_longer_than_paths_and_not_too_long_in_all(filters):
    with pytest.raises(QueryError, match="path pattern"):
        path_passes(filters)
    assert path_passes(Filters(paths=("a" * 1024,) * 64))("b") is False
