"""Patterns of anyone's that made the engine of expressions try for ever, while nothing else could run: each answers.

Each is tried in a process of its own, which is ended where it does not: the engine cannot be interrupted.
"""

import subprocess
import sys

import pytest

DEEP = "src/main/java/com/example/shop/infrastructure/persistence/CartRepositoryImplementationTest.java"

GLOBS = {
    "many folders and stars": ("**/" * 12 + "*?" * 6 + "*q", DEEP),
    "one long name": ("*a" * 12 + "*b", "a" * 200),
    "as long as may be": ("**/" + "*a" * 500 + "b", "a" * 1024),
    "sets": ("*[a-c]" * 100 + "*[!a]", "a" * 1024),
    "folders between": ("**/a/" * 200 + "b", "a/" * 500 + "a"),
    "stars in folders between": ("**/*a*/" * 140 + "b", "a/" * 500 + "a"),
    "all below": ("**/a/*/" * 100 + "b/**", "a/" * 500 + "a"),
    "only a folder": ("**/*a*a/" * 100, "aa/" * 340 + "a"),
}  # fmt: skip

MATCH = """
import sys
from scova.filters import path_passes
from scova.types import Filters
glob, path = sys.argv[1:]
print(path_passes(Filters(paths=(glob,)))(path), path_passes(Filters(paths=("x", glob), not_paths=(glob,)))(path))
"""
PARSE = """
import sys
from scova.search.asked.query import parse
print(parse(sys.argv[1]).shape)
"""


@pytest.mark.parametrize("name", GLOBS)
def test_a_glob_is_matched_or_not(name):
    assert answered(MATCH, *GLOBS[name]).split()[1] == "False"


@pytest.mark.parametrize("query", ["_" * 4000 + "/a", "aA" * 4000 + "/a", "a." * 4000 + "/a", "a_" * 4000 + "/a"])
def test_a_word_is_taken_for_a_name_or_not(query):
    assert answered(PARSE, query)


def answered(program, *words):
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
