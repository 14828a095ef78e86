"""Vectors in memory, compared exactly with every question: the reference that the others are held against. Gone with its process."""

import threading
from collections.abc import Collection, Iterable
from math import sqrt

from scova.errors import DerivedDamaged
from scova.protocols.vectors import NO_FILTERS, Found, Point
from scova.types import Filters, Light, Row, Vector


class MemoryVectors:
    """One index. Every call is one step."""

    def __init__(self, store_id: str, model: str, width: int) -> None:
        self.store_id, self.model, self.width = store_id, model, width
        self._points: dict[Row, Point] = {}
        self._applied_seq = 0
        self._lock = threading.Lock()

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
        with self._lock:
            points, reflects = list(self._points.values()), self._applied_seq
        if among is not None:
            wanted = set(among)
            points = [point for point in points if point.row in wanted]
        points = [point for point in points if _passes(point.light, filters)]
        points.sort(key=lambda point: -_cosine(asked, point.vector))
        return Found({point.row: point.vector for point in points[:count]}, reflects)

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
