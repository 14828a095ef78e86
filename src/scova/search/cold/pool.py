"""Candidates from an index beside the store, made into a View that the usual search can be asked of.

The index names chunks by words, by names and by meaning, in one request; the store says which are alive and has their texts. Of these,
and of what is newer than the index, a text index is made in memory: small, and exact for what is in it. Only how rare each word is has
to be known of the whole store, and is: the index says what one word alone is worth in a chunk, and its part of that is known from the
text. So scores are nearly those of the text index, and what ranks candidates need not know where they came from.

It refuses to rank, and to answer about what is not among the candidates: whatever is counted in such a View is counted there alone.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import exp
from typing import TYPE_CHECKING

from scova.errors import EmbedderError, VectorsAway
from scova.protocols.vectors import NO_FILTERS, Found, Heard, Near, Worded
from scova.record import replace
from scova.search.asked.evidence import compared_spellings
from scova.search.asked.query import ParsedQuery
from scova.search.demand import demanded
from scova.search.find import NAME_CANDIDATES, USUAL
from scova.search.handle import place_of
from scova.search.judge import LOOKED_AT
from scova.search.ranking.fuse import TEXT_CANDIDATES, VECTOR_CANDIDATES
from scova.search.searchers.deltas import Live
from scova.search.searchers.remote import FEW, MOST, RemoteSearcher, asked_first
from scova.search.searchers.text import EXACT, TextSearcher
from scova.search.searchers.vocabulary import Term, Vocabulary
from scova.search.view import View
from scova.stores.postings import Segment
from scova.stores.vectors.words import AVERAGE_LENGTH, weighed
from scova.types import Chunk, Filters, Mode, Query, Row, Vector

if TYPE_CHECKING:
    from scova.protocols.vectors import VectorIndex, Words

OVERSAMPLED = 2  # candidates by words for each that the ranking looks at: weights are not quite those of the text index
RESTRICTED = 4  # and so many times more where some of them may not be shown
ROUNDS = 8  # in which others take the place of candidates that hold what must not be there
PROBED = 128  # terms of a question, and of other spellings of it, whose rarity is looked up
_WITNESSES = 2  # chunks that tell how rare a term is: the first may be gone
_TOGETHER = 2  # questions before those
_HIGHEST = 50.0  # rarer than any term can be


class Remembering:
    """A vector index that is not asked the same twice within one question."""

    def __init__(self, index: "VectorIndex") -> None:
        self._index = index
        self._known: dict[tuple[object, ...], Found] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._index, name)

    def keep(self, near: Near, found: Found) -> None:
        """This is known already."""
        self._known[near.vector, near.limit, near.filters, None] = found

    def nearest(
        self, asked: Vector, count: int, *, filters: Filters = NO_FILTERS, among: Collection[Row] | None = None
    ) -> Found:
        """What the index says, or said."""
        key = (asked, count, filters, None if among is None else tuple(among))
        if key not in self._known:
            self._known[key] = self._index.nearest(asked, count, filters=filters, among=among)
        return self._known[key]


def pooled(view: View, words: "Words", parsed: ParsedQuery, query: Query) -> View:
    """The View with what the index names for a question in the place of the text index. Overtaken, VectorsAway."""
    vector = view.vector
    assert isinstance(vector, RemoteSearcher)
    vector, asked = _embedded(vector, parsed, query.mode)
    wanted = max(max(place_of(query.after).next(query.limit), default=0) + 2, LOOKED_AT)  # as for any answer
    limit = wanted if query.mode is Mode.VECTOR else VECTOR_CANDIDATES
    near = Near(asked, min(asked_first(limit), MOST), parsed.filters) if any(asked) else None
    allowed = view.chunk_set.select(parsed.filters) if parsed.filters else None
    questions = _questions(parsed, allowed, wanted)
    heard = words.ask(questions, near)
    vector.checked(Found(heard.nearest, heard.reflects))
    remembering = Remembering(vector.index)
    if near:
        remembering.keep(near, Found(heard.nearest, heard.reflects))
    vector = dataclasses.replace(vector, index=remembering)  # type: ignore[arg-type]  # it is asked as the index is
    rows = {row for found in heard.by_words for row in found}
    rows.update(hit.row for hit in vector.search_vector(asked, limit, allowed, parsed.filters))
    terms = [alone.terms[0] for alone in questions[_TOGETHER:]]
    for _ in range(ROUNDS):
        text = _over(view, view.chunk_set.chunks(sorted(rows)), terms, heard=heard)
        found = replace(view, text=text, vector=vector)
        if not parsed.must_not:
            return found
        # What must not be there is looked for among the candidates alone: who comes up in the place of such a one has to be one, too.
        others = vector.search_vector(asked, limit, demanded(found, parsed), parsed.filters)
        if rows.issuperset(hit.row for hit in others):
            return found
        rows.update(hit.row for hit in others)
    raise VectorsAway("nearly all that is near holds what must not be there", "ask again later")


def _embedded(vector: RemoteSearcher, parsed: ParsedQuery, mode: Mode) -> tuple[RemoteSearcher, Vector]:
    """The question's own vector, and the searcher that does not make it again; none for words alone, or where it cannot be made."""
    if mode is Mode.TEXT:
        return vector, b""
    try:
        asked = vector.embedding.of_query(parsed.text)
    except EmbedderError:  # whoever searches meets it too, and says so
        return vector, b""
    embedding = replace(vector.embedding, of_query=lambda text: asked)
    return dataclasses.replace(vector, newer=replace(vector.newer, embedding=embedding)), asked


def _questions(parsed: ParsedQuery, allowed: AbstractSet[Row] | None, wanted: int) -> list[Worded]:
    """What the index is asked for in words: all of them together, whole names, and then each alone, for how rare it is.

    Other spellings of them, too: whether one of these is looked for is known once its rarity is, and then who has it is a candidate.
    """
    count = max(OVERSAMPLED * TEXT_CANDIDATES, wanted)
    filters, among = parsed.filters, None
    if allowed is not None and len(allowed) <= FEW:
        filters, among = NO_FILTERS, sorted(allowed)
    elif allowed is not None or parsed.restricts:
        count *= RESTRICTED
    names = [EXACT + name for name in dict.fromkeys((*parsed.names, *parsed.compounds))]
    together = [
        Worded(parsed.terms, min(count, MOST), filters, among),
        Worded(names, NAME_CANDIDATES, filters, among),
    ]
    alone = {term: Worded((term,), _WITNESSES) for term in parsed.terms}
    for term, other in compared_spellings(parsed.content).items():
        usual = Worded((term,), TEXT_CANDIDATES, filters, among)
        alone.setdefault(term, usual if other.weight >= USUAL else Worded((term,), _WITNESSES))
    return together + list(alone.values())[:PROBED]


def _over(view: View, chunks: Sequence[Chunk], terms: Sequence[str], *, heard: Heard) -> TextSearcher:
    """These chunks, and those that are newer than the index, to be searched by words as rare as they are in the whole store."""
    newer = view.text
    fresh = tuple(chunk for chunk in chunks if not any(live.has(chunk.row) for live in newer.lives))
    lives = (*newer.lives, *([Live(Segment.of(fresh), chunks=fresh)] if fresh else []))
    here, by_row = Vocabulary.of(lives), {chunk.row: chunk for chunk in chunks}
    count = max(len(view.chunk_set), 1)
    known: dict[str, Term] = {}
    for term, found in zip(terms, heard.by_words[_TOGETHER:], strict=True):
        beside = _frequency(term, found, by_row, count=max(count - len(newer), 1))
        frequency = max(round(beside + newer.vocabulary.frequency(term)), here.frequency(term))
        known[term] = Term(min(frequency, count), here.term(term).postings)
    return TextSearcher(lives, Vocabulary(lives, count, AVERAGE_LENGTH, known), newer.bm25)


def _frequency(term: str, found: Mapping[Row, float], chunks: Mapping[Row, Chunk], *, count: int) -> float:
    """How many of `count` chunks have a term, from what it alone is worth in one whose text is known; 0 where none was found."""
    for row, score in found.items():
        weight = weighed(chunks[row]).get(term, 0.0) if row in chunks else 0.0
        if weight > 0.0:
            return min(max((count + 1.0) / exp(min(score / weight, _HIGHEST)) - 0.5, 1.0), count)
    return float(bool(found))
