"""Finding by meaning: cosine similarity over all vectors of one moment.

Responsible for every live vector being compared, whether it lies in the mapped matrix or came since, and for filters
being applied before anything is chosen. Among very many vectors, where nothing is filtered, a graph names the candidates;
those, and all that the graph does not know, are compared exactly, so that a score is the same either way. It refuses to know
models (a question is embedded by the callable it was given) and paths: equal scores are left in no promised order, all of them
are returned even beyond the limit, and the caller orders them by path and line.

The same comparison (simsimd, int8) is used everywhere, so that a vector's score does not depend on where it lies.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Self

import simsimd

from scova.record import field, record, replace
from scova.search.searchers.kernels import Doc, Scored, best, best_first, has_numpy, largest, merged, smallest
from scova.search.searchers.near import FEWEST, MOST, OVERSAMPLED, Near, Prepared
from scova.stores.ann.graph import Graph
from scova.stores.matrix import Matrix
from scova.types import Chunk, Filters, Hit, Light, Row, Vector

_GATHER = 8  # when no more than one line in so many is allowed, those are collected instead of reading all


@record
class Embedding:
    """How a VectorSearcher gets vectors. `of_chunks` leaves out chunks that are not embedded yet."""

    width: int
    of_query: Callable[[str], Vector]
    of_chunks: Callable[[Sequence[Chunk | Light]], Mapping[Row, Vector]]
    model: str = ""  # whose vectors they are


@record(eq=False)
class VectorSearcher:
    """Cosine similarity over one moment. Immutable; safe to share by threads."""

    embedding: Embedding
    base: Matrix | None
    delta: Mapping[Row, Vector]  # ascending by row
    dead: frozenset[int]  # lines of the base
    delta_rows: memoryview
    delta_lines: bytes
    near: Near | None = None  # the graph beside the base
    _recent: dict[Vector, "_Distances"] = field(default_factory=dict)  # of the base, to the last question
    _dead_places: list[tuple[Prepared, frozenset[int]]] = field(default_factory=list)  # in what the graph does not know

    @classmethod
    def open(
        cls,
        embedding: Embedding,
        base: Matrix | None,
        *,
        delta: Mapping[Row, Vector] | None = None,
        dead: Iterable[Row] = (),
        graph: Graph | None = None,
    ) -> Self:
        """The base matrix, if there is one, brought up to date: vectors that came since, and rows that died since."""
        beside = Near(graph, base) if graph and base else None
        empty = cls(embedding, base, {}, frozenset(), memoryview(array("q")), b"", beside)
        return empty._changed(delta or {}, set(dead))

    @property
    def name(self) -> str:
        return "vector"

    def __len__(self) -> int:
        return len(self.delta) + (len(self.base) - len(self.dead) if self.base else 0)

    def update_incremental(
        self, added: Sequence[Chunk], updated: Sequence[Chunk], deleted: Sequence[tuple[Row, str]]
    ) -> Self:
        """The searcher that knows these changes too; chunks not embedded yet may be given again later."""
        gone = {row for row, _ in deleted}
        fresh = [chunk for chunk in (*added, *updated) if chunk.row not in gone and not self._has(chunk.row)]
        return self._changed(self.embedding.of_chunks(fresh) if fresh else {}, gone)

    def beside(self, graph: Graph | None) -> Self:
        """The same searcher with another graph."""
        if self.base is None or (self.near.graph if self.near else None) is graph:
            return self
        return replace(self, near=Near(graph, self.base, self.near) if graph else None, _dead_places=[])

    def search(self, text: str, limit: int, allowed: AbstractSet[Row] | None = None) -> list[Hit]:
        """The chunks nearest to a question, best first; with all that are as near as the last."""
        return self.search_vector(self.embedding.of_query(text), limit, allowed)

    def search_vector(
        self, asked: Vector, limit: int, allowed: AbstractSet[Row] | None = None, filters: Filters | None = None
    ) -> list[Hit]:
        """The chunks nearest to a vector, best first; with all that are as near as the last. None for the zero vector.

        `filters` say in words what they can of `allowed`, for an index elsewhere; here the rows say it all.
        """
        if limit <= 0 or not any(asked):
            return []
        if allowed is not None and len(allowed) * _GATHER <= len(self):
            scores = self.score_rows(asked, allowed)
            hits = [Hit(row, score) for row, score in scores.items()]
            return merged([[hit] for hit in hits], limit)
        parts = self._by_graph(asked, limit) if allowed is None else []
        if self.base and not parts:
            found = self._recent.get(asked) or _Distances(distances_to(asked, self.base.vectors), self.dead)
            self._recent.clear()
            self._recent[asked] = found
            parts.append(best(found, self.base.rows, limit, allowed))
        if self.delta:
            found = _Distances(distances_to(asked, memoryview(self.delta_lines)), frozenset())
            parts.append(best(found, self.delta_rows, limit, allowed))
        return merged(parts, limit)

    def score_rows(self, asked: Vector, rows: Collection[Row]) -> dict[Row, float]:
        """The similarities of these rows; those without a live vector are left out."""
        if not any(asked):
            return {}
        base, known = self.base, self._recent.get(asked)
        lines = {row: line for row in rows if base and (line := base.line_of(row)) >= 0 and line not in self.dead}
        vectors = {row: self.delta[row] for row in rows if row in self.delta}
        found: dict[Row, float] = {}
        if known is not None:
            found.update(zip(lines, known.of([*lines.values()]), strict=True))
        elif base:
            vectors.update((row, base.vector(line)) for row, line in lines.items())
        if vectors:
            distances = distances_to(asked, memoryview(b"".join(vectors.values())))
            found.update((row, 1.0 - distance) for row, distance in zip(vectors, distances, strict=True))
        return found

    def vector_of(self, row: Row) -> Vector | None:
        """The vector of a row; None when it has none here."""
        line = self.base.line_of(row) if self.base else -1
        return self.delta.get(row) or (self.base.vector(line) if self.base and line >= 0 else None)

    def _by_graph(self, asked: Vector, limit: int) -> list[list[Hit]]:
        """The best of the base by way of the graph; nothing when there is none that can be used, or it cannot be sure."""
        prepared = self.near.at_hand() if self.near and has_numpy() else None
        count = max(FEWEST, OVERSAMPLED * limit)
        while prepared and count <= MOST:
            lines = [line for line in prepared.candidates(asked, count).tolist() if line not in self.dead]
            hits = self._compared(asked, lines)
            # Where the farthest is as near as the last that is wanted, there may be more as near as it.
            if len(hits) > limit and hits[-1].score < hits[limit - 1].score:
                return [hits, self._unknown(asked, limit, prepared)]
            count *= 4  # many near ones are dead, or equally near
        return []

    def _compared(self, asked: Vector, lines: list[int]) -> list[Hit]:
        """These lines of the base, best first."""
        if not lines or self.base is None:
            return []
        import numpy as np

        vectors = np.frombuffer(self.base.vectors, np.int8).reshape(len(self.base), self.base.width)[lines]
        distances = distances_to(asked, memoryview(vectors.tobytes()))
        rows = self.base.rows
        hits = [Hit(Row(rows[line]), 1.0 - distance) for line, distance in zip(lines, distances, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.row))

    def _unknown(self, asked: Vector, limit: int, prepared: Prepared) -> list[Hit]:
        """The best of what the graph does not know."""
        if not len(prepared.rest):
            return []
        dead = next((places for known, places in self._dead_places if known is prepared), None)
        if dead is None:
            dead = prepared.dead_places(self.dead)
            self._dead_places[:] = [(prepared, dead)]
        found = _Distances(distances_to(asked, prepared.rest_vectors), dead)
        return best(found, prepared.rest_rows, limit, None)

    def _has(self, row: Row) -> bool:
        return row in self.delta or (self.base is not None and self.base.line_of(row) >= 0)

    def _changed(self, fresh: Mapping[Row, Vector], gone: AbstractSet[Row]) -> Self:
        dead = self.dead | ({self.base.line_of(row) for row in gone} - {-1} if self.base else frozenset())
        kept = {row: vector for row, vector in self.delta.items() if row not in gone}
        kept.update((row, vector) for row, vector in fresh.items() if row not in gone and not self._has(row))
        if dead == self.dead and kept.keys() == self.delta.keys():
            return self
        if any(len(vector) != self.embedding.width for vector in kept.values()):
            raise ValueError(f"vectors must have {self.embedding.width} components")
        delta = dict(sorted(kept.items()))
        rows = memoryview(array("q", delta))
        return replace(
            self,
            delta=delta,
            dead=dead,
            delta_rows=rows,
            delta_lines=b"".join(delta.values()),
            _recent={},
            _dead_places=[],
        )


def distances_to(asked: Vector, lines: memoryview) -> "array[float]":
    """The cosine distance of every line, as float64."""
    width = len(asked)
    question = memoryview(asked).cast("b", shape=[1, width])
    flat = lines.cast("B")
    found: Any = simsimd.cdist(question, flat.cast("b", shape=[len(flat) // width, width]), metric="cosine")
    distances = array("d")
    distances.frombytes(memoryview(found).cast("B"))
    return distances


class _Distances:
    """Lines by nearness, without the dead."""

    def __init__(self, distances: "array[float]", dead: AbstractSet[Doc]) -> None:
        self._distances = distances
        self._count = len(distances) - len(dead)
        for line in dead:
            distances[line] = float("inf")

    def __len__(self) -> int:
        return self._count

    def docs(self) -> Collection[Doc]:
        return [line for line, distance in enumerate(self._distances) if distance != float("inf")]

    def top(self, limit: int) -> list[Scored]:
        if has_numpy():
            import numpy as np

            near = largest(-np.frombuffer(self._distances), min(limit, self._count)).tolist()
        else:
            near = smallest(self._distances, min(limit, self._count))
        return best_first((line, 1.0 - self._distances[line]) for line in near)

    def of(self, docs: Sequence[Doc]) -> list[float]:
        return [1.0 - self._distances[line] for line in docs]
