"""Finding by meaning where the vectors lie in an index beside the store: it names candidates, which are compared here, exactly.

Responsible for one moment per question. The index moves on by itself, whoever applies a newer change to it. So what it names counts
only if it is alive at the moment of the question, which the store says; what came since the change that it reflected when it was
opened is compared from the embeddings; and an index that has been taken beyond the moment, or dropped, is told by the change that it
reflects after each answer: then rows may be gone from it that were there at this moment, and the question is asked anew, of a newer
one (Overtaken). No row is kept for the sake of readers, and none needs to be: the next moment is never older than what was applied.

Scores are those of vectors in local files, bit for bit. As there, filters are applied before anything is chosen. Among more than
some thousand equally near vectors, the index chooses which are seen.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from scova.errors import Overtaken, VectorsAway
from scova.search.searchers.kernels import merged
from scova.search.searchers.vector import Embedding, VectorSearcher, distances_to
from scova.types import Filters, Hit, Row, Vector

if TYPE_CHECKING:
    from scova.chunks.chunkset import ChunkSet
    from scova.protocols.vectors import Found, VectorIndex

FEW = 2000  # allowed rows that are named to the index one by one
FEWEST = 64  # candidates asked for …
OVERSAMPLED = 2  # … and for each that is wanted
MOST = 4096
MARGIN = 0.002  # an index may compare with less precision than is needed to tell near ones apart

_NONE = Filters()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A vector, how many are wanted, and what the index is told of those that may be shown."""

    vector: Vector
    limit: int
    filters: Filters = _NONE
    among: Sequence[Row] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RemoteSearcher:
    """Cosine similarity over one moment. Immutable; safe to share by threads."""

    index: "VectorIndex"
    moment: "ChunkSet"
    applied_seq: int  # reflected by the index when it was opened; 0: it is of no use, and not asked
    newer: VectorSearcher  # what came since
    older: int  # how many rows there are that did not
    away: VectorsAway | None = None  # why there is nothing to ask

    @classmethod
    def open(
        cls,
        embedding: Embedding,
        index: "VectorIndex",
        moment: "ChunkSet",
        applied: "int | VectorsAway",
        *,
        before: Self | None = None,
    ) -> Self:
        """The index as of a moment. `applied` is what it reflected before that was pinned; vectors that the searcher before has
        are not looked up again."""
        if isinstance(applied, VectorsAway):
            return cls(index, moment, 0, VectorSearcher.open(embedding, None), len(moment), applied)
        applied = (
            applied if applied <= moment.change_seq else 0
        )  # a store that was restored from a backup lies before it
        rows = moment.since(applied)
        known = {row: before.newer.delta[row] for row in rows if row in before.newer.delta} if before else {}
        missing = [row for row in rows if row not in known]
        delta = {**known, **embedding.of_chunks(moment.lights(missing))}
        return cls(index, moment, applied, VectorSearcher.open(embedding, None, delta=delta), len(moment) - len(rows))

    @property
    def name(self) -> str:
        return "vector"

    @property
    def embedding(self) -> Embedding:
        """How questions and chunks get their vectors."""
        return self.newer.embedding

    def __len__(self) -> int:
        return self.older + len(self.newer)

    def search(self, text: str, limit: int, allowed: AbstractSet[Row] | None = None) -> list[Hit]:
        """The chunks nearest to a question, best first; with all that are as near as the last."""
        return self.search_vector(self.embedding.of_query(text), limit, allowed)

    def search_vector(
        self, asked: Vector, limit: int, allowed: AbstractSet[Row] | None = None, filters: Filters | None = None
    ) -> list[Hit]:
        """The chunks nearest to a vector, best first; with all that are as near as the last. None for the zero vector.

        `filters` say in words what they can of `allowed`: the index then looks at nothing else.
        """
        if limit <= 0 or not any(asked):
            return []
        if self.away:
            raise VectorsAway(self.away.message, self.away.hint)
        parts = [self.newer.search_vector(asked, limit, allowed)]
        if self.applied_seq and self.older:
            parts.append(self._named(_Asked(asked, limit, filters or _NONE), allowed))
        return merged(parts, limit)

    def score_rows(self, asked: Vector, rows: Collection[Row]) -> dict[Row, float]:
        """The similarities of these rows; those without a live vector are left out."""
        if not any(asked):
            return {}
        return {hit.row: hit.score for hit in _compared(asked, self._vectors(rows))}

    def vector_of(self, row: Row) -> Vector | None:
        """The vector of a row; None when it has none yet."""
        return self._vectors([row]).get(row)

    def _vectors(self, rows: Collection[Row]) -> dict[Row, Vector]:
        """The vectors of those rows that are alive: from the embeddings, where nothing moves; from the index where these were lost."""
        found = {row: self.newer.delta[row] for row in rows if row in self.newer.delta}
        lights = self.moment.lights([row for row in rows if row not in found])
        found.update(self.embedding.of_chunks(lights))
        missing = [light.row for light in lights if light.row not in found]
        if missing and self.applied_seq:
            found.update(self.checked(self.index.vectors(missing)).vectors)
        return found

    def _named(self, asked: _Asked, allowed: AbstractSet[Row] | None) -> list[Hit]:
        """The best of what the index holds, best first."""
        if allowed is None:
            return self._growing(asked, None)[0]
        rows = [row for row in allowed if row not in self.newer.delta]
        if len(rows) > FEW:
            hits, are_all = self._growing(asked, allowed)
            if are_all and len(hits) >= min(asked.limit, len(rows)):
                return hits
        found: list[Hit] = []
        for start in range(0, len(rows), FEW):
            piece = _Asked(asked.vector, asked.limit, among=rows[start : start + FEW])
            found += self._growing(piece, allowed)[0]
        return sorted(found, key=_best_first)

    def _growing(self, asked: _Asked, allowed: AbstractSet[Row] | None) -> tuple[list[Hit], bool]:
        """The best that may be shown, and whether these must be all: asks for more while too few of what was named may be."""
        count = asked_first(asked.limit)
        while True:
            found = self.checked(self.index.nearest(asked.vector, count, filters=asked.filters, among=asked.among))
            hits = _compared(asked.vector, found.vectors)
            shown = self._shown(hits, allowed)
            if len(hits) < count:
                return shown, True
            # Where the farthest is nearly as near as the last that is wanted, there may be others as near as that.
            if len(shown) >= asked.limit and hits[-1].score + MARGIN < shown[asked.limit - 1].score:
                return shown, True
            if count >= MOST:
                return shown, False
            count = min(MOST, 4 * count)

    def _shown(self, hits: Sequence[Hit], allowed: AbstractSet[Row] | None) -> list[Hit]:
        """Those that are alive at the moment, may be shown, and are not compared already."""
        if allowed is None:
            allowed = {light.row for light in self.moment.lights([hit.row for hit in hits])}
        return [hit for hit in hits if hit.row in allowed and hit.row not in self.newer.delta]

    def checked(self, found: "Found") -> "Found":
        """The same, unless the index has moved on beyond the moment, or was dropped."""
        if self.applied_seq <= found.reflects <= self.moment.change_seq:
            return found
        raise Overtaken("the vector index moves on faster than questions are answered", "ask again")


def asked_first(limit: int) -> int:
    """How many candidates an index is asked for at first, when so many are wanted."""
    return max(FEWEST, OVERSAMPLED * limit)


def _compared(asked: Vector, vectors: Mapping[Row, Vector]) -> list[Hit]:
    """Rows with their similarities, best first."""
    if not vectors:
        return []
    distances = distances_to(asked, memoryview(b"".join(vectors.values())))
    hits: Iterable[Hit] = (Hit(row, 1.0 - distance) for row, distance in zip(vectors, distances, strict=True))
    return sorted(hits, key=_best_first)


def _best_first(hit: Hit) -> tuple[float, Row]:
    return -hit.score, hit.row
