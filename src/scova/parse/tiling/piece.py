"""A piece: a span of lines on its way to becoming a chunk, and how small ones are put together.

Knows sizes, roles and to whom a piece belongs; neither text nor language.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from scova.parse.tiling.lines import Lines, Sizes
from scova.types import Symbol


class Role(StrEnum):
    """What a piece holds."""

    DEFINITION = "definition"
    DATA = "data"
    COMMENT = "comment"
    CODE = "code"  # statements and imports outside every definition


class Piece(NamedTuple):
    """Lines `start` to `end`, counted from 0, half open. A tuple, because thousands are made for each file."""

    start: int
    end: int
    role: Role
    main: Symbol | None = None  # whose piece it is
    owner: Symbol | None = None  # the definition around it
    solid: bool = False  # large enough, or cut from something larger: not to be merged without need


DEFINITION, SECTION, DATA, NAMESPACE = range(4)  # ranks: how much a symbol says of the lines it stands in, most first

_RANKS = {
    **dict.fromkeys(("constant", "variable", "field", "key", "property", "scope"), DATA),
    **dict.fromkeys(("module", "namespace", "package"), NAMESPACE),
    "section": SECTION,
}
_PLAIN_PROPERTY = 4  # lines; a longer property has code in it


def rank(symbol: Symbol | None) -> int:
    """The rank of a symbol; no symbol says as little as data."""
    if symbol is None:
        return DATA
    found = _RANKS.get(symbol.kind, DEFINITION)
    if found == DATA and symbol.kind == "property" and symbol.end_line - symbol.start_line >= _PLAIN_PROPERTY:
        return DEFINITION
    return found


def merged(found: Sequence[Piece], lines: Lines, sizes: Sizes) -> list[Piece]:
    """The same lines in fewer pieces: small neighbours joined up to the target, then tiny ones with whom they fit best."""
    return _join_tiny(_join_small(found, lines, sizes), lines, sizes)


def _join_small(found: Sequence[Piece], lines: Lines, sizes: Sizes) -> list[Piece]:
    offsets = lines.offsets
    joined: list[Piece] = []
    for piece in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and not (piece.solid or last.solid)
            and last.owner is piece.owner
            and last.role is piece.role
            and offsets[piece.end] - offsets[last.start] <= sizes.target
        ):
            # The first of the best rank leads, whatever the sizes: an id must not move because a body grew.
            main = last.main if rank(last.main) <= rank(piece.main) else piece.main
            joined[-1] = Piece(last.start, piece.end, last.role, main, last.owner)
        else:
            joined.append(piece)
    return joined


def _join_tiny(found: list[Piece], lines: Lines, sizes: Sizes) -> list[Piece]:
    joined: list[Piece] = []
    waiting = list(reversed(found))
    while waiting:
        piece = waiting.pop()
        if lines.size(piece.start, piece.end) >= sizes.minimum:
            joined.append(piece)
            continue
        before = _strangeness(piece, joined[-1] if joined else None, lines, sizes)
        after = _strangeness(piece, waiting[-1] if waiting else None, lines, sizes)
        if after is not None and (before is None or after < before):
            waiting.append(_union(piece, waiting.pop(), lines))
        elif before is not None:
            joined.append(_union(joined.pop(), piece, lines))
        else:
            joined.append(piece)
    return joined


def _strangeness(
    piece: Piece, neighbour: Piece | None, lines: Lines, sizes: Sizes
) -> tuple[bool, bool, bool, int] | None:
    """How little a tiny piece has to do with its neighbour; None where they may not be joined."""
    if neighbour is None:
        return None
    size = lines.size(min(piece.start, neighbour.start), max(piece.end, neighbour.end))
    if size > sizes.maximum:
        return None
    family = neighbour.owner is piece.owner or (piece.main is not None and neighbour.owner is piece.main)
    above = neighbour.start < piece.start
    comment_left_behind = piece.role is Role.COMMENT and above  # a comment speaks of what follows it
    return (not family, comment_left_behind, neighbour.role is not piece.role, size)


def _union(first: Piece, second: Piece, lines: Lines) -> Piece:
    """Both, named after the one that says more: a type before its members, then the better rank, then the larger."""
    smaller, larger = sorted((first, second), key=lambda piece: lines.size(piece.start, piece.end))
    lead = larger
    if rank(smaller.main) < rank(larger.main) or (rank(smaller.main) == DEFINITION and smaller.main is larger.owner):
        lead = smaller
    role = lead.role
    if role is Role.COMMENT:
        role = first.role if lead is second else second.role  # comments with anything else are no longer only comments
    owner = first.owner if first.owner is second.owner or first.main is second.owner else lead.owner
    return Piece(first.start, second.end, role, lead.main, owner, solid=larger.solid)
