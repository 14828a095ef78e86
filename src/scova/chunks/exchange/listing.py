"""All chunks of a folder in memory, read in one go: for whoever serves them as they are."""

from collections.abc import Mapping
from pathlib import Path

from scova.chunks.exchange import names
from scova.chunks.exchange.contents import Contents, Where, in_order
from scova.chunks.exchange.objects import chunk_of, says
from scova.chunks.exchange.opened import OpenedFolder
from scova.chunks.exchange.stream import naming
from scova.chunks.exchange.values import Fields
from scova.types import Chunk, ChunkType

_NOWHERE = Where("", 0, 0)  # nothing is read again


def read_chunks(folder: Path, known: Mapping[str, Chunk]) -> list[Chunk]:
    """Every chunk of a folder, checked, ordered by path and ordinal. One that is `known`, by its id, and said to be as it was, is
    given as the very object, whatever row and change it has."""
    contents = Contents()
    by_path: dict[str, list[Chunk]] = {}
    with OpenedFolder(folder) as opened:
        for name in opened.chunk_files():
            path, wanted = folder / name, names.TYPE_OF.get(name)
            for found in opened.values(name, "chunks"):
                with naming(path, found, "chunk"):
                    chunk = _known(found.value, known, wanted) or chunk_of(Fields(found.value), of_type=wanted)
                    contents.add(chunk, _NOWHERE)
                    by_path.setdefault(chunk.file_path, []).append(chunk)
        contents.check(folder)
    return [chunk for path in sorted(by_path) for chunk in in_order(by_path[path])]


def _known(value: object, known: Mapping[str, Chunk], wanted: ChunkType | None) -> Chunk | None:
    chunk = known.get(value["id"]) if isinstance(value, dict) and isinstance(value.get("id"), str) else None
    return chunk if chunk is not None and wanted in (None, chunk.chunk_type) and says(value, chunk) else None
