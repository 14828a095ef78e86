"""What is tested is what is installed: locks name every version and hash, agree with each other, and keep the bounds of the package."""

import os
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PACKAGE = tomllib.loads((ROOT / "pyproject.toml").read_text())
TESTED = ROOT / os.environ.get(
    "TEST_LOCK", "requirements/test.txt"
)  # `make test-newest` and `test-oldest` install others

_PINNED = re.compile(
    r"(?m)^([a-z0-9._-]+)(?:\[[^]]*\])?==([^ ;]+)(?: ; ([^\\\n]+))?((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$"
)


def pinned(lock):
    """Each requirement of a lock, with its hashes."""
    found = [
        (Requirement(f"{name}=={exact}" + (f" ; {marker}" if marker else "")), hashes.count("--hash"))
        for name, exact, marker, hashes in _PINNED.findall(lock.read_text())
    ]
    lines = [line for line in lock.read_text().splitlines() if line and line.lstrip()[0] not in "#-"]
    assert len(found) == len(lines), f"{lock.name} has lines that pin nothing"
    return found


def here(lock):
    """Name to version of what a lock installs on this machine."""
    return {
        requirement.name: next(iter(requirement.specifier)).version
        for requirement, _ in pinned(lock)
        if requirement.marker is None or requirement.marker.evaluate()
    }


def declared():
    """Every requirement in pyproject.toml but those of benchmarks: the package's, its extras' and those of development."""
    project = PACKAGE["project"]
    groups = PACKAGE["dependency-groups"]
    for texts in (project["dependencies"], *project["optional-dependencies"].values(), groups["build"], groups["dev"]):
        yield from map(Requirement, texts)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_requirement_has_an_exact_version_and_a_hash_and_no_address(lock):
    assert all(hashes for _, hashes in pinned(lock))
    assert not re.search(r"(?m)^\s*(--(extra-)?index-url|--find-links|-i)|://", lock.read_text())


def test_locks_agree_with_each_other():
    tested = here(ROOT / "requirements/test.txt")
    assert {path.name for path in LOCKS} == {"bench.txt", "image.txt", "run.txt", "test.txt"}
    for lock in LOCKS:
        others = here(lock)
        differ = {
            name: (others[name], tested[name]) for name in others.keys() & tested.keys() if others[name] != tested[name]
        }
        assert not differ, f"{lock.name}: {differ}: run `make lock`"


def test_what_is_declared_is_locked_within_its_bounds():
    tested = here(ROOT / "requirements/test.txt")
    for requirement in declared():
        assert tested[requirement.name] in requirement.specifier, f"{requirement}: run `make lock`"


def test_what_is_installed_is_what_is_locked():
    wrong = {name: version(name) for name, locked in here(TESTED).items() if version(name) != locked}
    assert not wrong, f"not as in {TESTED.name}: {wrong}"


def test_grammars_and_their_runtime_admit_only_tested_versions():
    found = [requirement for requirement in declared() if requirement.name.startswith("tree-sitter")]
    assert len(found) == 20
    for requirement in found:
        (bound,) = requirement.specifier
        assert bound.operator == "==" and not bound.version.endswith("*"), requirement
