"""Prose into pieces: by heading, then by paragraph, so that the pieces cover every line once.

A section is a heading with the text below it, up to the next heading of any level; it is known by the path of headings that
leads to it. Small sections join their sisters, a large one is cut between paragraphs; a fenced block or a table is cut only
when it is itself too large. What a heading looks like is known elsewhere (tiling/headings.py).
"""

import re
from collections.abc import Iterator, Sequence

from scova.parse.tiling.headings import Heading, fences, headings
from scova.parse.tiling.lines import Lines, Sizes, Weight, cuts, pieces
from scova.parse.tiling.piece import Piece, Role, merged
from scova.parse.tiling.weight import line_weight
from scova.types import Symbol

SEPARATOR = " > "

_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)]|\(?[a-z]\))\s")
_TABLE = re.compile(r"\s*[|+]")

# What it weighs to cut before a line: see Weight. A fence outweighs any size, a table nearly.
_IN_FENCE = 50.0
_IN_TABLE = 10.0
_IN_PARAGRAPH = 2.0
_BLANK = 1.5
_INDENTED = 1.0
_ITEM_START = 0.5
_AFTER_COLON = 0.5


def sections(lines: Lines, language: str) -> tuple[Symbol, ...]:
    """The sections of a text in order; each is a Symbol whose qualified name is the path of headings that leads to it."""
    found = list(headings(lines.rows, language))
    ends = [heading.line for heading in found[1:]] + [len(lines)] * bool(found)
    path: list[Heading] = []
    made: list[Symbol] = []
    for heading, end in zip(found, ends, strict=True):
        while path and path[-1].level >= heading.level:
            path.pop()
        parent = SEPARATOR.join(above.text for above in path)
        path.append(heading)
        qualified = SEPARATOR.join(above.text for above in path)
        made.append(Symbol(heading.text, qualified, "section", heading.line + 1, end, parent))
    return tuple(made)


def tile_prose(lines: Lines, found: Sequence[Symbol], *, sizes: Sizes) -> list[Piece]:
    """Pieces that cover all lines once, in order. `found` are the sections of these lines."""
    made: list[Piece] = []
    above: dict[str, Symbol] = {}
    first = found[0].start_line - 1 if found else len(lines)
    if first:
        made.extend(_pieces(lines, Piece(0, first, Role.COMMENT), sizes))
    for symbol in found:
        whole = Piece(symbol.start_line - 1, symbol.end_line, Role.COMMENT, symbol, above.get(symbol.parent))
        made.extend(_pieces(lines, whole, sizes))
        above[symbol.qualified] = symbol
    return merged(made, lines, sizes)


def _pieces(lines: Lines, whole: Piece, sizes: Sizes) -> Iterator[Piece]:
    """A section as one piece, or cut between its paragraphs."""
    size = lines.size(whole.start, whole.end)
    if size <= sizes.maximum:
        yield Piece(whole.start, whole.end, whole.role, whole.main, whole.owner, solid=size >= sizes.alone)
        return
    found = cuts(lines, whole.start, whole.end, sizes=sizes, weight=paragraph_weight(lines, whole.start, whole.end))
    for start, end in pieces(whole.start, whole.end, found):
        yield Piece(start, end, whole.role, whole.main, whole.owner, solid=True)


def paragraph_weight(lines: Lines, start: int, end: int) -> Weight:
    """How bad it is to cut prose before a line: nothing where a paragraph begins, most inside a fenced block."""
    rows = lines.rows
    fenced = {line for first, last in fences(rows, start, end) for line in range(first + 1, last)}
    in_code = line_weight(lines)

    def weight(line: int) -> float:
        row, above = rows[line], rows[line - 1]
        if line in fenced:
            return _IN_FENCE + in_code(line)
        if not row.strip():
            return _BLANK
        if _TABLE.match(row) and _TABLE.match(above):
            return _IN_TABLE
        if not above.strip():
            return (_INDENTED if row[0].isspace() else 0.0) + (_AFTER_COLON if _ends_with_colon(rows, line) else 0.0)
        if _ITEM.match(row):
            return _ITEM_START
        return _AFTER_COLON if line - 1 in fenced else _IN_PARAGRAPH

    return weight


def _ends_with_colon(rows: list[str], line: int) -> bool:
    """Whether the last line above that is not blank announces what follows."""
    return line > 1 and rows[line - 2].rstrip().endswith(":")
