"""Where is a name used? Definitions, calls, imports and every other mention, from the whole index.

The text index finds the chunks that may hold the name, their texts decide, line by line. A line counts once, as the strongest
of what it is. Resolves calls only when a qualified name is asked for.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from scova.answers import Definition, Usage, Usages
from scova.core.deadline import in_force
from scova.record import field, record
from scova.search.asked.literal import literal_terms
from scova.search.demand import rows_with, texts
from scova.search.structure import asked
from scova.search.structure.code import Code, code_of
from scova.search.structure.define import check_limit, find, passes, suggestions
from scova.search.structure.edges import Edges
from scova.search.view import View
from scova.types import ChunkType, Filters

DEFINITION, CALL, IMPORT, MENTION = "definition", "call", "import", "mention"
KINDS = (DEFINITION, CALL, IMPORT, MENTION)
_KEPT_USE = 400  # bytes that a use takes beside its line, about

Place = tuple[str, int]  # path and line


@record
class Request:
    """Which name, where, and how many uses are to be shown."""

    name: str
    filters: Filters = field(default_factory=Filters)
    limit: int = 200


def usages(view: View, request: Request) -> Usages:
    """Every use of a name: definitions first, then calls, imports, mentions, each by place."""
    check_limit(request.limit)
    code = code_of(view.chunk_set)
    wanted = asked.read(request.name, code.languages.__contains__)
    defined = [one for one in find(code, wanted) if passes(code, request.filters)(one)]
    name = defined[0].symbol.qualified if wanted.line and defined else wanted.name
    uses = _Uses(code, name, defined)
    found = uses.in_texts(view, request.filters)
    found += [
        use for use in uses.unwritten({(use.path, use.line) for use in found}) if _allowed(code, use, request.filters)
    ]
    found.sort(key=lambda use: (KINDS.index(use.how), use.path, use.line))
    counts = Counter(use.how for use in found)
    return Usages(
        name=name,
        usages=tuple(found[: request.limit]),
        counts={how: counts[how] for how in KINDS},
        truncated=len(found) > request.limit,
        suggestions=() if found else suggestions(code, wanted),
    )


def _allowed(code: Code, use: Usage, filters: Filters) -> bool:
    plain = Filters(paths=filters.paths, not_paths=filters.not_paths, languages=filters.languages, tags=filters.tags)
    file = code.file(use.path)
    return not filters.chunk_types and (
        not plain or (file is not None and bool(file.symbols) and passes(code, plain)(file.define(file.symbols[0])))
    )


class _Uses:
    """What is known of a name before its texts are read: where it is defined and called."""

    def __init__(self, code: Code, name: str, defined: Sequence[Definition]) -> None:
        self._deadline = in_force()
        self._code = code
        self._name = name
        self._last = name.rpartition(".")[2] or name
        self._qualified = self._last != name
        self._definitions: defaultdict[str, list[Definition]] = defaultdict(list)
        for one in defined:
            self._definitions[one.path].append(one)
        self._calls = {place: within for place, within in self._called(defined)}
        self._pattern = _pattern(name)
        self._lines: dict[tuple[str, int, str], int] = {}

    def _called(self, defined: Sequence[Definition]) -> Iterator[tuple[Place, str]]:
        if not self._qualified:
            for path, call in self._code.reader.calls(self._name):
                yield (path, call.line), call.caller
            return
        edges = Edges(self._code)
        for one in defined:
            for edge in edges.callers(one):
                for site in edge.sites:
                    yield (site.path, site.line), edge.name if edge.definition else ""

    def in_texts(self, view: View, filters: Filters) -> list[Usage]:
        """Uses on lines of texts that hold the name as a word."""
        # A qualified call is written with a receiver of another name, so its lines are found by the last component.
        terms = literal_terms(self._last if self._qualified else self._name)
        if not terms:
            return []
        allowed = view.chunk_set.select(filters) if filters else None
        found: dict[Place, Usage] = {}
        for chunk in texts(view, sorted(rows_with(view, terms, allowed))):
            if chunk.chunk_type is not ChunkType.SYMBOLS and self._last in chunk.text:
                for number, line in enumerate(chunk.text.split("\n"), chunk.start_line):
                    if self._last in line and (use := self._use(chunk.file_path, number, line)):
                        found[use.path, use.line] = use if use.within else use._replace(within=chunk.symbol)
                        if not self._goes_on(use):
                            return list(found.values())
        return list(found.values())

    def _goes_on(self, use: Usage) -> bool:
        """Whether there is time for more after this use."""
        self._deadline.hold(len(use.text) + _KEPT_USE)
        if self._deadline.is_over():
            self._deadline.cut("not every use was looked up")
            return False
        return True

    def unwritten(self, seen: set[Place]) -> Iterator[Usage]:
        """Definitions and calls whose line does not show the name."""
        defined = {(one.path, self._line(one)): one for ones in self._definitions.values() for one in ones}
        for (path, line), one in defined.items():
            if (path, line) not in seen:
                yield (use := Usage(DEFINITION, path, line, self._text(path, line), one.symbol.parent))
                if not self._goes_on(use):
                    return
        for (path, line), within in self._calls.items():
            if (path, line) not in seen and (path, line) not in defined:
                yield (use := Usage(CALL, path, line, self._text(path, line), within))
                if not self._goes_on(use):
                    return

    def _use(self, path: str, number: int, line: str) -> Usage | None:
        text = line.rstrip("\r")
        for one in self._definitions.get(path, ()):
            if number == self._line(one):
                return Usage(DEFINITION, path, number, text, one.symbol.parent)
        if (path, number) in self._calls:
            return Usage(CALL, path, number, text, self._calls[path, number])
        if self._pattern.search(line) is None:
            return None
        return Usage(
            IMPORT if self._is_import(path, number) else MENTION, path, number, text, self._within(path, number)
        )

    def _line(self, one: Definition) -> int:
        """The line a definition's name stands on: its first, or one of the next when modifiers come before it."""
        symbol = one.symbol
        if symbol.name not in symbol.signature:
            return symbol.start_line
        key = one.path, symbol.start_line, symbol.name
        if key not in self._lines:
            self._lines[key] = self._find_line(one)
        return self._lines[key]

    def _find_line(self, one: Definition) -> int:
        symbol = one.symbol
        last = min(symbol.end_line, symbol.start_line + 20)
        text = self._code.text(one.path, symbol.start_line, last)
        for number, line in enumerate(text.split("\n"), symbol.start_line):
            if _pattern(symbol.name).search(line):
                return number
        return symbol.start_line

    def _is_import(self, path: str, line: int) -> bool:
        file = self._code.file(path)
        return file is not None and any(one.how == IMPORT and one.line == line for one in file.bindings)

    def _within(self, path: str, line: int) -> str:
        file = self._code.file(path)
        around = file.enclosing(line) if file else ()
        return around[0].qualified if around else ""

    def _text(self, path: str, line: int) -> str:
        return self._code.text(path, line, line).rstrip("\r\n")


def _pattern(name: str) -> "re.Pattern[str]":
    """The name as a word; components joined as any language joins them."""
    joined = r"(?:\.|::|#|->|\\)".join(map(re.escape, name.split(".") if re.fullmatch(r"[\w.]+", name) else [name]))
    before = r"(?<!\w)" if re.match(r"\w", name) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", name) else ""
    return re.compile(before + joined + after)
