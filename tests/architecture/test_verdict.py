"""`make test` gives the same verdict twice: nothing is drawn at random, and no test passes or fails by the clock."""

import ast
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from order import shuffle
from stress import suite

TESTS = Path(__file__).parents[1]
FILES = sorted(path for path in TESTS.rglob("*.py") if not {"golden", "stress", "soak", ".venv"} & {*path.parts})

# Who asks a clock does not judge by it; each with its reason.
CLOCKS = {
    "until.py": "the deadline of a wait that would never end",
    "endpoint.py": "when calls came, for who looks into a failure",
    "pushed_server.py": "when requests came, in order",
    "crash/station.py": "the deadline of a process that would never end",
    "e2e/test_bad_input.py": "when to interrupt",
    "e2e/test_ui.py": "how long a question goes on before it is interrupted",
    "unit/build/test_pool.py": "a slow step of a consumer, which the test is about",
    "unit/jobs/test_engine.py": "the clock of another process, ahead of ours",
    "unit/sources/website.py": "when requests came, in order",
    "unit/sources/web/test_fetch.py": "when the gate is free next",
    "unit/sources/web/test_html.py": "work that grows with the square of a page takes minutes: counted in processor time",
    "unit/stores/test_postgres_connections.py": "a reader that was used long ago",
    "unit/parse/test_outline.py": "a deadline that is over",
    "crash/test_kill.py": "when to kill",
    "unit/sources/test_hostile_git.py": "files of git that would take minutes: counted in processor time",
    "unit/stores/test_genuine.py": "a forged store that would be asked for ever: counted in processor time",
    "unit/test_config.py": "settings that would be read for minutes: counted in processor time",
    "hostile/test_questions.py": "what a question costs, in processor time, beside a plain one; `make hostile` alone judges by it",
    "unit/index/test_threads.py": "a moment in the middle of something, whatever it is",
}
CLOCK = {f"{name}{unit}" for name in ("monotonic", "perf_counter", "process_time", "sleep") for unit in ("", "_ns")}
DRAWN = {"random", "randrange", "randint", "choice", "choices", "shuffle", "sample", "uniform", "randbytes", "seed"}


def names(path):
    return str(path.relative_to(TESTS))


def asks_the_clock(path):
    nodes = ast.walk(ast.parse(path.read_text()))
    return any(
        isinstance(node, ast.Attribute) and node.attr in CLOCK and ast.unparse(node.value) == "time" for node in nodes
    )


@pytest.mark.parametrize("path", FILES, ids=names)
def test_no_test_asks_the_clock_without_a_reason(path):
    if names(path) not in CLOCKS:
        assert not asks_the_clock(path), "wait by until(), count with clock.Clock, or measure in bench/"


def test_every_reason_is_still_one():
    assert [name for name in CLOCKS if not asks_the_clock(TESTS / name)] == []


@pytest.mark.parametrize("path", FILES, ids=names)
def test_nothing_is_drawn_without_a_seed(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner, name = ast.unparse(node.func.value), node.func.attr
            assert owner != "random" or name not in DRAWN, f"line {node.lineno}: draw from random.Random(seed)"
            assert (owner, name) != ("random", "Random") or node.args, f"line {node.lineno}: a seed is missing"
            assert name != "default_rng" or node.args, f"line {node.lineno}: a seed is missing"


@pytest.mark.parametrize("path", FILES, ids=names)
def test_properties_keep_to_the_profile(path):
    """A limit of its own would be one by the clock again, or other draws each time."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "settings":
            given = {word.arg for word in node.keywords} - {"max_examples", "phases"}
            assert not given, f"line {node.lineno}: {given} belong to the profile in conftest.py"


def test_the_profile_draws_the_same_each_time_and_asks_no_clock(request):
    drawn = request.config.getoption("--hypothesis-profile") == "drawn"
    profile = settings.default
    assert (profile.derandomize, profile.deadline, profile.database) == (not drawn, None, None)
    assert HealthCheck.too_slow in profile.suppress_health_check


@dataclass(frozen=True)
class Item:
    path: Path
    name: str


def test_another_order_is_the_same_for_the_same_seed_and_keeps_files_together():
    usual = [Item(Path(f"test_{file}.py"), name) for file in "abcd" for name in "12345"]
    once, again, other = [*usual], [*usual], [*usual]
    shuffle(once, "7")
    shuffle(other, "8")
    assert sorted(once, key=str) == sorted(usual, key=str) and once != usual != other != once
    assert sum(a.path != b.path for a, b in pairwise(once)) == 3
    shuffle(again, "7")
    assert again == once


def test_stress_tests_run_every_test_that_draws_and_every_name_they_list_is_there():
    drawing = {str(Path(path).relative_to(TESTS)) for path in suite.drawing()}
    assert drawing == {names(path) for path in FILES if path.name.startswith("test_") and path.parent.name != "architecture"
                       and {"hypothesis", "schemathesis"} & set(_imported(path))}  # fmt: skip
    assert [name for name in suite.RACING if not list(TESTS.glob(name))] == []


def _imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
