"""The vectors of one store in Qdrant: a tenant of a collection that all stores of the same model share.

    collection scova_MODEL_WIDTH    MODEL is a hash of its name. Vectors as float16, compared by cosine; a graph per tenant, none over
                                    all (`m` 0, `payload_m` 16)
      point                         its id is made of store_id and row, so that writing it twice is writing it once
        store_id                    the tenant
        row                         of the store
        code                        the vector as it was put: int8, base64. What is found is compared again by it, exactly
        language, chunk_type, kind, tags
      the state                     a point of a tenant of its own, `STORE_ID state`: of, model, width, applied_seq. In the same collection,
                                    so that it is not there when that was lost

A point is written before the change it belongs to is reflected, and dead ones go after that. What is found is followed by a look at
the state: as long as that is no newer than the moment of the question, nothing of that moment had been taken away.
"""

import hashlib
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Self, TypeVar
from uuid import NAMESPACE_URL, uuid5

from scova.errors import DerivedDamaged, VectorsAway
from scova.protocols.vectors import NO_FILTERS, Found, Point
from scova.stores.vectors.qdrant.wire import Wire
from scova.types import Filters, Row, Vector

_AT_ONCE = 500  # points in one call
_LISTED = 10_000  # rows in one call
_EXPANSION = 256  # candidates that a search of the graph keeps in view, at least
_PREFIX = "scova_"  # of every collection of ours
_TENANT = "store_id"
_FIELDS: dict[str, object] = {
    _TENANT: {"type": "keyword", "is_tenant": True},
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
        self.collection = f"{_PREFIX}{hashlib.sha256(model.encode()).hexdigest()[:16]}_{width}"
        self._wire = wire
        self._points = f"/collections/{self.collection}/points"
        self._space = uuid5(NAMESPACE_URL, f"scova:{store_id}")
        self._state_id = str(uuid5(self._space, "state"))
        self._mine: dict[str, object] = {"key": _TENANT, "match": {"value": store_id}}
        self._is_ready = False

    @classmethod
    def open(cls, url: str, store_id: str, model: str, width: int) -> Self:
        """The index of this store at a server; nothing is asked of it yet."""
        return cls(Wire(url), store_id, model, width)

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
            self._wire.write("PUT", f"{self._points}?wait=true", {"points": [self._made(point) for point in points]})
        tenant = {_TENANT: f"{self.store_id} state", "of": self.store_id}
        kept = {**tenant, "model": self.model, "width": self.width, "applied_seq": upto}
        state = {"id": self._state_id, "vector": [1] * self.width, "payload": kept}
        self._wire.write("PUT", f"{self._points}?wait=true", {"points": [state]})
        for rows in _batched(dead, _AT_ONCE):
            ids = {"points": [self._id(row) for row in rows]}
            self._wire.write("POST", f"{self._points}/delete?wait=true", ids)

    def nearest(
        self, asked: Vector, count: int, *, filters: Filters = NO_FILTERS, among: Collection[Row] | None = None
    ) -> Found:
        """So many vectors nearest to the one that was asked."""
        must: list[object] = [self._mine, *_conditions(filters)]
        if among is not None:
            must.append({"has_id": [self._id(row) for row in among]})
        body = {
            "query": memoryview(asked).cast("b").tolist(),
            "limit": count,
            "filter": {"must": must},
            "params": {"hnsw_ef": max(_EXPANSION, count), "exact": among is not None},
            "with_payload": ["row", "code"],
        }
        found = self._wire.ask("POST", f"{self._points}/query", body)
        return self._found(found["points"] if found else [])

    def vectors(self, rows: Collection[Row]) -> Found:
        """The vectors of these rows that it has."""
        points: list[Any] = []
        for some in _batched(rows, _AT_ONCE):
            body = {"ids": [self._id(row) for row in some], "with_payload": ["row", "code"]}
            points += self._wire.ask("POST", self._points, body) or []
        return self._found(points)

    def rows(self) -> Iterator[Row]:
        """Every row it holds."""
        offset: object = None
        while True:
            body = {"filter": {"must": [self._mine]}, "limit": _LISTED, "with_payload": ["row"], "offset": offset}
            found = self._wire.ask("POST", f"{self._points}/scroll", body)
            if not found:
                return
            yield from (Row(point["payload"]["row"]) for point in found["points"])
            offset = found["next_page_offset"]
            if offset is None:
                return

    def count(self) -> int:
        """How many rows it holds."""
        body = {"filter": {"must": [self._mine]}, "exact": True}
        found = self._wire.ask("POST", f"{self._points}/count", body)
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

    def _drop_from(self, collection: str) -> None:
        for gone in ({"points": [self._state_id]}, {"filter": {"must": [self._mine]}}):
            self._wire.write("POST", f"/collections/{collection}/points/delete?wait=true", gone)

    def _state(self, call: Callable[[str, str, object], Any]) -> int:
        body = {"ids": [self._state_id], "with_payload": True}
        found = call("POST", self._points, body)
        return int(found[0]["payload"]["applied_seq"]) if found else 0

    def _prepare(self) -> None:
        """Make the collection if it is not there. Whoever else makes it at the same time makes the same one."""
        if self._is_ready and self._is_there():
            return
        if not self._is_there():
            vectors = {"size": self.width, "distance": "Cosine", "datatype": "float16"}
            wanted = {"vectors": vectors, "hnsw_config": {"m": 0, "payload_m": 16}}
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

    def _made(self, point: Point) -> dict[str, object]:
        if len(point.vector) != self.width:
            raise ValueError(f"vectors must have {self.width} components")
        light = point.light
        payload = {
            _TENANT: self.store_id,
            "row": point.row,
            "code": b64encode(point.vector).decode(),
            "language": light.language,
            "chunk_type": light.chunk_type.value,
            "kind": light.kind,
            "tags": list(light.tags),
        }
        return {
            "id": self._id(point.row),
            "vector": memoryview(point.vector).cast("b").tolist(),
            "payload": payload,
        }

    def _id(self, row: Row) -> str:
        # The same as uuid5(space, row), without making an object of it: there are thousands in some questions.
        digest = bytearray(hashlib.sha1(self._space.bytes + b"%d" % row, usedforsecurity=False).digest()[:16])
        digest[6], digest[8] = digest[6] & 0x0F | 0x50, digest[8] & 0x3F | 0x80
        text = digest.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def _found(self, points: Sequence[Any]) -> Found:
        """What points hold, and the change that is reflected after they were found."""
        vectors: dict[Row, Vector] = {}
        for point in points:
            try:
                vectors[Row(point["payload"]["row"])] = b64decode(point["payload"]["code"], validate=True)
            except (LookupError, TypeError, NotBase64) as error:
                raise DerivedDamaged(
                    f"point {point.get('id')} of the vector index cannot be read", "repair it"
                ) from error
        if any(len(vector) != self.width for vector in vectors.values()):
            raise DerivedDamaged(f"a vector of the index does not have {self.width} components", "repair it")
        return Found(vectors, self.applied_seq())


def _conditions(filters: Filters) -> Iterator[dict[str, object]]:
    """What the filters ask, but for paths."""
    wanted: dict[str, Sequence[str]] = {
        "language": filters.languages,
        "chunk_type": [chunk_type.value for chunk_type in filters.chunk_types],
        "kind": filters.kinds,
        "tags": filters.tags,
    }
    return ({"key": key, "match": {"any": [*values]}} for key, values in wanted.items() if values)


def _batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch
