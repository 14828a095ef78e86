"""What every term weighs, counted over the live documents of all segments.

Responsible for statistics being exact: what died is subtracted, what is newer is added. It refuses to score documents.
"""

from collections import Counter
from heapq import heappush, heappushpop
from math import log

from scova.record import field, record
from scova.search.searchers.deltas import Live
from scova.search.searchers.kernels import overlap

_REMEMBERED = 4096  # terms looked up and kept; a question asks for the same ones several times


@record(eq=False)
class Term:
    """One term, looked up."""

    frequency: int  # over live documents
    postings: tuple[tuple[memoryview, memoryview], ...]  # per segment: docs and counts


@record(eq=False)
class Vocabulary:
    """The terms of some segments. Remembers what it was asked; safe to share by threads."""

    lives: tuple[Live, ...]
    count: int  # live documents
    average_length: float
    _terms: dict[str, Term] = field(default_factory=dict)
    _rarities: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, lives: tuple[Live, ...]) -> "Vocabulary":
        count, length = sum(map(len, lives)), sum(live.total_length() for live in lives)
        return cls(lives, count, length / count if count and length else 1.0)

    def term(self, term: str) -> Term:
        """Where a term occurs, and in how many live documents."""
        found = self._terms.get(term)
        if found is None:
            postings = tuple(live.segment.postings(term) for live in self.lives)
            dead = sum(overlap(docs, live.dead) for live, (docs, _) in zip(self.lives, postings, strict=True))
            found = Term(sum(len(docs) for docs, _ in postings) - dead, postings)
            if len(self._terms) >= _REMEMBERED:
                self._terms.clear()
            self._terms[term] = found
        return found

    def frequency(self, term: str) -> int:
        """How many live chunks have a term."""
        return self.term(term).frequency

    def rarity_of(self, term: str) -> float:
        """The weight of a term."""
        found = self._rarities.get(term)
        if found is None:
            if len(self._rarities) >= _REMEMBERED:
                self._rarities.clear()
            found = self._rarities[term] = self.rarity(self.frequency(term))
        return found

    def rarity(self, frequency: int) -> float:
        """The weight of a term that so many documents have; always above zero."""
        return log(1.0 + (self.count - frequency + 0.5) / (frequency + 0.5))

    def expanded(self, pattern: str, limit: int) -> tuple[str, ...]:
        """The most frequent live terms that fit `pre*`, `*part*` or `pre*part*`; among equals the first in the alphabet."""
        before, _, part = pattern.removesuffix("*").partition("*")
        rough: Counter[str] = Counter()  # counts the dead too, so it is never too low
        for live in self.lives:
            fitting = live.segment.terms_with_prefix(before) if before else live.segment.terms_containing(part)
            if before and part:
                fitting = {term: count for term, count in fitting.items() if part in term[len(before) :]}
            rough.update(fitting)
        exact: list[tuple[int, str]] = []
        best: list[int] = []
        for term, most in sorted(rough.items(), key=lambda item: (-item[1], item[0])):
            if len(best) == limit and most < best[0]:
                break
            frequency = self.frequency(term)
            if frequency:
                exact.append((-frequency, term))
                (heappush if len(best) < limit else heappushpop)(best, frequency)
        return tuple(term for _, term in sorted(exact)[:limit])
