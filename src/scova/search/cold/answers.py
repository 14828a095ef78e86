"""Answers to questions in words while the text index of a process is being made: from what an index beside the store holds of them.

The best results are nearly those of the text index, of one moment, alive, ranked by the same signals. What an answer cannot have is told
in its tiers (`text` and `symbols` are not complete, `sparse` is what was asked instead): literal occurrences are not counted, the
total is that of the candidates, and a demand (`+word`, a phrase) is looked for among these.
"""

from collections.abc import Callable
from dataclasses import replace as with_fields

from scova.chunks.chunkset import ChunkSet
from scova.chunks.manager import ChunkManager
from scova.errors import Overtaken, VectorsAway
from scova.protocols import WholeStore
from scova.record import replace
from scova.search.answer import answer, check
from scova.search.asked.query import parse
from scova.search.cold.pool import pooled
from scova.search.coordinator import SearchCoordinator
from scova.search.searchers.remote import RemoteSearcher
from scova.search.searchers.text import TextSearcher
from scova.search.view import Bases, View, Views
from scova.types import Answer, Literal, Mode, Query

MODES = frozenset((Mode.HYBRID, Mode.TEXT, Mode.VECTOR))
MOST_NEWER = 4096  # chunks that the index does not have yet, and that are read from the store instead

_TIERS = {"text": False, "symbols": False, "sparse": True}


class ColdViews(Views):
    """Views without derived files: in the place of the text index is what is newer than the index beside the store."""

    def bases(self) -> Bases:
        """What the index reflects; to be called before the ChunkSet is pinned."""
        assert self._vectors is not None
        return Bases(None, None, beside=self._applied(self._vectors))

    def open(self, chunk_set: ChunkSet, bases: Bases, before: View | None = None) -> View:
        """A View; VectorsAway where the index does not have nearly all that there is."""
        beside = bases.beside
        if isinstance(beside, VectorsAway):
            raise beside
        if not 0 < beside <= chunk_set.change_seq or len(chunk_set.since(beside)) > MOST_NEWER:
            raise VectorsAway("the vector index is too far behind the store to be asked alone", "ask again later")
        return super().open(chunk_set, bases, before)

    def _open_text(self, chunk_set: ChunkSet, bases: Bases) -> TextSearcher:
        assert isinstance(bases.beside, int)
        return TextSearcher.open(None, chunk_set.chunks(chunk_set.since(bases.beside)))

    def _open_vector(self, chunk_set: ChunkSet, bases: Bases, before: View | None) -> RemoteSearcher:
        """The same, which tells how many chunks the index does not hold: what has no vector there is not found by its words either."""
        found = super()._open_vector(chunk_set, bases, before)
        assert isinstance(found, RemoteSearcher)
        return with_fields(found, older=min(found.older, found.index.count()))


class ColdSearch:
    """Who is asked meanwhile."""

    def __init__(self, store: WholeStore, views: ColdViews) -> None:
        self.coordinator = SearchCoordinator(store, ChunkManager(store.reader), views)

    def search(self, query: Query) -> Answer | None:
        """The answer as of the newest committed change; None where the index cannot give one. QueryError as ever."""
        check(query)
        if not _can_answer(query):
            return None
        return self.ranked(lambda view: cold_answer(view, query))

    def ranked(self, question: Callable[[View], Answer]) -> Answer | None:
        """The same for any question that needs no words of the text index."""
        try:
            return self.coordinator.ranked(question)
        except (VectorsAway, Overtaken):
            return None


def cold_answer(view: View, query: Query) -> Answer:
    """The best results among what the index names, as of this View. Overtaken, VectorsAway."""
    vector = view.vector
    assert isinstance(vector, RemoteSearcher)
    words = vector.index.words
    assert words is not None
    found = answer(pooled(view, words, parse(query.text, query.filters), query), query)
    tiers = {**_TIERS, **found.freshness.tiers}
    return replace(found, literal=Literal("", 0, 0, {}), freshness=found.freshness._replace(tiers=tiers))


def _can_answer(query: Query) -> bool:
    """Whether the index has what a question of this kind needs: the beginning or the middle of a word is not in it."""
    if query.mode not in MODES:
        return False
    return not parse(query.text, query.filters).stars
