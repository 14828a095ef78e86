"""Finds files that are read without a bound: `make check` runs it. Whatever is read whole goes through `core/small_files`.

A bare read of a path that somebody else made may never end (a pipe, a device), or fill the memory.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "scova"

# Every exception needs a reason here.
ALLOWED = {
    "core/small_files.py": "it is what bounds the others",
    "core/own_files.py": "opens, and reads nothing itself",
    "core/own_folder.py": "opens for writers, and reads nothing itself",
    "core/child_process.py": "reads the kernel's numbers of its own process",
    "core/worker_process.py": "reads the kernel's numbers of its own process",
    "chunks/exchange/stream.py": "reads exports piece by piece, of regular files only, without waiting",
    "chunks/exchange/turns.py": "opens a folder to lock it",
    "cli/jobs/worker.py": "writes a log",
    "cli/main.py": "reads its own command line from the kernel",
    "cli/render.py": "opens /dev/null to write to",
    "embed/onnx_folder.py": "reads the weights of a model that the user named, a piece at a time",
    "embed/static.py": "reads the model that is shipped",
    "parse/grammar.py": "reads the queries that are shipped",
    "evaluation/copying.py": "writes copies",
    "parse/grammar_check.py": "reads samples that are shipped",
    "install/text/block.py": "reads a text that is shipped",
    "search/asked/abbreviations.py": "reads a list that is shipped",
    "server/routes/page.py": "reads the page that is shipped",
    "projects/building/log.py": "writes a log",
    "sources/raw.py": "reads sources, regular files only, without waiting",
    "sources/reading.py": "reads sources within the limit for them, without waiting",
    "sources/trail.py": "opens a folder, to look at what is in it",
    "sources/web/fetch.py": "writes what is fetched",
    "stores/ann/write.py": "copies a file that it has just written itself",
    "stores/sqlite/schema.py": "opens a folder to lock it",
    "whole.py": "opens a folder to sync it",
}
_WHOLE = frozenset({"read_text", "read_bytes"})


def bare_reads(path: Path) -> Iterator[int]:
    """The lines on which a file is opened or read by other means than `core`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if (
            (isinstance(called, ast.Name) and called.id == "open")
            or (isinstance(called, ast.Attribute) and called.attr in _WHOLE)
            or (isinstance(called, ast.Attribute) and called.attr == "open" and _is_of_a_file(called.value, node))
        ):
            yield node.lineno


def _is_of_a_file(owner: ast.expr, call: ast.Call) -> bool:
    """Whether this `open` is that of `os`, or of a path: those of our own classes take no mode and begin with a capital."""
    if isinstance(owner, ast.Name) and owner.id in ("os", "io", "codecs", "gzip"):
        return True
    first = call.args[0] if call.args else None
    return (
        isinstance(first, ast.Constant)
        and isinstance(first.value, str)
        and bool(first.value)
        and set(first.value) <= set("rwabxt+")
    )


def findings() -> list[str]:
    """Every bare read in a file that has no reason for it, and every reason that nothing needs any more."""
    found, needed = [], set()
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        lines = list(bare_reads(path))
        if name in ALLOWED:
            needed.update({name} if lines else ())
        else:
            found += [
                f"{name}:{line}: a bare read: use scova.core.small_files or scova.core.own_files" for line in lines
            ]
    return found + [f"{name}: is allowed bare reads, and has none" for name in sorted(ALLOWED.keys() - needed)]


if __name__ == "__main__":
    sys.stderr.writelines(f"{line}\n" for line in findings())
    sys.exit(bool(findings()))
