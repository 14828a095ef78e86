"""Code into pieces: along its definitions, so that the pieces cover every line once.

A definition goes with the comments and attributes directly above it. One that is too large is cut at its members, or, where
it has none, at its lightest lines. What stands between definitions is told apart by its looks. Needs the symbols' line
ranges and the lines; knows no grammar.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from scova.parse.tiling.comments import Look, closes, looks, opens
from scova.parse.tiling.lines import Lines, Sizes, cuts, pieces
from scova.parse.tiling.piece import DATA, NAMESPACE, Piece, Role, merged, rank
from scova.parse.tiling.weight import LEADS, line_weight
from scova.types import Symbol

_DEEPEST = 40  # nesting beyond this is not written by people; such a piece is cut by lines


@dataclass(slots=True)
class _Node:
    """A symbol, its lines, and the symbols inside it."""

    symbol: Symbol
    start: int
    end: int
    rank: int
    inner: list["_Node"] = field(default_factory=list)
    rich: bool = False  # something inside says more than data

    @property
    def members(self) -> list["_Node"]:
        """The nodes at which this one may be cut: in a type or function, its functions and types; in a namespace, all."""
        return self.inner if self.rank == NAMESPACE else [node for node in self.inner if node.rank != DATA or node.rich]


@dataclass(slots=True)
class _Unit:
    """Lines that belong together: a definition with what leads to it, or a stretch between two."""

    start: int
    end: int
    role: Role
    node: _Node | None = None


def tile(lines: Lines, symbols: Sequence[Symbol], *, language: str, sizes: Sizes) -> list[Piece]:
    """Pieces that cover all lines once, in order."""
    tiler = _Tiler(lines, language, sizes)
    tiler.file(_tree(symbols, len(lines)))
    return merged(tiler.found, lines, sizes)


def _tree(symbols: Sequence[Symbol], count: int) -> list[_Node]:
    """Symbols nested by their lines; what has no line in this text is left out."""
    roots: list[_Node] = []
    path: list[_Node] = []
    for symbol in sorted(symbols, key=lambda symbol: (symbol.start_line, -symbol.end_line)):
        node = _Node(symbol, max(symbol.start_line - 1, 0), min(symbol.end_line, count), rank(symbol))
        if node.start >= node.end:
            continue
        while path and not (path[-1].start <= node.start and node.end <= path[-1].end):
            path.pop()
        (path[-1].inner if path else roots).append(node)
        if node.rank != DATA:
            _enrich(path)
        path.append(node)
    return roots


def _enrich(path: list[_Node]) -> None:
    for node in reversed(path):
        if node.rich:
            return
        node.rich = True


@dataclass(frozen=True, slots=True)
class _Tiler:
    lines: Lines
    language: str
    sizes: Sizes
    found: list[Piece] = field(default_factory=list)  # so far, before small ones are merged

    def file(self, nodes: list[_Node]) -> None:
        """Find the pieces of the whole text."""
        for unit in self._units(0, len(self.lines), nodes, around=None):
            self._pieces(unit, None, 0)

    def _pieces(self, unit: _Unit, owner: _Node | None, depth: int) -> None:
        size = self.lines.size(unit.start, unit.end)
        node = None if unit.node is owner else unit.node
        around = owner.symbol if owner else None
        if size <= self.sizes.maximum:
            solid = unit.role is Role.DEFINITION and size >= self.sizes.alone
            self.found.append(Piece(unit.start, unit.end, unit.role, _lead(node) if node else around, around, solid))
        elif node and depth < _DEEPEST and node.members:
            for part in self._units(unit.start, unit.end, node.members, around=node):
                self._pieces(part, node, depth + 1)
        else:
            found = cuts(self.lines, unit.start, unit.end, sizes=self.sizes, weight=line_weight(self.lines))
            for start, end in pieces(unit.start, unit.end, found):
                self.found.append(Piece(start, end, unit.role, node.symbol if node else around, around, solid=True))

    def _units(self, start: int, end: int, nodes: list[_Node], *, around: _Node | None) -> list[_Unit]:
        """Units that cover these lines. In a definition, the lines before its first member are its head."""
        inside = around is not None and around.rank != NAMESPACE
        units: list[_Unit] = []
        cursor = start
        for node in self._landmarks(nodes, margin=None if around else 0):
            if node.end <= cursor or node.start >= end:
                continue  # it shares its lines with another
            first = max(node.start, cursor)
            if around and not units:
                begin = self._leading(cursor, first)
                if begin > cursor:
                    units.append(_Unit(cursor, begin, Role.DEFINITION))
            else:
                begin = self._between(units, cursor, first, inside=inside)
            cursor = min(node.end, end)
            units.append(_Unit(begin, cursor, _role(node), node))
        self._after(units, cursor, end, inside=inside)
        return units

    def _landmarks(self, nodes: list[_Node], *, margin: int | None) -> Iterator[_Node]:
        """The nodes worth cutting at: a small definition further in than the margin is a detail of the statement around it.

        At file level the margin is 0; in a definition it is where its outermost members stand.
        """
        rows, sizes = self.lines.rows, self.sizes
        _separate(rows, nodes)
        indents = [len(rows[node.start]) - len(rows[node.start].lstrip()) for node in nodes]
        if margin is None:
            margin = min(indents, default=0)
        for node, indent in zip(nodes, indents, strict=True):
            if indent <= margin or node.rank == DATA or self.lines.size(node.start, node.end) >= sizes.alone:
                yield node

    def _leading(self, start: int, end: int) -> int:
        """Where the comments and attributes directly above line `end` begin, below the head of a definition."""
        return _attached(self.lines.rows, looks(self.lines.rows[start:end], self.language), start, openers=False)

    def _between(self, units: list[_Unit], start: int, end: int, *, inside: bool) -> int:
        """Deal out the lines between two nodes; returns where those that lead to the second begin."""
        start = self._close(units, start, end)
        if start == end:
            return start
        seen = looks(self.lines.rows[start:end], self.language)
        begin = _attached(self.lines.rows, seen, start, openers=True)
        units.extend(self._stretches(start, begin, seen, inside=inside))
        return begin

    def _after(self, units: list[_Unit], start: int, end: int, *, inside: bool) -> None:
        """Deal out the lines after the last node."""
        start = self._close(units, start, end)
        if start == end:
            return
        if units and self.lines.size(start, end) < self.sizes.minimum and inside:
            units[-1].end = end
            return
        units.extend(self._stretches(start, end, looks(self.lines.rows[start:end], self.language), inside=inside))

    def _close(self, units: list[_Unit], start: int, end: int) -> int:
        """Give closing and blank lines to the unit they follow; returns where the rest begins."""
        if not units:
            return start
        rows = self.lines.rows
        while start < end and (not rows[start].strip() or closes(rows[start])):
            start += 1
        units[-1].end = start
        return start

    def _stretches(self, start: int, end: int, seen: list[Look], *, inside: bool) -> Iterator[_Unit]:
        """Stretches of only comments, large enough to stand for themselves, and stretches of the rest."""
        if start == end:
            return
        if inside:
            yield _Unit(start, end, Role.DEFINITION)
            return
        rest = start
        for first, last in _comment_runs(seen[: end - start]):
            if (first, last) != (0, end - start) and not self._stands_alone(start + first, start + last):
                continue
            if start + first > rest:
                yield _Unit(rest, start + first, Role.CODE)
            yield _Unit(start + first, start + last, Role.COMMENT)
            rest = start + last
        if rest < end:
            yield _Unit(rest, end, Role.CODE)

    def _stands_alone(self, start: int, end: int) -> bool:
        """Whether comments say enough of their own; inside a statement they speak of what is around them."""
        return self.lines.size(start, end) >= self.sizes.minimum and not self.lines.rows[start][:1].isspace()


def _separate(rows: list[str], nodes: list[_Node]) -> None:
    """End each node before the next begins: some grammars let a definition reach to the first word of the next one."""
    for node, after in pairwise(nodes):
        if node.start < after.start < node.end:
            node.end = after.start
            while node.end > node.start + 1 and _leads(rows[node.end - 1].strip()):
                node.end -= 1


def _leads(body: str) -> bool:
    return not body or body.startswith(LEADS)


def _attached(rows: list[str], seen: list[Look], start: int, *, openers: bool) -> int:
    """Where the lines that belong to what follows the last of them begin."""
    position = len(seen)
    while position and (
        seen[position - 1] in (Look.COMMENT, Look.ATTRIBUTE)
        or (openers and seen[position - 1] is Look.CODE and opens(rows[start + position - 1]))
    ):
        position -= 1
    return start + position


def _comment_runs(seen: list[Look]) -> Iterator[tuple[int, int]]:
    """Runs of paragraphs of only comments, each with the blank lines after it."""
    run = paragraph = -1  # where the run and the paragraph began; -1 for none
    for i, look in enumerate(seen):
        if look is Look.BLANK:
            paragraph = -1
        elif look is Look.COMMENT:
            if paragraph < 0:
                paragraph = i
                run = i if run < 0 else run
        elif run >= 0:
            # Comments directly above code belong to it, and those below code in its paragraph too.
            end = paragraph if paragraph >= 0 else i
            if end > run:
                yield run, end
            run = -1
            paragraph = i
        elif paragraph < 0:
            paragraph = i
    if run >= 0:
        yield run, len(seen)


def _role(node: _Node) -> Role:
    return Role.DATA if node.rank == DATA and not node.rich else Role.DEFINITION


def _lead(node: _Node) -> Symbol:
    """Whom a whole node is named after: a namespace after the first thing in it that says more."""
    while node.rank == NAMESPACE and node.inner:
        node = min(node.inner, key=lambda inner: inner.rank == DATA)
    return node.symbol
