"""What every term weighs, counted over the live documents of all segments.

Responsible for statistics being exact: what died is subtracted, what is newer is added. It refuses to score documents.
"""

from collections import Counter
from collections.abc import Sequence
from heapq import heappush, heappushpop
from math import log

from scova.core.deadline import in_force
from scova.record import field, record
from scova.search.searchers.deltas import Live
from scova.search.searchers.fitting import body_terms, fitting, frequency_of, most_frequent, terms_of
from scova.search.searchers.kernels import overlap
from scova.stores.postings import Segment

COMMON, SHORT = 4096, 2  # words that are looked at first for a part of so many letters
_NUMBERS = 1 << 20  # of terms that fit a star, kept in all
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
    _fitting: dict[str, list[Sequence[int]]] = field(default_factory=dict)
    _common: list[list[tuple[int, str]]] = field(default_factory=list)

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

    def fitting(self, pattern: str) -> list[Sequence[int]]:
        """The numbers of the terms of each segment that fit `pre*`, `*part*` or `pre*part*`, those of the dead among them."""
        before, _, part = pattern.removesuffix("*").partition("*")
        found = self._fitting.get(pattern)
        if found is None:
            found = [fitting(live.segment, before, part) for live in self.lives]
            if not in_force().is_over():  # else it may not be all
                self._remember(pattern, found)
        return found

    def _remember(self, pattern: str, found: list[Sequence[int]]) -> None:
        """One question asks for the same pattern several times."""
        kept = (numbers for some in self._fitting.values() for numbers in some)
        if sum(len(numbers) for numbers in (*kept, *found) if not isinstance(numbers, range)) > _NUMBERS:
            self._fitting.clear()
        self._fitting[pattern] = found

    def expanded(self, pattern: str, limit: int) -> tuple[str, ...]:
        """The most frequent live terms that fit a pattern; among equals the first in the alphabet."""
        if not self.lives:
            return ()
        first = self.lives[0].segment
        if (short := _short_part(pattern)) and limit < COMMON:
            # It fits so many words that some of the most frequent ones are among them.
            common = self._common_terms(first)
            kept = [number for number, term in common if short in term]
            found = self._best_of(pattern, limit, kept, unseen=frequency_of(first, common[-1][0]) if common else 0)
            if found is not None:
                return found
        numbers, looked_at = self.fitting(pattern)[0], 4 * limit
        while True:
            kept = numbers if len(numbers) <= looked_at else most_frequent(first, looked_at, numbers)  # type: ignore[assignment]
            unseen = 0 if len(kept) == len(numbers) else frequency_of(first, kept[-1])
            if (found := self._best_of(pattern, limit, kept, unseen=unseen)) is not None:
                return found
            looked_at *= 4

    def _common_terms(self, segment: Segment) -> list[tuple[int, str]]:
        """The most frequent words of the first segment."""
        if not self._common:
            numbers = most_frequent(segment, COMMON, body_terms(segment))
            self._common.append(list(zip(numbers, terms_of(segment, numbers), strict=True)))
        return self._common[0]

    def _best_of(self, pattern: str, limit: int, kept: Sequence[int], *, unseen: int) -> tuple[str, ...] | None:
        """The most frequent of these terms of the first segment and of all others that fit; None where a term that is not looked at, and
        that at most `unseen` of the first segment have, may be among them."""
        rough: Counter[str] = Counter()  # counts the dead too, so it is never too low
        for live, numbers in zip(self.lives[1:], self._newer_fitting(pattern), strict=True):
            rough.update(_frequencies(live.segment, numbers))
        first = self.lives[0].segment
        newer = {number for term in rough if (number := first.find(term)) >= 0}
        rough.update(_frequencies(first, sorted(newer.union(kept))))
        ordered = sorted(rough.items(), key=lambda item: (-item[1], item[0]))
        if not any(live.dead for live in self.lives):  # then they are exact
            # Of the first segment, those that are not looked at come behind all that are as frequent.
            is_all = not unseen or (len(ordered) >= limit and ordered[limit - 1][1] >= unseen + len(self.lives) - 1)
            return tuple(term for term, _ in ordered[:limit]) if is_all else None
        exact: list[tuple[int, str]] = []
        best: list[int] = []
        for term, at_most in ordered:
            if len(best) == limit and at_most < best[0]:
                break
            frequency = self.frequency(term)
            if frequency:
                exact.append((-frequency, term))
                (heappush if len(best) < limit else heappushpop)(best, frequency)
        if unseen and (len(best) < limit or best[0] <= unseen):
            return None
        return tuple(term for _, term in sorted(exact)[:limit])

    def _newer_fitting(self, pattern: str) -> list[Sequence[int]]:
        """The numbers of the terms that fit, of all segments but the first."""
        before, _, part = pattern.removesuffix("*").partition("*")
        return [fitting(live.segment, before, part) for live in self.lives[1:]]


def _short_part(pattern: str) -> str:
    """The part that a pattern `*part*` asks for, where it is so short that very many words have it."""
    part = pattern.removeprefix("*").removesuffix("*")
    return part if pattern.startswith("*") and len(part) <= SHORT and "\n" not in part else ""


def _frequencies(segment: Segment, numbers: Sequence[int]) -> dict[str, int]:
    """How many documents of a segment, dead ones too, have these terms."""
    return dict(zip(terms_of(segment, numbers), (frequency_of(segment, number) for number in numbers), strict=True))
