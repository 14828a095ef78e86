"""Finding by words: BM25 over the text index, exact at every moment.

Responsible for scores being a function of the live chunks alone. Number of documents, average length and every term's
frequency are counted over what is alive: the base segment without its dead rows, and small segments in memory for what
is newer. Terms are added up in sorted order. So a refreshed index answers to the last bit as one built from nothing.
It refuses to know the query language, texts (phrases are verified by whoever has them), and paths: equal scores are
left in no promised order, all of them are returned even beyond the limit, and the caller orders them by path and line.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Self

from scova.core.deadline import in_force
from scova.record import field, record
from scova.search.searchers.deltas import Live, settled
from scova.search.searchers.fitting import documents_of, most_frequent
from scova.search.searchers.kernels import Scores, Task, Weighted, best, members, merged, scored
from scova.search.searchers.vocabulary import Vocabulary
from scova.stores.invert import EXACT, NAME
from scova.stores.postings import Segment
from scova.tokens import scored_terms, words
from scova.types import Chunk, Hit, Row

__all__ = ["EXACT", "NAME", "Bm25", "TextQuery", "TextSearcher"]

_EXPANSIONS = 4096  # terms a prefix or substring is scored by: the most frequent ones
_AT_ONCE = 64  # terms looked up between two looks at the deadline
MOST_WORDS = 65_536  # that a substring stands for where nothing is scored; a prefix stands for any number


@record
class Bm25:
    """The constants of the score.

    Above `common_from` documents, a term that more than `common_share` of them have is neither scored nor matched when
    the question has a rarer one: it would cost most of the time and hardly tell documents apart. Below, every term counts.
    """

    k1: float = 1.2
    b: float = 0.4  # long chunks are long because a definition is: less of a fault than in prose
    common_share: float = 0.25
    common_from: int = 50_000


@record
class TextQuery:
    """A question in pieces, all in lower case as the index holds them.

    With `required` pieces a chunk must have each of them, with `either` groups one of each, and the others only add to
    its score; without, it must have any of the others. In `required` and `either`, `pre*` is a prefix and `*part*` a
    substring: each stands for the 4096 most frequent terms that fit.
    """

    terms: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    either: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def any_of(cls, text: str) -> Self:
        """Plain words: whatever has one of them matches."""
        return cls(terms=tuple(dict.fromkeys(term for word in words(text) for term in scored_terms(word))))


@record
class _Plan:
    """A question against this index: what each term weighs, in the order of summing."""

    weights: tuple[tuple[str, float], ...]
    required: tuple[tuple[str, ...], ...] = ()
    saturated: bool = True  # counts and lengths matter; otherwise a term is there or not


@record(eq=False)
class TextSearcher:
    """BM25 over one moment. Immutable but for what it remembers of its own answers; safe to share by threads."""

    lives: tuple[Live, ...]
    vocabulary: Vocabulary
    bm25: Bm25
    _recent: dict[TextQuery, list[Scores]] = field(default_factory=dict)  # the last: it is run, counted, asked again

    @classmethod
    def open(
        cls, base: Segment | None, delta: Iterable[Chunk] = (), dead: Iterable[Row] = (), *, bm25: Bm25 | None = None
    ) -> Self:
        """The base segment, if there is one, brought up to date: chunks written since, and rows that died since."""
        empty = cls._over((Live(base),) if base else (), bm25 or Bm25())
        return empty.update_incremental(tuple(delta), (), [(row, "") for row in dead])

    @classmethod
    def _over(cls, lives: tuple[Live, ...], bm25: Bm25) -> Self:
        return cls(lives, Vocabulary.of(lives), bm25)

    @property
    def name(self) -> str:
        return "text"

    def __len__(self) -> int:
        return self.vocabulary.count

    def update_incremental(
        self, added: Sequence[Chunk], updated: Sequence[Chunk], deleted: Sequence[tuple[Row, str]]
    ) -> Self:
        """The searcher that knows these changes too. Costs what changed, not what is there."""
        gone = {row for row, _ in deleted}
        fresh = {chunk.row: chunk for chunk in (*added, *updated) if chunk.row not in gone}
        new = tuple(chunk for row, chunk in fresh.items() if not any(live.has(row) for live in self.lives))
        lives = [live.without(gone) for live in self.lives]
        if not new and all(a is b for a, b in zip(lives, self.lives, strict=True)):
            return self
        if new:
            lives.append(Live(Segment.of(new), chunks=new))
        return self._over(settled(lives), self.bm25)

    def search(self, text: str, limit: int, allowed: AbstractSet[Row] | None = None) -> list[Hit]:
        """The best chunks for plain words, best first; with all that are as good as the last."""
        return self.run(TextQuery.any_of(text), limit, allowed)

    def run(self, query: TextQuery, limit: int, allowed: AbstractSet[Row] | None = None) -> list[Hit]:
        """The best chunks for a question in pieces, best first; with all that are as good as the last."""
        return self._best(self._asked(query), limit, allowed)

    def matching(self, query: TextQuery, allowed: AbstractSet[Row] | None = None) -> list[Row]:
        """Every chunk that matches, in no promised order."""
        if query.required or query.either:
            rows = self._having([*((piece,) for piece in query.required), *query.either])
        else:
            found = zip(self.lives, self._asked(query), strict=False)  # no scores when nothing can match
            rows = [Row(live.segment.rows[doc]) for live, scores in found for doc in scores.docs()]
        return rows if allowed is None else [row for row in rows if row in allowed]

    def _having(self, groups: Sequence[Sequence[str]]) -> list[Row]:
        """Every chunk that has a piece of each group. What a piece with a star stands for is not scored, so it may be very many words."""
        rows: list[Row] = []
        for place, live in enumerate(self.lives):
            lists = [[docs for piece in group for docs in self._documents(piece, place)] for group in groups]
            docs = members(lists, len(live.segment), live.dead) if all(lists) else []
            rows += [Row(live.segment.rows[doc]) for doc in docs]
        return rows

    def _documents(self, piece: str, place: int) -> list[memoryview]:
        """The documents of a segment that have a piece, in lists that are not empty; of a piece with a star those with the words that
        are most frequent there, if it fits too many."""
        segment = self.lives[place].segment
        if not piece.endswith("*"):
            docs, _ = self.vocabulary.term(piece).postings[place]
            return [docs] if docs else []
        numbers = self.vocabulary.fitting(piece)[place]
        if not isinstance(numbers, range) and len(numbers) > MOST_WORDS:
            in_force().note(
                f"`{piece}` fits {len(numbers):,} words of this index, and the {MOST_WORDS:,} most frequent of them were looked for."
                " Write more of the word to have all."
            )
            numbers = most_frequent(segment, MOST_WORDS, numbers)
        return documents_of(segment, numbers)

    def total(self, query: TextQuery, allowed: AbstractSet[Row] | None = None) -> int:
        """How many chunks match at all. Costs little after `run` with the same query."""
        found = zip(self.lives, self._asked(query), strict=False)  # no scores when nothing can match
        if allowed is None:
            return sum(len(scores) for _, scores in found)
        return sum(live.segment.rows[doc] in allowed for live, scores in found for doc in scores.docs())

    def score_rows(self, query: TextQuery, rows: Collection[Row]) -> dict[Row, float]:
        """The scores of chunks that were found some other way; those that do not match are left out. Costs little after `run` with
        the same query."""
        found: dict[Row, float] = {}
        for live, mine in zip(self.lives, self._asked(query), strict=False):  # no scores when nothing can match
            docs = {doc: row for row in rows if (doc := live.segment.doc_of(row)) >= 0}
            found.update(
                (row, score) for row, score in zip(docs.values(), mine.of([*docs]), strict=True) if score > 0.0
            )
        return found

    def terms_of(self, rows: Sequence[Row], asked: Collection[str]) -> dict[Row, list[str]]:
        """Those of these terms that each of some chunks has."""
        found: dict[Row, list[str]] = {row: [] for row in rows}
        for place, live in enumerate(self.lives):
            here = [(doc, mine) for row, mine in found.items() if (doc := live.segment.doc_of(row)) >= 0]
            for term in asked if here else ():
                docs = self.vocabulary.term(term).postings[place][0]
                for doc, mine in here if docs else ():
                    if docs[bisect_left(docs, doc, hi=len(docs) - 1)] == doc:
                        mine.append(term)
        return found

    def stands_among(self, term: str, rows: AbstractSet[Row]) -> bool:
        """Whether one of these live chunks has a term."""
        found = zip(self.lives, self.vocabulary.term(term).postings, strict=True)
        return any(live.segment.rows[doc] in rows for live, (docs, _) in found for doc in docs)

    def field_search(
        self, mark: str, asked: Iterable[str], limit: int, allowed: AbstractSet[Row] | None = None
    ) -> list[Hit]:
        """The chunks whose names (NAME: their words, EXACT: whole) have most of the question, best first; with all that
        are as good as the last. A score is the share of the question that was found, 0 to 1, terms weighed by rarity."""
        return self._best(self._scores(self._coverage(mark, asked)), limit, allowed)

    def _plan(self, query: TextQuery) -> _Plan:
        """A question in pieces against this index."""
        groups = [[self._spelled(piece) for piece in pieces] for pieces in (*zip(query.required), *query.either)]
        required = tuple(tuple(chain(*group)) for group in groups)
        if not all(required):
            return _Plan(())
        weights = dict(self._rarer(query.terms))
        for spellings in chain(*groups):
            # Spellings of one thing weigh the same: as much as the most common of them, which comes first.
            for term in spellings:
                rarity = self.vocabulary.rarity_of(spellings[0])
                weights[term] = max(weights.get(term, 0.0), rarity)
        return _Plan(tuple(sorted(weights.items())), required)

    def _coverage(self, mark: str, asked: Iterable[str]) -> _Plan:
        """Shares of the question by rarity. A term is as common as it is in the field or in the bodies, whichever is more:
        words of plain speech are rare in names but tell nothing, and so do names that no body mentions."""
        known = self.vocabulary
        rarities = [
            (mark + term, known.rarity(max(known.frequency(term), known.frequency(mark + term))))
            for term in sorted(set(asked))
        ]
        whole = sum(rarity for _, rarity in rarities)
        return _Plan(tuple((term, rarity / whole) for term, rarity in rarities), saturated=False)

    def _rarer(self, asked: Iterable[str]) -> tuple[tuple[str, float], ...]:
        """The known terms with their weights, sorted, without those that are too common to matter."""
        known = list(self._looked_up(asked))
        if self.vocabulary.count > self.bm25.common_from:
            most = self.bm25.common_share * self.vocabulary.count
            known = [(term, frequency) for term, frequency in known if 0 < frequency <= most] or known
        return tuple((term, self.vocabulary.rarity_of(term)) for term, frequency in known if frequency)

    def _looked_up(self, asked: Iterable[str]) -> Iterator[tuple[str, int]]:
        """These terms in order, each with how many chunks have it; those that can be looked up before the deadline."""
        deadline, terms = in_force(), sorted(set(asked))
        for number, term in enumerate(terms):
            if not number % _AT_ONCE and deadline.is_over():
                deadline.cut(f"{number:,} of {len(terms):,} words were looked up")
                return
            yield term, self.vocabulary.frequency(term)

    def _spelled(self, piece: str) -> tuple[str, ...]:
        """The known terms a piece stands for, the most frequent first: itself, or what fits its star."""
        if piece.endswith("*"):
            return self.vocabulary.expanded(piece, _EXPANSIONS)
        return (piece,) if self.vocabulary.frequency(piece) else ()

    def _tasks(self, plan: _Plan) -> Iterator[Task]:
        """Each segment's share of the question."""
        gain, base, slope = 1.0, 0.0, 0.0
        if plan.saturated:
            k1, b = self.bm25.k1, self.bm25.b
            gain, base, slope = k1 + 1.0, k1 * (1.0 - b), k1 * b / self.vocabulary.average_length
        terms = {term: self.vocabulary.term(term).postings for term, _ in plan.weights}
        for place, live in enumerate(self.lives):
            mine = ((weight, *terms[term][place]) for term, weight in plan.weights)
            yield Task(
                live.segment.lengths,
                [Weighted(weight * gain, docs, counts) for weight, docs, counts in mine if docs],
                required=[[terms[term][place][0] for term in group] for group in plan.required],
                dead=live.dead,
                base=base,
                slope=slope,
            )

    def _asked(self, query: TextQuery) -> list[Scores]:
        found = self._recent.get(query)
        if found is None:
            found = self._scores(self._plan(query))
            if not in_force().is_over():  # else some words may not have been looked up
                self._recent.clear()
                self._recent[query] = found
        return found

    def _scores(self, plan: _Plan) -> list[Scores]:
        return [scored(task) for task in self._tasks(plan)] if plan.weights else []

    def _best(self, scores: list[Scores], limit: int, allowed: AbstractSet[Row] | None) -> list[Hit]:
        """One merge of every segment's best."""
        found = zip(self.lives, scores, strict=False)  # no scores when nothing can match
        return merged([best(mine, live.segment.rows, limit, allowed) for live, mine in found], limit)
