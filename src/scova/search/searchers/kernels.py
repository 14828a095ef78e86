"""Adding up postings and choosing the best, twice: in plain Python and in numpy.

Responsible for both giving the same numbers to the last bit: the same operations on float64, in the same order. Which
one runs is a matter of cost alone. A process that answers one question must not pay for importing numpy (it costs more
than the question), and a server that has numpy should use it. It refuses to know terms and chunks: documents are
numbers, and what a term weighs is given.

A document's score is the sum over the terms, in the order given, of  weight * (count / (count + norm)),
with  norm = base + slope * length.  With base = slope = 0 it is the sum of the weights: plain coverage.
"""

import heapq
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol

from scova.record import record
from scova.types import Hit, Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_BLOCK = 64  # values whose extreme is looked at before they are looked at one by one
_FEW = 256  # postings below which plain Python is quicker even when numpy is there
_SPARSE = 16  # one match in so many documents is better listed first

Doc = int
Scored = tuple[Doc, float]


@record(eq=False)
class Weighted:
    """The postings of one term in one segment, and what the term weighs."""

    weight: float
    docs: memoryview  # uint32, ascending
    counts: memoryview  # uint8


@record(eq=False)
class Task:
    """One segment's share of a question."""

    lengths: memoryview  # uint32 per document of the segment
    postings: Sequence[Weighted]  # what adds to a score, in the order of summing
    required: Sequence[Sequence[memoryview]] = ()  # a document must be in one list of each group
    dead: AbstractSet[Doc] = frozenset()
    base: float = 0.0
    slope: float = 0.0


class Scores(Protocol):
    """The documents that match, with their scores."""

    def __len__(self) -> int: ...

    def docs(self) -> Collection[Doc]:
        """All of them."""
        ...

    def top(self, limit: int) -> list[Scored]:
        """The best `limit`, best first, and all that are as good as the last of them."""
        ...

    def of(self, docs: Sequence[Doc]) -> list[float]:
        """The scores of these documents; 0.0 for one that does not match."""
        ...


def scored(task: Task) -> Scores:
    """Every matching document of a segment with its score. What is required must be among the postings too."""
    work = sum(len(posting.docs) for posting in task.postings)
    return NumpyScores(task) if has_numpy() and work > _FEW else PythonScores(task)


def members(groups: Sequence[Sequence[memoryview]], size: int, dead: AbstractSet[Doc]) -> list[Doc]:
    """The live documents, of so many, that are in a list of each group, ascending. A group may have very many lists."""
    if has_numpy() and sum(len(docs) for group in groups for docs in group) > _FEW:
        import numpy as np

        kept = np.ones(size, bool)
        if dead:
            kept[np.fromiter(dead, np.int64, len(dead))] = False
        for group in groups:
            mine = np.zeros(size, bool)
            if group:
                mine[np.frombuffer(b"".join(group), np.uint32)] = True
            kept &= mine
        places: list[Doc] = kept.nonzero()[0].tolist()
        return places
    found: set[Doc] | None = None
    for group in groups:
        documents = chain.from_iterable(group)
        found = set(documents) if found is None else found.intersection(documents)
        if not found:
            break
    return sorted((found or set()) - dead)


def has_numpy() -> bool:
    """Whether numpy has already been paid for in this process."""
    return "numpy" in sys.modules


def best(scores: Scores, rows: memoryview, limit: int, allowed: AbstractSet[Row] | None) -> list[Hit]:
    """The best of one segment that may be shown, with all that are as good as the last. Looks as far down as it must."""
    if allowed is not None and len(allowed) * _SPARSE < len(scores):  # sooner than to look for them among the best
        return merged([_scored_rows(scores, rows, allowed)], limit)
    size = limit
    while True:
        hits = [Hit(Row(rows[doc]), score) for doc, score in scores.top(size)]
        if allowed is not None:
            hits = [hit for hit in hits if hit.row in allowed]
        if len(hits) >= limit or size >= len(scores):
            return hits
        size *= 8


def _scored_rows(scores: Scores, rows: memoryview, allowed: AbstractSet[Row]) -> list[Hit]:
    """Those of a few rows that match, best first."""
    places = sorted((bisect_left(rows, row), row) for row in allowed)
    docs = [doc for doc, row in places if doc < len(rows) and rows[doc] == row]
    found = [(doc, score) for doc, score in zip(docs, scores.of(docs), strict=True) if score > 0.0]
    return [Hit(Row(rows[doc]), score) for doc, score in best_first(found)]


def merged(parts: Iterable[Sequence[Hit]], limit: int) -> list[Hit]:
    """The best of all segments, each given best first: the first `limit`, and those after that are as good as the last of them."""
    found = [part for part in parts if part]
    hits = found[0] if len(found) == 1 else sorted(chain(*found), key=lambda hit: (-hit.score, hit.row))
    end = min(limit, len(hits)) if limit > 0 else 0
    while 0 < end < len(hits) and hits[end].score == hits[end - 1].score:
        end += 1
    return list(hits[:end])


class PythonScores:
    """Scores in a dictionary; touches matching documents only."""

    def __init__(self, task: Task) -> None:
        scores: dict[Doc, float] = {}
        lengths, base, slope = task.lengths, task.base, task.slope
        for posting in task.postings:
            weight = posting.weight
            for doc, count in zip(posting.docs, posting.counts, strict=True):
                gain = weight * (count / (count + (base + slope * lengths[doc])))
                scores[doc] = scores[doc] + gain if doc in scores else gain
        for group in task.required:
            members = set().union(*group)
            scores = {doc: score for doc, score in scores.items() if doc in members}
        for doc in task.dead if scores else ():
            scores.pop(doc, None)
        self._scores = scores

    def __len__(self) -> int:
        return len(self._scores)

    def docs(self) -> Collection[Doc]:
        return self._scores.keys()

    def top(self, limit: int) -> list[Scored]:
        if limit <= 0 or not self._scores:
            return []
        least = heapq.nlargest(limit, self._scores.values())[-1]
        return best_first(sorted((doc, score) for doc, score in self._scores.items() if score >= least))

    def of(self, docs: Sequence[Doc]) -> list[float]:
        return [self._scores.get(doc, 0.0) for doc in docs]


class NumpyScores:
    """Scores in an array over all documents of the segment; 0.0 is no match."""

    def __init__(self, task: Task) -> None:
        import numpy as np

        docs = np.frombuffer(b"".join([posting.docs for posting in task.postings]), np.uint32)
        counts = np.frombuffer(b"".join([posting.counts for posting in task.postings]), np.uint8).astype(float)
        weights = np.repeat([posting.weight for posting in task.postings], [len(p.docs) for p in task.postings])
        norms = np.frombuffer(task.lengths, np.uint32)[docs] * task.slope
        norms += task.base
        norms += counts
        counts /= norms
        counts *= weights
        scores = np.bincount(docs, weights=counts, minlength=len(task.lengths))  # adds up in the order given
        for group in task.required:
            member = np.zeros(len(scores), bool)
            for postings in group:
                member[np.frombuffer(postings, np.uint32)] = True
            scores[~member] = 0.0
        if task.dead:
            scores[np.fromiter(task.dead, np.int64, len(task.dead))] = 0.0
        self._scores = scores
        self._count = int(np.count_nonzero(scores))

    def __len__(self) -> int:
        return self._count

    def docs(self) -> Collection[Doc]:
        found: list[Doc] = self._scores.nonzero()[0].tolist()
        return found

    def top(self, limit: int) -> list[Scored]:
        if self._count * _SPARSE < len(self._scores):
            found = self._scores.nonzero()[0]
            best = found[largest(self._scores[found], limit)]
        else:
            best = largest(self._scores, min(limit, self._count))
        return best_first(zip(best.tolist(), self._scores[best].tolist(), strict=True))

    def of(self, docs: Sequence[Doc]) -> list[float]:
        found: list[float] = self._scores[docs].tolist() if docs else []
        return found


def best_first(ascending: Iterable[Scored]) -> list[Scored]:
    """Documents given in ascending order, by their scores; equals stay as they are."""
    return sorted(ascending, key=itemgetter(1), reverse=True)


def largest(values: "Array", limit: int) -> "Array":
    """Where the `limit` largest values are, and all that equal the last of them, ascending by place.

    The limit-th largest of the blocks' maxima is no more than the limit-th largest value: everything below it is out
    after one pass, and only the few that are left are partitioned.
    """
    import numpy as np

    if limit <= 0:
        return np.zeros(0, np.int64)
    blocks = len(values) // _BLOCK
    if blocks > limit:
        maxima = np.maximum.reduce(values[: blocks * _BLOCK].reshape(blocks, _BLOCK), axis=1)
        maxima.partition(blocks - limit)
        candidates: Array = (values >= maxima[blocks - limit]).nonzero()[0]
    else:
        candidates = np.arange(len(values))
    if len(candidates) > limit:
        left = values[candidates]
        candidates = candidates[left >= np.partition(left, len(left) - limit)[len(left) - limit]]
    return candidates


def smallest(values: "array[float]", limit: int) -> list[int]:
    """Where the `limit` smallest values are, and all that equal the last of them, ascending by place. Without numpy."""
    if limit <= 0 or not values:
        return []
    starts = range(0, len(values), _BLOCK)
    minima = [min(values[start : start + _BLOCK]) for start in starts]
    bound = heapq.nsmallest(limit, minima if len(minima) >= limit else values)[-1]
    places = [
        place
        for start, minimum in zip(starts, minima, strict=True)
        if minimum <= bound
        for place in range(start, min(start + _BLOCK, len(values)))
        if values[place] <= bound
    ]
    last = heapq.nsmallest(limit, map(values.__getitem__, places))[-1]
    return [place for place in places if values[place] <= last]


def overlap(docs: memoryview, dead: AbstractSet[Doc]) -> int:
    """How many of the ascending `docs` are dead."""
    if not dead or not docs:
        return 0
    if has_numpy() and min(len(dead), len(docs)) > _FEW // 8:
        import numpy as np

        have, wanted = np.frombuffer(docs, np.uint32), np.fromiter(dead, np.uint32, len(dead))
        return int((have[np.minimum(np.searchsorted(have, wanted), len(have) - 1)] == wanted).sum())
    if len(dead) * 16 > len(docs):
        return sum(map(dead.__contains__, docs))
    spots = ((doc, bisect_left(docs, doc)) for doc in dead)
    return sum(1 for doc, spot in spots if spot < len(docs) and docs[spot] == doc)
