"""Where Python code calls something by name, told by the standard library's `ast`: not by scova's parser.

Needs nothing but the standard library, so that it runs in the environment of either oracle.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LEFT_OUT = {".git", ".tox", ".venv", "node_modules", "__pycache__", "build", "dist"}


class CallSite(NamedTuple):
    """A call by name: where the name stands (line 1-based, column 0-based) and the range of the whole expression."""

    path: str
    line: int
    column: int
    name: str
    whole: tuple[int, int, int, int]  # first line, last line, first column, end column (in bytes), as in co_positions()


def python_files(root: Path) -> Iterator[str]:
    """Every Python file under a root, relative, sorted."""
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if not LEFT_OUT.intersection(relative.parts):
            yield relative.as_posix()


def call_sites(root: Path, path: str) -> list[CallSite]:
    """The calls of one file; a file that Python cannot parse has none. `f()()` calls nothing by name the second time."""
    try:
        tree = ast.parse((root / path).read_bytes())
    except (SyntaxError, ValueError):
        return []
    sites = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            named = node.func
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            sites += [
                _site(path, bare, bare) for bare in node.decorator_list if isinstance(bare, ast.Name | ast.Attribute)
            ]
            continue
        else:
            continue
        if isinstance(named, ast.Name | ast.Attribute):
            sites.append(_site(path, named, node))
    return sorted(sites)


def _site(path: str, named: ast.Name | ast.Attribute, node: ast.expr) -> CallSite:
    whole = (node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0)
    if isinstance(named, ast.Name):
        return CallSite(path, named.lineno, named.col_offset, named.id, whole)
    column = (named.end_col_offset or 0) - len(named.attr.encode())
    return CallSite(path, named.end_lineno or 0, column, named.attr, whole)


def definitions(root: Path, path: str) -> dict[str, int]:
    """Line of every function and class of a file by `__qualname__`; the last where a name is defined twice."""
    found: dict[str, int] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found[prefix + child.name] = child.lineno
                inner = prefix + child.name + ("." if isinstance(child, ast.ClassDef) else ".<locals>.")
            walk(child, inner)

    try:
        walk(ast.parse((root / path).read_bytes()), "")
    except (SyntaxError, ValueError):
        return {}
    return found
