"""A chunk as an object of an exchange file, and back, checked."""

import hashlib
import math
from array import array
from typing import NamedTuple

from scova.chunks.exchange.values import Fields, Wrong
from scova.core.line_ends import with_line_feeds
from scova.types import Chunk, ChunkId, ChunkType, Vector

NO_ORDINAL = -1  # of a chunk whose file does not say which it is
_TYPES = {chunk_type.value: chunk_type for chunk_type in ChunkType}
_KEY_BYTES = 32


class Embedded(NamedTuple):
    """A vector with what it is known by: the model that made it, and the hash of what was embedded."""

    model: str
    key: bytes
    vector: Vector


def chunk_object(chunk: Chunk, embedded: Embedded | None = None) -> dict[str, object]:
    """Everything about a chunk, by name, always in the same order."""
    fields: dict[str, object] = {
        "id": chunk.id,
        "title": chunk.title,
        "text": chunk.text,
        "chunk_type": chunk.chunk_type.value,
        "tags": chunk.tags,
        "metadata": chunk.metadata | {"ordinal": chunk.ordinal, "names": chunk.names, "project": chunk.project},
        "created_at": chunk.created_at,
        "updated_at": chunk.updated_at,
        "content_hash": chunk.content_hash,
        "generation": chunk.generation,
    }
    if embedded is not None:
        fields |= {"embedding_model": embedded.model, "embedding": _numbers(embedded.vector)}
    return fields


def chunk_of(fields: Fields, *, of_type: ChunkType | None = None) -> Chunk:
    """The chunk an object stands for. Wrong if anything about it cannot be, or it is not `of_type`."""
    metadata = fields.inside("metadata")
    given = fields.text("text")
    text = with_line_feeds(given)
    right = hashlib.sha256(given.encode()).hexdigest()
    if fields.text("content_hash", right) != right:
        raise Wrong("content_hash is not the SHA-256 of its text")
    start = metadata.number("start_line", least=1, default=1)
    end = metadata.number("end_line", least=1, default=start + text.removesuffix("\n").count("\n"))
    if end < start:
        raise Wrong(f"end_line is {end}, before start_line {start}")
    chunk_type = _TYPES.get(fields.text("chunk_type"))
    if chunk_type is None:
        raise Wrong(f"chunk_type `{fields.text('chunk_type')[:40]}` is none of {', '.join(_TYPES)}")
    if of_type not in (None, chunk_type):
        raise Wrong(f"chunk_type is `{chunk_type}`, and only `{of_type}` belong here")
    created = fields.time("created_at")
    return Chunk(
        id=ChunkId(_not_empty(fields.word("id"), "id")),
        title=fields.text("title", ""),
        text=text,
        chunk_type=chunk_type,
        file_path=metadata.path("file_path"),
        start_line=start,
        end_line=end,
        language=metadata.word("language", ""),
        content_hash=right if text == given else hashlib.sha256(text.encode()).hexdigest(),
        symbol=metadata.text("symbol", ""),
        kind=metadata.word("kind", ""),
        ordinal=metadata.number("ordinal", least=NO_ORDINAL, default=NO_ORDINAL),
        tags=fields.texts("tags"),
        names=metadata.texts("names"),
        project=metadata.word("project", ""),
        generation=fields.number("generation", default=0),
        created_at=created,
        updated_at=fields.time("updated_at") or created,
    )


def says(value: object, chunk: Chunk) -> bool:
    """Whether an object, letter for letter, is what stands for this chunk; to tell the many that did not change apart quickly."""
    if not isinstance(value, dict) or not isinstance(metadata := value.get("metadata"), dict):
        return False
    said, tags, names = metadata.get, value.get("tags"), metadata.get("names")
    return (
        (value.get("id"), value.get("text"), value.get("title"), value.get("content_hash"), value.get("chunk_type"))
        == (chunk.id, chunk.text, chunk.title, chunk.content_hash, chunk.chunk_type.value)
        and (
            value.get("created_at"),
            value.get("updated_at"),
            value.get("generation"),
            said("file_path"),
            said("project"),
        )
        == (chunk.created_at, chunk.updated_at, chunk.generation, chunk.file_path, chunk.project)
        and (said("start_line"), said("end_line"), said("language"), said("symbol"), said("kind"), said("ordinal"))
        == (chunk.start_line, chunk.end_line, chunk.language, chunk.symbol, chunk.kind, chunk.ordinal)
        and (isinstance(tags, list) and isinstance(names, list))
        and (tuple(tags), tuple(names)) == (chunk.tags, chunk.names)
    )


def embedded_of(fields: Fields, chunk: Chunk) -> Embedded | None:
    """The vector inside a chunk's object. None where there is none, or no model: what made it decides what it can be compared with."""
    model = fields.word("embedding_model", "")
    vector = _vector(fields.values("embedding"), "embedding")
    return Embedded(model, chunk.embed_key, vector) if model and vector else None


def vector_object(chunk: Chunk, embedded: Embedded) -> dict[str, object]:
    """A line of the file of vectors."""
    numbers = _numbers(embedded.vector)
    return {"id": chunk.id, "model": embedded.model, "key": embedded.key.hex(), "vector": numbers}


def vector_of(fields: Fields) -> Embedded:
    """What a line of the file of vectors says. Wrong if it cannot be."""
    try:
        key = bytes.fromhex(fields.text("key"))
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise Wrong("key is not a SHA-256 in hexadecimal digits")
    vector = _vector(fields.values("vector"), "vector")
    if not vector:
        raise Wrong("vector is empty or missing")
    return Embedded(_not_empty(fields.word("model"), "model"), key, vector)


def _numbers(vector: Vector) -> list[int]:
    return array("b", vector).tolist()


def _vector(numbers: list[object], name: str) -> Vector:
    """Whole numbers are components as they are kept; others are scaled so that the largest becomes 127."""
    kinds = set(map(type, numbers))
    if not kinds <= {int, float}:
        raise Wrong(f"{name} is not a list of numbers")
    if float not in kinds:
        try:
            return array("b", numbers).tobytes()  # type: ignore[type-var]
        except OverflowError:
            raise Wrong(f"{name} has whole numbers beyond -128 to 127") from None
    values = [float(number) for number in numbers]  # type: ignore[arg-type]
    if not all(map(math.isfinite, values)):
        raise Wrong(f"{name} has a number that is not finite")
    largest = max(map(abs, values))
    return array("b", [round(value / largest * 127) if largest else 0 for value in values]).tobytes()


def _not_empty(text: str, name: str) -> str:
    if not text:
        raise Wrong(f"{name} is empty")
    return text
