"""What is in this file, or in every file of this folder? Definitions in the order of the text. Resolves nothing."""

from collections.abc import Sequence

from scova.answers import FileOutline, Outlines
from scova.core.deadline import in_force
from scova.counted import counted
from scova.errors import QueryError
from scova.filters import path_passes
from scova.record import field, record, replace
from scova.search.structure.code import Code, SourceFile
from scova.search.structure.define import Skips, missing, passes
from scova.types import Filters, Symbol

MOST_FILES = 500
MOST_DEFINITIONS = 5000


@record
class Request:
    """Which file or folder, and how much of it."""

    path: str = ""
    depth: int = 0  # levels of nesting; 0 for all
    filters: Filters = field(default_factory=Filters)
    files: int = MOST_FILES
    definitions: int = MOST_DEFINITIONS


def outlines(code: Code, request: Request, skips: Skips = tuple) -> Outlines:
    """The outline of a file or folder; of a folder, files that define nothing are counted and not listed."""
    if request.depth < 0:
        raise QueryError(f"the depth is {request.depth}", "give 1 for the outermost definitions, 0 for all")
    if request.files < 1 or request.definitions < 1:
        raise QueryError("nothing would be shown", "give limits of at least 1")
    path = request.path.strip().removeprefix("./").strip("/")
    paths = _paths(code, "" if path == "." else path, skips)
    path_test = path_passes(request.filters)
    paths = [one for one in paths if (path_test is None or path_test(one)) and _speaks(code, one, request.filters)]
    found: list[FileOutline] = []
    shown, is_cut = 0, False
    deadline = in_force()
    for number, one in enumerate(paths):
        if len(found) >= request.files or shown >= request.definitions:
            is_cut = True
            break
        if deadline.is_over():
            deadline.cut(f"{number:,} of {counted(len(paths), 'file')} were looked at")
            break
        file = code.file(one)
        outline = _outline(code, file, request) if file else None
        if outline is None or (not outline.definitions and len(paths) > 1):
            continue
        kept = outline.definitions[: request.definitions - shown]
        is_cut = is_cut or len(kept) < len(outline.definitions)
        shown += len(kept)
        found.append(replace(outline, definitions=kept))
    caps = {"files": request.files, "definitions": request.definitions}
    return Outlines(files=tuple(found), total=len(paths), truncated=is_cut, caps=caps)


def _paths(code: Code, path: str, skips: Skips) -> Sequence[str]:
    if path in code.languages:
        return [path]
    below = [one for one in code.languages if not path or one.startswith(f"{path}/")]
    if not below and path:
        raise missing(code, path, skips)
    return below


def _speaks(code: Code, path: str, filters: Filters) -> bool:
    return not filters.languages or code.languages[path] in filters.languages


def _outline(code: Code, file: SourceFile, request: Request) -> FileOutline:
    test = passes(code, request.filters)
    levels = _levels(file.symbols)
    definitions = [
        file.define(symbol)
        for symbol, level in zip(file.symbols, levels, strict=True)
        if not request.depth or level <= request.depth
    ]
    return FileOutline(file.path, file.language, file.lines, tuple(filter(test, definitions)))


def _levels(symbols: Sequence[Symbol]) -> list[int]:
    """How deep each definition is nested, from 1. A parent that is defined elsewhere counts as one level."""
    known: dict[str, int] = {}
    levels: list[int] = []
    for symbol in symbols:
        level = known.get(symbol.parent, 1) + 1 if symbol.parent else 1
        known.setdefault(symbol.qualified, level)
        levels.append(level)
    return levels
