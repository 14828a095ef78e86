"""How values are written in the columns of the store, and read back."""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from scova.types import Binding, ChunkType

# By position: these numbers are in every store, so new types are only ever added at the end.
CHUNK_TYPES = (ChunkType.SYMBOLS, ChunkType.DEFINITIONS, ChunkType.DATA, ChunkType.DOCUMENTATION)
NUMBER_OF_TYPE = {chunk_type: number for number, chunk_type in enumerate(CHUNK_TYPES)}

_EPOCH = datetime.fromtimestamp(0, UTC)
_COMPONENT = re.compile(r"[\w$]+")
_PARAMETERS = re.compile(r"[<\[(]")

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


def tag_counts(sets: Iterable[tuple[str | None, int]]) -> dict[str, int]:
    """How often each tag is there, most first; from how often each set of tags is, as `joined` wrote it."""
    counts: dict[str, int] = {}
    for text, number in sets:
        for tag in split(text):
            counts[tag] = counts.get(tag, 0) + number
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def moment(milliseconds: int) -> str:
    """A time as people and the exchange format read it."""
    return _moment(milliseconds)


@lru_cache(maxsize=1024)
def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(text: str) -> int:
    """The time that `moment` wrote."""
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(milliseconds=1)


def token_of_id(chunk_id: str) -> str:
    """What `lookup` holds for a chunk id."""
    return f"i{crc32(chunk_id.encode()):x}"


def token_of_definition(name: str) -> str:
    """What `lookup` holds for a name, or qualified name, that is defined."""
    return f"d{crc32(name.encode()):x}"


def token_of_call(name: str) -> str:
    """What `lookup` holds for a name that is called."""
    return f"c{crc32(name.encode()):x}"


def token_of_alias(name: str) -> str:
    """What `lookup` holds for a name that is imported under another one."""
    return f"a{crc32(name.encode()):x}"


def tokens_of_definition(name: str) -> tuple[str, ...]:
    """What `lookup` holds for a defined name: itself, its last component, and its last two, which is what people type."""
    if "." not in name:
        return (token_of_definition(name),)
    *_, owner, last = name.split(".")
    return token_of_definition(name), token_of_definition(last), token_of_definition(f"{owner}.{last}")


def aliased(bindings: Iterable[Binding]) -> set[str]:
    """Names that are imported under another one, so that calls do not show them."""
    return {one.member for one in bindings if one.how == "import" and one.member and one.member != one.name}


def token_of_base(name: str) -> str:
    """What `lookup` holds for a class that others inherit from."""
    return f"b{crc32(name.encode()):x}"


def base_name(base: str) -> str:
    """The last component of a base as it is written, without type parameters."""
    components = _COMPONENT.findall(_PARAMETERS.split(base, maxsplit=1)[0])
    return components[-1] if components else ""


class Names(NamedTuple):
    """Everything a file can be found by."""

    ids: Iterable[str]
    defined: Iterable[str]  # names and qualified names
    called: Iterable[str]
    bases: Iterable[str]
    bindings: Iterable[Binding]


def tokens(names: Names) -> str:
    """Everything `lookup` holds for one file, always in the same order."""
    found = {token_of_id(chunk_id) for chunk_id in names.ids}
    found.update(token for name in {*names.defined} for token in tokens_of_definition(name))
    found.update(map(token_of_call, {*names.called}))
    found.update(token_of_base(name) for base in {*names.bases} if (name := base_name(base)))
    found.update(map(token_of_alias, aliased(names.bindings)))
    return " ".join(sorted(found))


def packed(bindings: Iterable[Binding]) -> str | None:
    """The bindings of a file in one column: they are only ever wanted together."""
    return json.dumps(found, separators=(",", ":")) if (found := tuple(bindings)) else None


def readable(text: str | None) -> tuple[Binding, ...]:
    """The same, or none where they cannot be read: an audit says so."""
    try:
        return unpacked(text)
    except (TypeError, ValueError):
        return ()


def unpacked(text: str | None) -> tuple[Binding, ...]:
    """The bindings that `packed` wrote."""
    return tuple(map(Binding._make, json.loads(text))) if text else ()
