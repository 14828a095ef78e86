"""Vectors in memory, compared exactly with every question: the reference that the others are held against. Gone with its process."""

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log, sqrt

from scova.errors import DerivedDamaged
from scova.protocols.vectors import NO_FILTERS, Found, Heard, Near, Point, Worded
from scova.types import Filters, Light, Row, Vector


class MemoryVectors:
    """One index. Every call is one step."""

    def __init__(self, store_id: str, model: str, width: int) -> None:
        self.store_id, self.model, self.width = store_id, model, width
        self._points: dict[Row, Point] = {}
        self._applied_seq = 0
        self._lock = threading.Lock()

    @property
    def words(self) -> "MemoryWords":
        """Who finds by words in it."""
        return MemoryWords(self)

    def held(self) -> tuple[list[Point], int]:
        """Every point, and the change that is reflected at the same time."""
        with self._lock:
            return list(self._points.values()), self._applied_seq

    def applied_seq(self) -> int:
        """The change of the store that it reflects; 0 for nothing at all."""
        return self._applied_seq

    def apply(self, fresh: Iterable[Point], dead: Collection[Row], *, upto: int) -> None:
        """Hold these points too, reflect the change `upto`, and let go of the dead rows."""
        if upto < self._applied_seq:
            raise DerivedDamaged(
                "the vector index reflects a newer change than the store has", "drop it and apply anew"
            )
        for point in fresh:
            if len(point.vector) != self.width:
                raise ValueError(f"vectors must have {self.width} components")
            with self._lock:
                self._points[point.row] = point
        with self._lock:
            self._applied_seq = upto
            for row in dead:
                self._points.pop(row, None)

    def nearest(
        self, asked: Vector, count: int, *, filters: Filters = NO_FILTERS, among: Collection[Row] | None = None
    ) -> Found:
        """So many vectors nearest to the one that was asked."""
        points, reflects = self.held()
        return Found(_nearest(_passing(points, filters, among), asked, count), reflects)

    def vectors(self, rows: Collection[Row]) -> Found:
        """The vectors of these rows that it has."""
        with self._lock:
            return Found({row: self._points[row].vector for row in rows if row in self._points}, self._applied_seq)

    def rows(self) -> list[Row]:
        """Every row it holds."""
        with self._lock:
            return list(self._points)

    def count(self) -> int:
        """How many rows it holds."""
        return len(self._points)

    def drop(self) -> None:
        """Hold nothing any more."""
        with self._lock:
            self._points, self._applied_seq = {}, 0

    def drop_all(self) -> None:
        """The same: nobody else's vectors are here."""
        self.drop()

    def close(self) -> None:
        """Nothing is open."""


class MemoryWords:
    """The words of one index."""

    def __init__(self, index: MemoryVectors) -> None:
        self._index = index

    def ask(self, worded: Sequence[Worded], near: Near | None = None) -> Heard:
        """All of these questions at once."""
        points, reflects = self._index.held()
        frequencies = Counter(term for point in points for term in point.words)
        found = [_by_words(_passing(points, one.filters, one.among), one, frequencies, len(points)) for one in worded]
        nearest = _nearest(_passing(points, near.filters, None), near.vector, near.limit) if near else {}
        return Heard(found, nearest, reflects)


def _nearest(points: Sequence[Point], asked: Vector, count: int) -> dict[Row, Vector]:
    best = sorted(points, key=lambda point: -_cosine(asked, point.vector))
    return {point.row: point.vector for point in best[:count]}


def _by_words(points: Sequence[Point], asked: Worded, frequencies: Counter[str], count: int) -> dict[Row, float]:
    rarities = {
        term: log(1.0 + (count - frequencies[term] + 0.5) / (frequencies[term] + 0.5)) for term in set(asked.terms)
    }
    scores = {
        point.row: sum(point.words[term] * rarity for term, rarity in rarities.items() if term in point.words)
        for point in points
        if not rarities.keys().isdisjoint(point.words)
    }
    return dict(sorted(scores.items(), key=lambda item: -item[1])[: asked.limit])


def _passing(points: list[Point], filters: Filters, among: Collection[Row] | None) -> list[Point]:
    wanted = None if among is None else set(among)
    return [point for point in points if (wanted is None or point.row in wanted) and _passes(point.light, filters)]


def _passes(light: Light, filters: Filters) -> bool:
    return (
        (not filters.languages or light.language in filters.languages)
        and (not filters.chunk_types or light.chunk_type in filters.chunk_types)
        and (not filters.kinds or light.kind in filters.kinds)
        and (not filters.tags or bool(set(filters.tags) & set(light.tags)))
    )


def _cosine(one: Vector, other: Vector) -> float:
    a, b = memoryview(one).cast("b").tolist(), memoryview(other).cast("b").tolist()
    lengths = sqrt(sum(x * x for x in a)) * sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0
