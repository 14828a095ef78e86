"""Where is it defined? By name, by the beginning of one, or by a place inside of it.

Responsible for which definitions answer, and in which order. It refuses to know how names are resolved.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

from scova.answers import Definition, Definitions
from scova.core.deadline import in_force
from scova.counted import counted
from scova.errors import QueryError
from scova.filters import path_passes
from scova.parse.tags import tags_of
from scova.record import field, record
from scova.search.structure import asked
from scova.search.structure.code import Code, SourceFile, best_first
from scova.search.structure.nearest import nearest, nearest_paths
from scova.types import Filters, Skip

MOST = 1000
Skips = Callable[[], Sequence[Skip]]


@record
class Request:
    """What is asked for: a name or a place, and how much of the answer is wanted."""

    name: str = ""
    at: str = ""  # FILE:LINE
    filters: Filters = field(default_factory=Filters)
    body: bool = False
    limit: int = 50


def definitions(code: Code, request: Request, skips: Skips = tuple) -> Definitions:
    """The definitions asked for, best first; when there are none, the nearest names."""
    check_limit(request.limit)
    if request.at and request.name:
        raise QueryError("both a name and a place were given", "give one of them")
    wanted = asked.at(request.at) if request.at else asked.read(request.name, code.languages.__contains__)
    found = list(filter(passes(code, request.filters), find(code, wanted, skips)))
    shown = found[: request.limit]
    if request.body:
        shown = list(_with_bodies(code, shown))
    return Definitions(
        definitions=tuple(shown),
        total=len(found),
        truncated=len(found) > len(shown),
        suggestions=() if found else suggestions(code, wanted),
    )


def _with_bodies(code: Code, definitions: Iterable[Definition]) -> Iterator[Definition]:
    """These definitions with their source; without it those that are left at the deadline."""
    deadline = in_force()
    for number, one in enumerate(definitions):
        if deadline.is_over():
            deadline.cut(f"{counted(number, 'definition')} were given their source")
            yield one
        else:
            text = code.text(one.path, one.symbol.start_line, one.symbol.end_line)
            deadline.hold(len(text))
            yield one._replace(text=text)


def find(code: Code, wanted: asked.Asked, skips: Skips = tuple) -> list[Definition]:
    """Every definition of what was typed, best first."""
    if wanted.line:
        return _around(code, wanted, skips)
    found = code.named(wanted.name)
    if not found and wanted.is_prefix:
        found = _completed(code, _completions(code, wanted))
    if wanted.path:
        found = [one for one in found if one.path == wanted.path]
    return best_first(dict.fromkeys(found))


def _completed(code: Code, names: Sequence[str]) -> list[Definition]:
    """The definitions of these names; of those that can be looked up before the deadline."""
    deadline = in_force()
    found: list[Definition] = []
    for number, name in enumerate(names):
        if deadline.is_over():
            deadline.cut(f"{number:,} of {counted(len(names), 'name')} that begin so were looked up")
            break
        found += code.named(name)
    return found


def source(code: Code, path: str, skips: Skips = tuple) -> SourceFile:
    """A file of the index. QueryError, with the nearest paths or why it was left out, when there is none of that path."""
    found = code.file(path)
    if found is None:
        raise missing(code, path, skips)
    return found


def missing(code: Code, path: str, skips: Skips) -> QueryError:
    """What to say of a path that is not in the index."""
    skip = next((one for one in skips() if one.path == path), None)
    if skip:
        detail = f": {skip.detail}" if skip.detail else ""
        return QueryError(f"`{path}` is left out of the index ({skip.reason}{detail})", "see `scova status --skipped`")
    near = nearest_paths(path, list(code.languages))
    hint = (
        f"did you mean {', '.join(f'`{one}`' for one in near)}?"
        if near
        else "paths are relative to the project's folder"
    )
    return QueryError(f"`{path}` is not in the index", hint)


def suggestions(code: Code, wanted: asked.Asked) -> tuple[str, ...]:
    """Nearest names to what was not found: members of the class that was named, or any."""
    if wanted.line:
        file = code.file(wanted.path)
        return nearest_in(file, wanted.line) if file else ()
    if wanted.path:
        file = code.file(wanted.path)
        return nearest(wanted.last, [symbol.name for symbol in file.symbols]) if file else ()
    owner, _, last = wanted.name.rpartition(".")
    if owner and last:
        owners = code.named(owner)
        members = [
            symbol.name
            for one in owners
            if (file := code.file(one.path))
            for symbol in file.symbols
            if symbol.parent == one.symbol.qualified
        ]
        if near := nearest(last, members):
            return tuple(f"{owner}.{name}" for name in near)
        if not owners and (owners_near := nearest(owner.rpartition(".")[2], code.names, 2)):
            return (*owners_near, *nearest(last, code.names, 3))
        return (last,) if code.named(last) else nearest(last, code.names)
    return nearest(wanted.last, code.names)


def nearest_in(file: SourceFile, line: int) -> tuple[str, ...]:
    """Definitions next to a line that is in none."""
    ordered = sorted(file.symbols, key=lambda symbol: min(abs(symbol.start_line - line), abs(symbol.end_line - line)))
    return tuple(f"{file.path}:{symbol.start_line}" for symbol in ordered[:2])


def passes(code: Code, filters: Filters) -> Callable[[Definition], bool]:
    """A test for definitions: the same restrictions as for chunks."""
    path_test = path_passes(filters)

    def test(one: Definition) -> bool:
        return (
            (path_test is None or path_test(one.path))
            and (not filters.languages or one.language in filters.languages)
            and (not filters.kinds or one.symbol.kind in filters.kinds)
            and (not filters.tags or not set(filters.tags).isdisjoint(tags_of(one.path)))
            and (not filters.chunk_types or _is_in(code, one, filters))
        )

    return test


def check_limit(limit: int) -> None:
    """QueryError for a limit that makes no sense."""
    if not 1 <= limit <= MOST:
        raise QueryError(f"the limit is {limit}", f"ask for 1 to {MOST}")


def _is_in(code: Code, one: Definition, filters: Filters) -> bool:
    """Whether the chunk a definition begins in is of one of the types."""
    return any(
        chunk.chunk_type in filters.chunk_types
        for chunk in code.chunks_of(one.path)
        if chunk.start_line <= one.symbol.start_line <= chunk.end_line
    )


def _around(code: Code, wanted: asked.Asked, skips: Skips) -> list[Definition]:
    file = source(code, wanted.path, skips)
    if wanted.line > file.lines:
        raise QueryError(
            f"`{wanted.path}` has {counted(file.lines, 'line')}, not {wanted.line}",
            f"give a line from 1 to {file.lines}",
        )
    return [file.define(symbol) for symbol in file.enclosing(wanted.line)[:1]]


def _completions(code: Code, wanted: asked.Asked) -> list[str]:
    """Names that begin as asked, with the class that was named before them."""
    owner, _, start = wanted.name.rpartition(".")
    first = bisect_left(code.names, start)
    found: list[str] = []
    for name in code.names[first:]:
        if not name.startswith(start):
            break
        found.append(f"{owner}.{name}" if owner else name)
    return found
