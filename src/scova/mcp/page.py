"""An answer cut to what fits into one message, with the way to the rest. Knows nothing of what is in it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scova.errors import UsageError

Item = Mapping[str, Any] | str

_ROOM = 160  # bytes for `total`, `truncated` and `next`
_LEAST = 200  # characters of a text that are worth showing


class Listing(NamedTuple):
    """An answer before it is cut: its list by name, and whatever stands beside it."""

    name: str
    items: Sequence[Item]
    beside: Mapping[str, Any]
    total: int  # of all there are, when `items` is not all of them


def fitted(listing: Listing, *, start: int, most_bytes: int) -> dict[str, Any]:
    """The answer from item `start` on, in at most so many bytes of JSON; `next` leads to what is left."""
    left = most_bytes - _ROOM - len(encoded(listing.beside))
    shown: list[Item] = []
    for item in listing.items[start:]:
        size = len(encoded(item)) + 2
        if size > left:
            if not shown:  # one that never fits is cut, so that every page shows something
                shown.append(_cut(item, left))
            break
        shown.append(item)
        left -= size
    end = start + len(shown)
    truncated = end < listing.total
    return {
        listing.name: shown,
        **listing.beside,
        "total": listing.total,
        "truncated": truncated,
        **({"next": str(end)} if truncated else {}),
    }


def start_of(handle: str) -> int:
    """Where a `next` handle leads."""
    if not handle:
        return 0
    if not handle.isascii() or not handle.isdigit() or len(handle) > 9:
        raise UsageError(f"`{handle[:40]}` is no handle", "pass `next` of an earlier answer as it was, or leave it out")
    return int(handle)


def encoded(value: object) -> bytes:
    """The value as it goes over the wire."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict).encode("utf-8", "replace")


def _cut(item: Item, most_bytes: int) -> Item:
    """An item whose longest text is cut so that it fits."""
    if isinstance(item, str):
        return _start(item, most_bytes) + " …"
    texts = {name: value for name, value in item.items() if isinstance(value, str)}
    if not texts:
        return {"cut": True}
    name = max(texts, key=lambda each: len(texts[each]))
    rest = {**item, name: "", "cut": True}
    return {**rest, name: _start(texts[name], most_bytes - len(encoded(rest)))}


def _start(text: str, most_bytes: int) -> str:
    """The beginning of a text, in half as many bytes: quoting may double them."""
    return text.encode("utf-8", "replace")[: max(_LEAST, most_bytes) // 2].decode("utf-8", "ignore")
