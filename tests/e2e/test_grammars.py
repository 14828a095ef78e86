"""A grammar that changed under our feet is told by every command that a person would ask, and the rest goes on."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scova as package

SWIFT = "public typealias Foo = Int\n\nfunc bar() -> Foo { return 1 }\n"
COMMAND = "import sys; from scova.cli.main import main; sys.exit(main())"


@pytest.fixture
def swift(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.swift").write_text(SWIFT)
    (folder / "b.py").write_text("def other():\n    return 1\n")
    return folder


@pytest.fixture
def renamed(tmp_path):
    """scova with a query that names a node as a newer grammar would call it."""
    place = tmp_path / "changed"
    shutil.copytree(Path(package.__file__).parent, place / "scova", ignore=shutil.ignore_patterns("__pycache__"))
    query = place / "scova/parse/queries/swift.scm"
    query.write_text(query.read_text().replace("typealias_declaration", "type_alias_declaration"))
    return place


@pytest.fixture
def another_grammar(tmp_path):
    """A wheel of the right name that holds another grammar."""
    place = tmp_path / "wheel"
    (place / "tree_sitter_swift").mkdir(parents=True)
    (place / "tree_sitter_swift/__init__.py").write_text("from tree_sitter_kotlin import language\n")
    return place


def command(place, *words):
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("change", ["renamed", "another_grammar"])
def test_a_wrong_grammar_is_told_by_doctor_index_and_status(change, request, swift):
    place = request.getfixturevalue(change)
    doctor = command(place, "doctor", swift)
    assert doctor.returncode == 3
    line = next(line for line in doctor.stdout.splitlines() if "swift: " in line)
    assert line.startswith("fail") and "gives less than it must" in line
    indexed = command(place, "index", swift)
    assert "swift: tree-sitter-swift" in indexed.stdout + indexed.stderr
    status = command(place, "status", swift)
    assert "grammar   swift: tree-sitter-swift" in status.stdout
    faults = json.loads(command(place, "status", "--json", swift).stdout)["grammar_faults"]
    assert list(faults) == ["swift"]
    assert command(place, "def", "other", swift).returncode == 0


def test_status_tells_of_a_grammar_that_changed_after_the_index_was_made(renamed, swift, scova):
    scova("index", swift)
    assert "grammar   swift: tree-sitter-swift" in command(renamed, "status", swift).stdout


def test_definitions_that_the_grammar_still_gives_stay(renamed, swift):
    assert command(renamed, "def", "Foo", swift).returncode == 1
    assert "a.swift:3" in command(renamed, "def", "bar", swift).stdout


def test_once_the_grammar_is_right_again_force_mends_the_index(renamed, swift, scova):
    command(renamed, "index", swift)
    scova("index", "--force", swift)
    assert json.loads(scova("status", "--json", swift).out)["grammar_faults"] == {}
    assert "a.swift:1" in scova("def", "Foo", swift).out
