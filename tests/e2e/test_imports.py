"""What one search loads: the command must start fast, so it loads no numpy, no parser, no process pool."""

import subprocess
import sys
from pathlib import Path

import pytest

from until import until_old


def loaded_by(*words: str) -> set[str]:
    script = "import sys; from scova.cli.main import main; main(sys.argv[1:]); print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


HEAVY = {
    "ast",
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "difflib",
    "inspect",
    "logging",
    "multiprocessing",
    "numpy",
    "rich",
    "shutil",
    "subprocess",
    "tempfile",
    "tomllib",
    "tree_sitter",
}
ELSEWHERE = {"scova.mcp", "scova.projects", "scova.protocols", "scova.push", "scova.server"}


@pytest.fixture
def indexed(project, scova):
    until_old(project)
    scova("index", project)
    return project


def test_a_search_on_a_built_index_stays_light(indexed):
    modules = loaded_by("search", "hash password", str(indexed))
    assert not modules & HEAVY
    assert not modules & ELSEWHERE - {"scova.protocols"}
    assert "scova.search.coordinator" in modules


def test_a_grep_on_a_built_index_loads_what_matches_lines_and_nothing_that_ranks(indexed):
    modules = loaded_by("grep", "--no-refresh", "password", str(indexed))
    ranking = {"scova.parse.language", "scova.search.coordinator", "scova.stores.matrix", "scova.stores.postings"}
    assert not modules & (HEAVY | ELSEWHERE | ranking)
    assert "scova.search.regex.grep" in modules


@pytest.mark.parametrize("words", [("def", "hash_password"), ("callers", "hash_password"), ("usages", "hash_password")])
def test_an_exact_question_on_a_built_index_stays_light(words, indexed):
    assert not loaded_by(*words, str(indexed)) & HEAVY


def test_importing_the_package_loads_nothing(project):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; before = set(sys.modules); import scova; print(*set(sys.modules) - before)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert {name for name in done.stdout.split() if name.startswith("scova")} == {"scova"}


def test_the_libraries_the_command_stands_on_are_declared():
    import tomllib

    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {
        requirement.split("=")[0].split(">")[0].split("<")[0].split("~")[0].replace("-", "_")
        for requirement in declared
    }
    assert {"numpy", "simsimd", "tree_sitter"} <= names
