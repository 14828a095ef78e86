"""One moment to search in: a ChunkSet and searchers that agree with it.

A View is built whole and never changes; following the store means making the next one. Derived files are opened before the
store is pinned, so that what they reflect is never newer than the pinned moment; what is newer than they are is
added from the ChunkSet, exactly. Where vectors lie in an index beside the store, it takes the place of the file, by the same rule.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from scova.chunks.chunkset import ChunkSet
from scova.errors import DerivedDamaged, VectorsAway
from scova.protocols import Embedder, VectorCache
from scova.record import field, record, replace
from scova.search.searchers.kernels import has_numpy
from scova.search.searchers.text import TextSearcher
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.stores.ann.graph import Graph
from scova.stores.derived import newest_graph, newest_matrix, newest_segment
from scova.stores.layout import Layout
from scova.stores.matrix import Matrix
from scova.stores.postings import Segment
from scova.types import Changes, Chunk, Light, Row, Vector

if TYPE_CHECKING:
    from logging import Logger

    from scova.protocols.vectors import VectorIndex
    from scova.search.searchers.remote import RemoteSearcher

AWAY_SECONDS = 5.0  # between looks for vectors that did not answer

Base = TypeVar("Base", Segment, Matrix)
Opened = TypeVar("Opened")


@record
class Bases:
    """The derived files a View rests on."""

    segment: Segment | None
    matrix: Matrix | None
    graph: Graph | None = None  # over some matrix of the same store
    beside: "int | VectorsAway" = (
        0  # the change that a vector index beside the store reflects, or why that is not known
    )

    @property
    def reflect(self) -> tuple[int, int]:
        """The changes they reflect. The graph does not count: with any of them, there is the same to be found."""
        beside = self.beside if isinstance(self.beside, int) else -1
        return (self.segment.applied_seq if self.segment else 0, self.matrix.applied_seq if self.matrix else beside)

    def reach(self, chunk_set: ChunkSet) -> bool:
        """Whether it is still known what died between these files and that moment."""
        try:
            for base in (self.segment, self.matrix):
                if base is not None:
                    chunk_set.removed(base.applied_seq)
        except DerivedDamaged:
            return False
        return True


@record
class View:
    """One moment. `behind` names searchers that could not follow, and why: they answer, but not about the newest."""

    chunk_set: ChunkSet
    text: TextSearcher
    vector: "VectorSearcher | RemoteSearcher | None"
    bases: Bases
    behind: Mapping[str, str] = field(default_factory=dict)

    @property
    def pending_embeddings(self) -> int:
        """Chunks that have no vector yet."""
        return 0 if self.vector is None else max(0, len(self.chunk_set) - len(self.vector))


class Views:
    """Makes Views of one index."""

    def __init__(
        self,
        layout: Layout,
        cache: VectorCache,
        embedder: Embedder | None,
        *,
        store_id: str,
        ann_from: int = 0,
        vectors: "VectorIndex | None" = None,
    ) -> None:
        """`ann_from` is how many vectors are searched through a graph where there is one; 0: it is left alone. With `vectors`, these
        are searched, and no files."""
        self._layout = layout
        self._meta = layout.collection_meta  # looked at with every question
        self._cache = cache
        self._embedder = embedder
        self._store_id = store_id
        self._ann_from = ann_from
        self._vectors = vectors
        self._is_away = False  # whether the vectors did not answer when they were last looked for
        self._graph: Graph | None = None  # the last one, which may have been checked already
        self._pays = False  # whether there are so many vectors that there may be one

    def bases(self) -> Bases:
        """The newest derived files; to be called before the ChunkSet is pinned."""
        if self._embedder and self._vectors is not None:
            return Bases(newest_segment(self._layout, self._store_id), None, beside=self._applied(self._vectors))
        matrix = newest_matrix(self._layout, self._embedder.model, self._store_id) if self._embedder else None
        return Bases(newest_segment(self._layout, self._store_id), matrix, self._newest_graph(matrix))

    def pulse(self) -> int:
        """A number that differs from the one before when there may be another graph, or when it is time to look for vectors that
        did not answer. Costs a stat, or nothing."""
        if self._is_away:
            return int(time.monotonic() // AWAY_SECONDS)
        if not self._pays or not has_numpy():
            return 0
        try:
            return self._meta.stat().st_mtime_ns
        except OSError:
            return 0

    def _applied(self, vectors: "VectorIndex") -> "int | VectorsAway":
        """The change that the vector index reflects, or why it does not say."""
        try:
            applied = vectors.applied_seq()
        except VectorsAway as error:
            self._is_away = True
            return error
        self._is_away = False
        return applied

    def _newest_graph(self, matrix: Matrix | None) -> Graph | None:
        """The graph, where there are enough vectors for it to pay, in a process that has numpy: one that asks once has not."""
        self._pays = matrix is not None and bool(self._ann_from) and len(matrix) >= self._ann_from // 2
        if matrix is None or not self._pays or not has_numpy():
            return None
        found = newest_graph(self._layout, matrix.model, self._store_id)
        if found is None or self._graph is None or self._graph.is_refused or not self._graph.is_same_file(found):
            self._graph = found
        return self._graph

    def open(self, chunk_set: ChunkSet, bases: Bases, before: View | None = None) -> View:
        """A View from nothing but what is on disk. A searcher that cannot be opened stays as it was in the View before, if any."""
        behind = _away(bases)

        def opened(name: str, anew: Callable[[], Opened], old: Opened) -> Opened:
            try:
                return anew()
            except Exception as error:
                if before is None:
                    raise
                _log().exception("searcher %s cannot be opened at change %d", name, chunk_set.change_seq)
                behind[name] = str(error) or type(error).__name__
                return old

        text = opened("text", lambda: self._open_text(chunk_set, bases), before and before.text)
        vector = opened("vector", lambda: self._open_vector(chunk_set, bases, before), before and before.vector)
        return View(chunk_set, text, vector, bases, behind)  # type: ignore[arg-type]  # there is a text, or it has raised

    def follow(self, view: View, chunk_set: ChunkSet, changes: Changes, graph: Graph | None = None) -> View:
        """The View after these changes, with this graph. A searcher that fails keeps its old state; the next reload opens it anew."""
        behind = _away(view.bases)

        def followed(name: str, old: Opened, following: Callable[[], Opened]) -> Opened:
            try:
                return following()
            except Exception as error:  # noqa: BLE001 - whatever one searcher meets, the others go on serving
                _log().exception("searcher %s cannot follow to change %d", name, chunk_set.change_seq)
                behind[name] = str(error) or type(error).__name__
                return old

        def text() -> TextSearcher:
            if "text" in view.behind:
                return self._open_text(chunk_set, view.bases)
            return view.text.update_incremental(changes.added, changes.updated, changes.deleted)

        def vector() -> "VectorSearcher | RemoteSearcher | None":
            if "vector" in view.behind or not isinstance(view.vector, VectorSearcher):
                return self._open_vector(chunk_set, view.bases, view)
            return view.vector.update_incremental(changes.added, changes.updated, changes.deleted)

        found = followed("vector", view.vector, vector)
        if isinstance(found, VectorSearcher):
            found = found.beside(graph)
        text_now = followed("text", view.text, text)
        return View(chunk_set, text_now, found, replace(view.bases, graph=graph), behind)

    def _open_text(self, chunk_set: ChunkSet, bases: Bases) -> TextSearcher:
        if bases.segment and bases.segment.store_id == chunk_set.store_id:
            try:
                dead = [row for row, _ in chunk_set.removed(bases.segment.applied_seq)]
                newer = chunk_set.chunks(chunk_set.since(bases.segment.applied_seq))
                return TextSearcher.open(bases.segment, newer, dead)
            except DerivedDamaged as error:
                _log().warning("text index not used: %s", error.message)
        return TextSearcher.open(None, chunk_set.all())

    def _open_vector(
        self, chunk_set: ChunkSet, bases: Bases, before: View | None
    ) -> "VectorSearcher | RemoteSearcher | None":
        if self._embedder is None:
            return None
        embedding = Embedding(self._embedder.width, self._embedder.embed_query, self.vectors_of, self._embedder.model)
        if self._vectors is not None:
            from scova.search.searchers.remote import RemoteSearcher

            known = before.vector if before and isinstance(before.vector, RemoteSearcher) else None
            return RemoteSearcher.open(embedding, self._vectors, chunk_set, bases.beside, before=known)
        if bases.matrix and bases.matrix.store_id == chunk_set.store_id:
            try:
                dead = [row for row, _ in chunk_set.removed(bases.matrix.applied_seq)]
                delta = self.vectors_of(chunk_set.lights(chunk_set.since(bases.matrix.applied_seq)))
                return VectorSearcher.open(embedding, bases.matrix, delta=delta, dead=dead, graph=bases.graph)
            except DerivedDamaged as error:
                _log().warning("vector index not used: %s", error.message)
        return VectorSearcher.open(embedding, None, delta=self.vectors_of(chunk_set.lights(chunk_set.since(0))))

    def sound(self, bases: Bases) -> Bases:
        """The same without files that are not as they were written. Reads all of them."""
        return replace(bases, segment=_if_sound(bases.segment), matrix=_if_sound(bases.matrix))

    def vectors_of(self, chunks: Sequence[Chunk | Light]) -> dict[Row, Vector]:
        """The vectors of these chunks that have been computed."""
        if self._embedder is None or not chunks:
            return {}
        keys = {chunk.row: chunk.embed_key for chunk in chunks}
        known = self._cache.get(self._embedder.model, list(keys.values()))
        return {row: known[key] for row, key in keys.items() if key in known}


def _away(bases: Bases) -> dict[str, str]:
    """Why the vectors beside the store cannot be asked, where they cannot."""
    return {"vector": bases.beside.message} if isinstance(bases.beside, VectorsAway) else {}


def _if_sound(base: Base | None) -> Base | None:
    try:
        if base is not None:
            base.verify()
    except DerivedDamaged as error:
        _log().warning("not used: %s", error.message)
        return None
    return base


def _log() -> "Logger":
    import logging  # only when there is something to say: it costs milliseconds on every search

    return logging.getLogger(__name__)
