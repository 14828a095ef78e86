"""Paths as text that does not depend on the locale.

On disk a path is bytes. Python turns them into text by the encoding of the locale, so that one file has another name in a
shell with another locale. What scova keeps, compares and shows is always the same: the bytes as UTF-8, with those that are
not UTF-8 kept as surrogate escapes ("stored" text). These functions are the border between the two. Wherever the locale is
a UTF-8 one, both are equal.

Knows nothing of what lies at a path, and opens nothing.
"""

import os
from pathlib import Path


def decoded(raw: bytes) -> str:
    """The stored text of a path that the system gave."""
    return raw.decode("utf-8", "surrogateescape")


def encoded(path: str) -> bytes:
    """Stored text as the system takes it. Raises ValueError for text that no path can have."""
    return path.encode("utf-8", "surrogateescape")


def stored(path: str | os.PathLike[str]) -> str:
    """The stored text of a path as this process has it."""
    return decoded(os.fsencode(path))


def native(path: str) -> Path:
    """Stored text as a path of this process, for whoever cannot take bytes."""
    return Path(os.fsdecode(encoded(path)))


def shown(path: str) -> str:
    """Stored text for people and for outputs that are UTF-8: bytes that are not UTF-8 are written out, as in `\\xff`."""
    return path if path.isascii() else encoded(path).decode("utf-8", "backslashreplace")


def typed(path: str) -> str:
    """The stored text of a path that a person typed: bytes of the disk, as a shell completes them, else the characters."""
    raw = os.fsencode(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return path if shown(path) == path else decoded(raw)
