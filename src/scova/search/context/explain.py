"""The smallest pack that explains a place or a symbol, never over its budget.

First what was asked for, whole; then each other piece in short, in the order of its worth; then, with what is left, the pieces
whole. So a definition is shown whole or by its signature, never cut in half, and one that is too large takes no
room from smaller ones.
"""

from collections.abc import Sequence

from scova.answers import Context, Definition, Part
from scova.errors import QueryError
from scova.record import record
from scova.search.context.pieces import DEFINITION, Piece, pieces_of, priced
from scova.search.structure import asked
from scova.search.structure.code import Code, code_of
from scova.search.structure.define import Skips, find, source, suggestions
from scova.search.view import View

LEAST, MOST = 50, 1_000_000
_AROUND = 10  # lines shown above and below a place that is in no definition


@record
class Request:
    """FILE:LINE or a name, and the tokens it may cost."""

    subject: str
    budget: int = 2000


def context(view: View, request: Request, skips: Skips = tuple) -> Context:
    """What explains the subject within the budget; when there is no such symbol, no parts and the nearest names."""
    if not LEAST <= request.budget <= MOST:
        raise QueryError(f"the budget is {request.budget} tokens", f"give a budget from {LEAST} to {MOST:,}")
    code = code_of(view.chunk_set)
    wanted = asked.read(request.subject, code.languages.__contains__)
    found = find(code, wanted, skips)
    if not found and not wanted.line:
        return Context(request.subject, (), 0, request.budget, 0, suggestions(code, wanted))
    pieces = _pieces(view, code, wanted, found)
    parts = fitted(pieces, request.budget)
    if not parts:
        least = min(min(one.tokens for one in piece if one) for piece in pieces)
        raise QueryError(
            f"nothing fits into {request.budget} tokens", f"the smallest piece takes {least}: raise the budget"
        )
    name = found[0].symbol.qualified if found else wanted.text
    return Context(name, parts, sum(one.tokens for one in parts), request.budget, len(pieces) - len(parts))


def _pieces(view: View, code: Code, wanted: asked.Asked, found: Sequence[Definition]) -> list[Piece]:
    if found:
        return pieces_of(view, found[0], () if wanted.line else found[1:])
    file = source(code, wanted.path)
    first, last = max(1, wanted.line - _AROUND), min(file.lines, wanted.line + _AROUND)
    text = code.text(file.path, first, last)
    why = "around the place asked for, which is in no definition"
    return [Piece(priced(Part(DEFINITION, file.path, first, last, "", text, 0, why, True)))]


def fitted(pieces: Sequence[Piece], budget: int) -> tuple[Part, ...]:
    """What fits, in the order of the pieces."""
    chosen: dict[int, Part] = {}
    room = budget
    first = pieces[0].whole if pieces[0].whole.tokens <= budget else None
    for place, one in enumerate([first or pieces[0].short, *(piece.short for piece in pieces[1:])]):
        if one is not None and one.tokens <= room:
            chosen[place] = one
            room -= one.tokens
    for place, piece in enumerate(pieces):
        price = piece.whole.tokens - (chosen[place].tokens if place in chosen else 0)
        if price <= room and chosen.get(place) is not piece.whole:
            chosen[place] = piece.whole
            room -= price
    return tuple(chosen[place] for place in sorted(chosen))
