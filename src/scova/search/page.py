"""One page of results: those that are shown, within a budget if there is one, and how to go on behind them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from scova.errors import QueryError
from scova.search.handle import Place, handle
from scova.search.pack import cost, pack
from scova.types import Query, Result

Beside = Callable[[Sequence[Result]], Sequence[Result]]  # what helps to understand some results


class Page(NamedTuple):
    """What is shown, and what is left."""

    shown: tuple[Result, ...]
    truncated: bool
    next: str  # the handle of the next page; empty at the end
    tokens: int


def paged(found: Mapping[int, Result], place: Place, count: int, *, query: Query, beside: Beside = tuple) -> Page:
    """The page of these results by their places, of `count` in all. QueryError when nothing fits into the budget."""
    shown = _packed(list(found.values()), query.budget, beside) if query.budget else tuple(found.values())
    rows = {result.chunk.row for result in shown}
    following = place.after([*found], {one for one, result in found.items() if result.chunk.row in rows})
    truncated = bool(following.left) or count > following.offset
    return Page(shown, truncated, handle(following) if truncated else "", sum(map(cost, shown)))


def _packed(found: Sequence[Result], budget: int, beside: Beside) -> tuple[Result, ...]:
    """What fits: results, whole ones first, then what is beside them."""
    packed = pack([*found, *beside(found)], budget)
    if found and not packed.results:
        least = min(map(cost, found))
        raise QueryError(f"nothing fits into {budget} tokens", f"the smallest result takes {least}: raise the budget")
    return packed.results
