"""Chunks nearest in meaning to a text, or to the chunk at a place. Compares vectors, and weighs nothing else."""

from typing import NamedTuple

from scova.errors import QueryError
from scova.search.pack import cost
from scova.search.view import View
from scova.types import UNKNOWN_FRESHNESS, Answer, Chunk, ChunkType, Filters, Literal, Result, Vector

MOST = 1000


class Request(NamedTuple):
    """What results are to be like: a text, or what stands at a line of a file."""

    text: str = ""
    path: str = ""
    line: int = 1
    limit: int = 10
    filters: Filters = Filters()


def similar(view: View, request: Request) -> Answer:
    """The nearest chunks, best first; of a place, without the chunk that stands there."""
    if bool(request.text) == bool(request.path):
        raise QueryError("give a text, or a path with a line", "one of the two says what results are to be like")
    if not 1 <= request.limit <= MOST:
        raise QueryError(f"the limit is {request.limit}", f"ask for 1 to {MOST} results")
    if view.vector is None:
        raise QueryError("there are no vectors to compare", "set `embedder` to `static` and index again")
    itself = _at(view, request) if request.path else None
    asked = _vector(view, itself) if itself else view.vector.embedding.of_query(request.text)
    allowed = view.chunk_set.select(request.filters) if request.filters else None
    nearest = view.vector.search_vector(asked, request.limit + 1, allowed, request.filters)
    hits = [hit for hit in nearest if not itself or hit.row != itself.row]
    chunks = {chunk.row: chunk for chunk in view.chunk_set.chunks([hit.row for hit in hits])}
    found = [Result(chunks[hit.row], hit.score, {"vector": hit.score}) for hit in hits if hit.row in chunks]
    found.sort(key=lambda result: (-result.score, result.chunk.file_path, result.chunk.start_line))
    shown = tuple(found[: request.limit])
    total = len(view.vector) if allowed is None else len(allowed)
    total -= itself is not None and (allowed is None or itself.row in allowed)
    return Answer(
        results=shown,
        total=total,
        truncated=total > len(shown),
        next="",
        literal=Literal("", 0, 0, {}),
        skipped_files=0,
        freshness=UNKNOWN_FRESHNESS,
        tokens=sum(map(cost, shown)),
        timings={},
        relevance=float(bool(shown)),
        nothing_relevant=not shown,
    )


def _at(view: View, request: Request) -> Chunk:
    """The chunk at a place; the map of a file's symbols is only meant where there is nothing else."""
    chunks = view.chunk_set.by_file(request.path)
    if not chunks:
        raise QueryError(f"`{request.path}` is not in the index", "give a path as results have it")
    around = [chunk for chunk in chunks if chunk.start_line <= request.line <= chunk.end_line]
    if not around:
        last = max(chunk.end_line for chunk in chunks)
        raise QueryError(f"`{request.path}` has no line {request.line}", f"give a line from 1 to {last}")
    return next((chunk for chunk in around if chunk.chunk_type is not ChunkType.SYMBOLS), around[0])


def _vector(view: View, chunk: Chunk) -> Vector:
    """The vector that the chunk has; one made now where it has none yet."""
    assert view.vector is not None
    return view.vector.vector_of(chunk.row) or view.vector.embedding.of_query(chunk.embedded_text)
