"""The names of exchange files, and which belong together."""

from enum import StrEnum
from pathlib import Path

from scova.types import ChunkType
from scova.whole import UNFINISHED


class Format(StrEnum):
    """The two ways to lay out the same values."""

    JSON = "json"  # a file for each type of chunk, one object each
    JSONL = "jsonl"  # one file for all chunks, an object on each line


CHUNKS_JSON = {
    ChunkType.SYMBOLS: "code-symbols.json",
    ChunkType.DEFINITIONS: "code-definitions.json",
    ChunkType.DATA: "code-data.json",
    ChunkType.DOCUMENTATION: "doc-chunks.json",
}
TYPE_OF = {name: chunk_type for chunk_type, name in CHUNKS_JSON.items()}
GRAPH_JSON = "code-graph.json"
CHUNKS_LINES = "chunks.jsonl"
GRAPH_LINES = "graph.jsonl"
VECTORS_LINES = "vectors.jsonl"

OF_FORMAT = {
    Format.JSON: (*CHUNKS_JSON.values(), GRAPH_JSON),
    Format.JSONL: (CHUNKS_LINES, GRAPH_LINES),
}
ALL = frozenset((*OF_FORMAT[Format.JSON], *OF_FORMAT[Format.JSONL], VECTORS_LINES))


def foreign(folder: Path) -> list[str]:
    """The names of entries of a folder that no export has written, in order."""
    return sorted(path.name for path in folder.iterdir() if path.name not in ALL and not is_leftover(path.name))


def is_leftover(name: str) -> bool:
    """Whether an export that was cut short has left this behind."""
    return name.endswith(UNFINISHED) and any(name.startswith(f".{known}.") for known in ALL)
