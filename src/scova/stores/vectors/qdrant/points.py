"""The points of one store in a collection of Qdrant: how they are told from others, what they are asked by, and how they are read back.

Responsible for every question being one of this tenant's points alone. Talks to nobody.
"""

import hashlib
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from zlib import crc32

from scova.errors import DerivedDamaged
from scova.protocols.vectors import Near, Point, Worded
from scova.types import Filters, Row, Vector

TENANT = "store_id"
DENSE, SPARSE = "dense", "text"
_EXPANSION = 256  # candidates that a search of the graph keeps in view, at least

Body = dict[str, object]


class Points:
    """Those of one store."""

    def __init__(self, store_id: str, width: int) -> None:
        self.store_id, self.width = store_id, width
        self.mine: Body = {"key": TENANT, "match": {"value": store_id}}
        self._space = uuid5(NAMESPACE_URL, f"scova:{store_id}")
        self._salt = crc32(store_id.encode())
        self.state_id = str(uuid5(self._space, "state"))

    def id(self, row: Row) -> str:
        """The id of a row's point."""
        # The same as uuid5(space, row), without making an object of it: there are thousands in some questions.
        digest = bytearray(hashlib.sha1(self._space.bytes + b"%d" % row, usedforsecurity=False).digest()[:16])
        digest[6], digest[8] = digest[6] & 0x0F | 0x50, digest[8] & 0x3F | 0x80
        text = digest.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def made(self, point: Point) -> Body:
        """A point as it is written: both of its vectors, and what it is filtered by."""
        if len(point.vector) != self.width:
            raise ValueError(f"vectors must have {self.width} components")
        light = point.light
        vectors: Body = {DENSE: memoryview(point.vector).cast("b").tolist()}
        if point.words:
            vectors[SPARSE] = self.sparse(point.words)
        payload = {
            TENANT: self.store_id,
            "row": point.row,
            "code": b64encode(point.vector).decode(),
            "language": light.language,
            "chunk_type": light.chunk_type.value,
            "kind": light.kind,
            "tags": list(light.tags),
        }
        return {"id": self.id(point.row), "vector": vectors, "payload": payload}

    def sparse(self, weights: Mapping[str, float]) -> Body:
        """Terms as a sparse vector. Their numbers are salted with the store: what one project holds is in nobody else's lists, so that
        it neither counts for how rare a term is there nor is walked over by who asks there."""
        found: dict[int, float] = {}
        for term, weight in weights.items():
            # A name may hold a lone surrogate.
            number = crc32(term.encode("utf-8", "surrogatepass"), self._salt)
            found[number] = found.get(number, 0.0) + weight
        return {"indices": [*found], "values": [*found.values()]}

    def worded(self, asked: Worded) -> Body:
        """The question for terms, each as rare as it is among the points of this tenant."""
        corpus = {"corpus": {"must": [self.mine]}}
        return {
            "query": self.sparse(dict.fromkeys(asked.terms, 1.0)),
            "using": SPARSE,
            "limit": asked.limit,
            "filter": self.filter(asked.filters, asked.among),
            "params": {"idf": corpus},
            "with_payload": ["row"],
        }

    def near(self, asked: Near, among: Collection[Row] | None = None) -> Body:
        """The question for a vector."""
        return {
            "query": memoryview(asked.vector).cast("b").tolist(),
            "using": DENSE,
            "limit": asked.limit,
            "filter": self.filter(asked.filters, among),
            "params": {"hnsw_ef": max(_EXPANSION, asked.limit), "exact": among is not None},
            "with_payload": ["row", "code"],
        }

    def filter(self, filters: Filters, among: Collection[Row] | None = None) -> Body:
        """Points of this tenant that pass, but for paths."""
        must: list[object] = [self.mine, *_conditions(filters)]
        if among is not None:
            must.append({"has_id": [self.id(row) for row in among]})
        return {"must": must}

    def vectors(self, found: Sequence[Any]) -> dict[Row, Vector]:
        """The vectors of points that were found; DerivedDamaged for one that is none."""
        vectors: dict[Row, Vector] = {}
        for point in found:
            try:
                vectors[Row(point["payload"]["row"])] = b64decode(point["payload"]["code"], validate=True)
            except (LookupError, TypeError, NotBase64) as error:
                raise _unreadable(point) from error
        if any(len(vector) != self.width for vector in vectors.values()):
            raise DerivedDamaged(f"a vector of the index does not have {self.width} components", "repair it")
        return vectors

    def scores(self, found: Sequence[Any]) -> dict[Row, float]:
        """The rows of points that were found with their scores, best first."""
        scores: dict[Row, float] = {}
        for point in found:
            try:
                scores[Row(point["payload"]["row"])] = float(point["score"])
            except (LookupError, TypeError, ValueError) as error:
                raise _unreadable(point) from error
        return scores


def _unreadable(point: Any) -> DerivedDamaged:
    return DerivedDamaged(f"point {point.get('id')} of the vector index cannot be read", "repair it")


def _conditions(filters: Filters) -> Iterator[Body]:
    """What the filters ask, but for paths."""
    wanted: dict[str, Sequence[str]] = {
        "language": filters.languages,
        "chunk_type": [chunk_type.value for chunk_type in filters.chunk_types],
        "kind": filters.kinds,
        "tags": filters.tags,
    }
    return ({"key": key, "match": {"any": [*values]}} for key, values in wanted.items() if values)
