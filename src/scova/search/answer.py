"""One question, one View, one answer: read, find, fuse, rank, pack, count, judge.

The order of the steps is what this module is about; each step is a function of its own room. Nothing is remembered between
questions, and nothing but the View is asked, so an answer is of exactly one moment.
"""

import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from scova.errors import QueryError
from scova.search.asked import literal
from scova.search.asked.query import ParsedQuery, parse
from scova.search.demand import demanded, rows_with, texts
from scova.search.find import Finding
from scova.search.handle import place_of
from scova.search.judge import LOOKED_AT, judge
from scova.search.neighbours import neighbours
from scova.search.page import paged
from scova.search.ranking.rank import Ranked
from scova.search.ranking.weights import Weights
from scova.search.view import View
from scova.types import UNKNOWN_FRESHNESS, Answer, Freshness, Literal, Mode, Query, Result, Row

MOST_RESULTS = 1000

# No query ever builds an index or waits for one: what a derived index does not have yet is searched exactly.
NO_REBUILD = {"hnsw_rebuild_triggered": False, "hnsw_rebuild_ms": 0.0}


def answer(view: View, query: Query, *, weights: Weights | None = None) -> Answer:
    """The best results and exact counts, as of this View."""
    check(query)
    if query.mode is Mode.VECTOR and view.vector is None:
        raise QueryError(
            "there are no vectors to search", "set `embedder` to `static` and index again, or use another mode"
        )
    watch = _Watch()
    parsed = parse(query.text, query.filters)
    place = place_of(query.after)
    places = place.next(query.limit)
    allowed = demanded(view, parsed)
    watch.lap("filter")
    finding = Finding(view, parsed, allowed, max(max(places) + 2, LOOKED_AT))  # judged alike on every page
    ranked = finding.by_mode(query.mode, weights)
    watch.lap("find")
    places = [one for one in places if one < len(ranked)]
    results = dict(zip(places, _results(view, [ranked[one] for one in places]), strict=True))
    page = paged(results, place, len(ranked), query=query, beside=lambda found: neighbours(view, found))
    watch.lap("read")
    counted = _literal(view, parsed, allowed)
    certain = query.mode is Mode.SYMBOL or bool(counted.count)  # a search by name finds it or does not
    judgement = judge(finding, ranked, certain=certain)
    watch.lap("count")
    return Answer(
        results=page.shown,
        total=finding.total,
        truncated=page.truncated,
        next=page.next,
        literal=counted,
        skipped_files=0,
        freshness=_without_vectors()
        if finding.unembedded
        else UNKNOWN_FRESHNESS,  # whoever follows the store fills in the rest
        tokens=page.tokens,
        timings={**watch.laps, **NO_REBUILD},
        relevance=judgement.relevance,
        nothing_relevant=judgement.nothing,
        judged_by=judgement.shares,
        spelled=finding.spelled,
    )


def check(query: Query) -> None:
    """QueryError for a question that cannot be asked."""
    if not isinstance(query.text, str) or not isinstance(query.mode, Mode):
        raise QueryError("a query is a text and a mode", f"modes are: {', '.join(Mode)}")
    if not isinstance(query.limit, int) or not 1 <= query.limit <= MOST_RESULTS:
        raise QueryError(
            f"the limit is {query.limit}",
            f"ask for 1 to {MOST_RESULTS}, and for the rest with the handle that the answer ends with",
        )
    if query.budget is not None and query.budget < 1:
        raise QueryError(f"the budget is {query.budget}", "give a number of tokens above 0, or leave it out")


def _without_vectors() -> Freshness:
    return UNKNOWN_FRESHNESS._replace(tiers={"vectors": False})


def _results(view: View, ranked: Sequence[Ranked]) -> tuple[Result, ...]:
    chunks = {chunk.row: chunk for chunk in view.chunk_set.chunks([one.light.row for one in ranked])}
    return tuple(Result(chunks[one.light.row], one.score, one.shares) for one in ranked)


def _literal(view: View, parsed: ParsedQuery, allowed: AbstractSet[Row] | None) -> Literal:
    """Exact counts, when the question is something that can be counted."""
    wanted = literal.literal_of(parsed)
    if not wanted:
        return Literal("", 0, 0, {})
    rows = rows_with(view, literal.literal_terms(wanted), allowed)
    return literal.count(wanted, texts(view, rows))


class _Watch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(1000 * (now - self._last), 3)
        self._last = now
