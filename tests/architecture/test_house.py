"""The house keeps its own rules: floors, sizes, and one place for printing."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "scova"
FILES = sorted(SOURCE.rglob("*.py"))

LINES_PER_FILE = 400
LINES_PER_FUNCTION = 60
METHODS_PER_CLASS = 20

# Every exception needs a reason here.
LONG_FILES = {
    "types.py": "everything that flows, in one readable place",
}


def test_floors_and_other_import_contracts_hold():
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_sizes_stay_readable(path):
    tree = ast.parse(path.read_text())
    name = str(path.relative_to(SOURCE))
    if name not in LONG_FILES:
        assert len(path.read_text().splitlines()) <= LINES_PER_FILE, f"{name} is too long: split it"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < LINES_PER_FUNCTION, f"{name}: {node.name} is too long"
        if isinstance(node, ast.ClassDef):
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
            methods = [
                n for n in methods if not any(isinstance(d, ast.Name) and d.id == "property" for d in n.decorator_list)
            ]
            assert len(methods) <= METHODS_PER_CLASS or name == "protocols.py", f"{name}: {node.name} does too much"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_what_it_is_responsible_for(path):
    assert ast.get_docstring(ast.parse(path.read_text())), f"{path.relative_to(SOURCE)} has no module docstring"


def test_no_file_names_a_machine_path_or_a_registry_host():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    bad = re.compile(r"/(?:home|work)/\w|/root/\.|(?:pypi|npmjs|debian)\.(?:org|com)/")
    for name in filter(None, tracked):
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".sh", "") and path.is_file() and path != Path(__file__):
            text = path.read_text(errors="replace")
            assert not bad.search(text), f"{name}: {bad.search(text).group()}"


def test_a_package_has_at_most_ten_modules():
    for folder in {path.parent for path in FILES}:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= 12, f"{folder.relative_to(ROOT)} has {len(modules)} modules"


def test_no_module_is_called_utils():
    assert not [path for path in FILES if path.stem in {"utils", "helpers", "common", "base", "misc"}]


def test_no_table_is_keyed_weakly():
    """A value that refers to its key, however far around, keeps it: nothing would ever go. What belongs to an object is kept on it."""
    found = [path for path in FILES if re.search(r"\bWeakKeyDictionary\b", path.read_text())]
    assert not found, [str(path.relative_to(SOURCE)) for path in found]
