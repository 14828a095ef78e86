"""The vectors of one store in Qdrant, and its words: a tenant of a collection that all stores of the same model share.

    collection scova_MODEL_WIDTH_v2 MODEL is a hash of its name. `dense`: vectors as float16, compared by cosine; a graph per tenant, none
                                    over all (`m` 0, `payload_m` 16). `text`: sparse vectors, weighed by rarity (`modifier` idf) among the
                                    points of the tenant that asks. Without v2, as scova made it before there were any of these: what a
                                    store has there goes when it has been written here
      point                         its id is made of store_id and row, so that writing it twice is writing it once
        dense, text                 its vectors; none of words where there are none
        store_id                    the tenant
        row                         of the store
        code                        the vector as it was put: int8, base64. What is found is compared again by it, exactly
        language, chunk_type, kind, tags
      the state                     a point of a tenant of its own, `STORE_ID state`: of, model, width, applied_seq. In the same collection,
                                    so that it is not there when that was lost

A point is written, with both of its vectors, before the change it belongs to is reflected, and dead ones go after that. What is found
is followed by a look at the state: as long as that is no newer than the moment of the question, nothing of that moment had been taken
away.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Self, TypeVar

from scova.errors import DerivedDamaged, VectorsAway
from scova.protocols.vectors import NO_FILTERS, Found, Near, Point
from scova.stores.vectors.qdrant.points import DENSE, SPARSE, TENANT, Points
from scova.stores.vectors.qdrant.wire import Wire
from scova.stores.vectors.qdrant.words import QdrantWords
from scova.types import Filters, Row, Vector

_AT_ONCE = 500  # points in one call
_LISTED = 10_000  # rows in one call
_PREFIX = "scova_"  # of every collection of ours
_VERSION = "_v2"  # of what a collection holds
_EARLIER = ("",)  # versions whose points go when there are newer ones
_FIELDS: dict[str, object] = {
    TENANT: {"type": "keyword", "is_tenant": True},
    "language": "keyword",
    "chunk_type": "keyword",
    "kind": "keyword",
    "tags": "keyword",
}

T = TypeVar("T")


class QdrantVectors:
    """One index."""

    def __init__(self, wire: Wire, store_id: str, model: str, width: int) -> None:
        self.store_id, self.model, self.width = store_id, model, width
        self._family = f"{_PREFIX}{hashlib.sha256(model.encode()).hexdigest()[:16]}_{width}"
        self.collection = f"{self._family}{_VERSION}"
        self._wire = wire
        self._path = f"/collections/{self.collection}/points"
        self._points = Points(store_id, width)
        self._is_ready = self._is_moved = False

    @classmethod
    def open(cls, url: str, store_id: str, model: str, width: int) -> Self:
        """The index of this store at a server; nothing is asked of it yet."""
        return cls(Wire(url), store_id, model, width)

    @property
    def words(self) -> QdrantWords:
        """Who finds by words in it."""
        return QdrantWords(self._wire, self._path, self._points, self.applied_seq)

    def applied_seq(self) -> int:
        """The change of the store that it reflects; 0 for nothing at all."""
        return self._state(self._wire.ask)

    def apply(self, fresh: Iterable[Point], dead: Collection[Row], *, upto: int) -> None:
        """Hold these points too, then reflect the change `upto`, and only then let go of the dead rows."""
        if upto < self._state(self._wire.write):
            raise DerivedDamaged(
                "the vector index reflects a newer change than the store has", "drop it and apply anew"
            )
        self._prepare()
        for points in _batched(fresh, _AT_ONCE):
            self._wire.write(
                "PUT", f"{self._path}?wait=true", {"points": [self._points.made(point) for point in points]}
            )
        tenant = {TENANT: f"{self.store_id} state", "of": self.store_id}
        kept = {**tenant, "model": self.model, "width": self.width, "applied_seq": upto}
        state = {"id": self._points.state_id, "vector": {DENSE: [1] * self.width}, "payload": kept}
        self._wire.write("PUT", f"{self._path}?wait=true", {"points": [state]})
        for rows in _batched(dead, _AT_ONCE):
            ids = {"points": [self._points.id(row) for row in rows]}
            self._wire.write("POST", f"{self._path}/delete?wait=true", ids)
        self._leave_earlier()

    def nearest(
        self, asked: Vector, count: int, *, filters: Filters = NO_FILTERS, among: Collection[Row] | None = None
    ) -> Found:
        """So many vectors nearest to the one that was asked."""
        body = self._points.near(Near(asked, count, filters), among)
        found = self._wire.ask("POST", f"{self._path}/query", body)
        return self._found(found["points"] if found else [])

    def vectors(self, rows: Collection[Row]) -> Found:
        """The vectors of these rows that it has."""
        points: list[Any] = []
        for some in _batched(rows, _AT_ONCE):
            body = {"ids": [self._points.id(row) for row in some], "with_payload": ["row", "code"]}
            points += self._wire.ask("POST", self._path, body) or []
        return self._found(points)

    def rows(self) -> Iterator[Row]:
        """Every row it holds."""
        offset: object = None
        while True:
            body = {
                "filter": {"must": [self._points.mine]},
                "limit": _LISTED,
                "with_payload": ["row"],
                "offset": offset,
            }
            found = self._wire.ask("POST", f"{self._path}/scroll", body)
            if not found:
                return
            yield from (Row(point["payload"]["row"]) for point in found["points"])
            offset = found["next_page_offset"]
            if offset is None:
                return

    def count(self) -> int:
        """How many rows it holds."""
        body = {"filter": {"must": [self._points.mine]}, "exact": True}
        found = self._wire.ask("POST", f"{self._path}/count", body)
        return int(found["count"]) if found else 0

    def drop(self) -> None:
        """Hold nothing any more. The state goes first: whoever asks meanwhile sees that the index is not what it was."""
        self._drop_from(self.collection)

    def drop_all(self) -> None:
        """The same, in the collections of all models."""
        listed = self._wire.ask("GET", "/collections") or {"collections": []}
        names = {str(one["name"]) for one in listed["collections"]}
        for name in sorted(name for name in names if name.startswith(_PREFIX)):
            self._drop_from(name)

    def close(self) -> None:
        """Let go of connections."""
        self._wire.close()

    def _leave_earlier(self) -> None:
        """Let go of what earlier versions hold, once all of it is here. A process that still serves such a version finds that it
        reflects nothing: it compares what it knows, and writes it again."""
        if not self._is_moved:
            for version in _EARLIER:
                self._drop_from(f"{self._family}{version}")
            self._is_moved = True

    def _drop_from(self, collection: str) -> None:
        for gone in ({"points": [self._points.state_id]}, {"filter": {"must": [self._points.mine]}}):
            self._wire.write("POST", f"/collections/{collection}/points/delete?wait=true", gone)

    def _state(self, call: Callable[[str, str, object], Any]) -> int:
        body = {"ids": [self._points.state_id], "with_payload": True}
        found = call("POST", self._path, body)
        return int(found[0]["payload"]["applied_seq"]) if found else 0

    def _prepare(self) -> None:
        """Make the collection if it is not there. Whoever else makes it at the same time makes the same one."""
        if self._is_ready and self._is_there():
            return
        if not self._is_there():
            dense = {DENSE: {"size": self.width, "distance": "Cosine", "datatype": "float16"}}
            sparse = {SPARSE: {"modifier": "idf"}}
            wanted = {"vectors": dense, "sparse_vectors": sparse, "hnsw_config": {"m": 0, "payload_m": 16}}
            try:
                self._wire.write("PUT", f"/collections/{self.collection}", wanted)
            except VectorsAway:  # it counts only if nobody else has made the collection meanwhile
                if not self._is_there():
                    raise
        for field, schema in _FIELDS.items():
            index = {"field_name": field, "field_schema": schema}
            self._wire.write("PUT", f"/collections/{self.collection}/index?wait=true", index)
        self._is_ready = True

    def _is_there(self) -> bool:
        return self._wire.write("GET", f"/collections/{self.collection}") is not None

    def _found(self, points: Sequence[Any]) -> Found:
        """What points hold, and the change that is reflected after they were found."""
        return Found(self._points.vectors(points), self.applied_seq())


def _batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch
