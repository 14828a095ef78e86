"""Whatever scova writes for itself is made in one place (`core/own_folder.py`), which keeps it from other users."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src/scova"

# Who makes files in another way, and why.
OTHERS = {
    "core/own_folder.py": "the place itself",
    "whole.py": "files of other programs, and exports, have the mode that the user's umask gives",
    "chunks/exchange/outgoing.py": "the folder of an export is the user's",
    "install/files.py": "files of other programs keep their mode",
    "cli/render.py": "it opens the null device",
    "server/housing/folder.py": "a folder beside its place, which says its mode and must not be there yet",
}


def without_care(tree: ast.Module) -> list[int]:
    """The lines that make a folder or a file without saying for whom."""
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and _makes(node)]


def _makes(call: ast.Call) -> bool:
    named = {keyword.arg for keyword in call.keywords}
    if isinstance(call.func, ast.Attribute):
        name, mode = call.func.attr, call.args[:1]
    else:
        name, mode = getattr(call.func, "id", ""), call.args[1:2]
    if name in ("mkdir", "makedirs", "write_text", "write_bytes"):
        return True
    if name == "touch":
        return not call.args and isinstance(call.func, ast.Attribute)
    if name in ("mkdtemp", "mkstemp", "TemporaryDirectory", "TemporaryFile", "NamedTemporaryFile"):
        return "dir" not in named
    is_written = (
        mode
        and isinstance(mode[0], ast.Constant)
        and isinstance(mode[0].value, str)
        and set("wax") & set(mode[0].value)
    )
    return name == "open" and bool(is_written) and "opener" not in named


def test_files_of_our_own_are_made_in_one_place():
    found = {str(path.relative_to(SOURCE)): without_care(ast.parse(path.read_text())) for path in SOURCE.rglob("*.py")}
    assert {name: lines for name, lines in found.items() if lines and name not in OTHERS} == {}


def test_the_check_finds_what_it_looks_for():
    bad = "folder.mkdir()\nopen(path, 'wb')\npath.open('a')\npath.write_text('x')\npath.touch()\ntempfile.TemporaryDirectory()\n"
    good = "own_folder.make(folder)\nopen(path, 'wb', opener=own_folder.opener)\npath.open('rb')\nTemporaryDirectory(dir=cache)\n"
    assert without_care(ast.parse(bad)) == [1, 2, 3, 4, 5, 6]
    assert without_care(ast.parse(good)) == []


def test_every_exception_is_one():
    for name in OTHERS:
        assert without_care(ast.parse((SOURCE / name).read_text())), name
