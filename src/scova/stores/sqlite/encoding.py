"""How values are written in the columns of the store, and read back."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from zlib import crc32

from scova.types import ChunkType

# By position: these numbers are in every store, so new types are only ever added at the end.
CHUNK_TYPES = (ChunkType.SYMBOLS, ChunkType.DEFINITIONS, ChunkType.DATA, ChunkType.DOCUMENTATION)
NUMBER_OF_TYPE = {chunk_type: number for number, chunk_type in enumerate(CHUNK_TYPES)}

QUALIFIED = "coalesce(qualified, parent || '.' || name, name)"  # in SQL, over a row of `symbols`


def joined(strings: tuple[str, ...]) -> str | None:
    """A list of strings in one column."""
    if not strings:
        return None
    text = "\n".join(strings)
    if text.count("\n") >= len(strings) or "" in strings:
        return "\n" + json.dumps(strings)
    return text


def split(text: str | None) -> tuple[str, ...]:
    """The list that `joined` wrote."""
    if not text:
        return ()
    return tuple(json.loads(text)) if text[0] == "\n" else tuple(text.split("\n"))


def moment(milliseconds: int) -> str:
    """A time as people and the exchange format read it."""
    return _moment(milliseconds)


@lru_cache(maxsize=1024)
def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def token_of_id(chunk_id: str) -> str:
    """What `lookup` holds for a chunk id."""
    return f"i{crc32(chunk_id.encode()):x}"


def token_of_definition(name: str) -> str:
    """What `lookup` holds for a name, or qualified name, that is defined."""
    return f"d{crc32(name.encode()):x}"


def token_of_call(name: str) -> str:
    """What `lookup` holds for a name that is called."""
    return f"c{crc32(name.encode()):x}"


def tokens(ids: Iterable[str], defined: Iterable[str], called: Iterable[str]) -> str:
    """Everything `lookup` holds for one file, always in the same order."""
    found = {token_of_id(chunk_id) for chunk_id in ids}
    found.update(map(token_of_definition, defined))
    found.update(map(token_of_call, called))
    return " ".join(sorted(found))
