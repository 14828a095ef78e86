"""Calls of one moment, with what leads to them under other names; read from the store once and remembered.

Responsible for reading little. It refuses to say what a call means.
"""

import re
from typing import TypeVar

from scova.protocols import OutlineReader
from scova.types import Binding, Call, Symbol

_REMEMBERED = 4096  # of each kind
_MOST_CALLS = 300  # of one name, that are remembered
_LAST = re.compile(r"[\w$]*\Z")
_K = TypeVar("_K")
_T = TypeVar("_T")


class Calls:
    """All calls, by file and by name."""

    def __init__(self, reader: OutlineReader) -> None:
        self._reader = reader
        self._inside: dict[str, list[Call]] = {}
        self._of: dict[str, list[tuple[str, Call]]] = {}
        self._aliases: dict[str, list[tuple[str, Binding]]] = {}
        self._heirs: dict[str, list[tuple[str, Symbol]]] = {}
        self._made: dict[str, dict[str, list[tuple[str, Call]]]] = {}

    def inside(self, path: str) -> list[Call]:
        """All calls in one file, in order."""
        found = self._inside.get(path)
        if found is None:
            found = keep(self._inside, path, [call for _, call in self._reader.calls(path=path)])
        return found

    def of(self, name: str) -> list[tuple[str, Call]]:
        """All calls of a name, each with its file's path, in order."""
        found = self._of.get(name)
        if found is None:
            found = self._reader.calls(name)
            if len(found) <= _MOST_CALLS:
                keep(self._of, name, found)
        return found

    def aliases(self, name: str) -> list[tuple[str, Binding]]:
        """Imports of a name under another one, each with its file's path."""
        found = self._aliases.get(name)
        return keep(self._aliases, name, self._reader.aliases(name)) if found is None else found

    def heirs(self, name: str) -> list[tuple[str, Symbol]]:
        """Classes that inherit from something called so, each with its file's path."""
        found = self._heirs.get(name)
        return keep(self._heirs, name, self._reader.heirs(name)) if found is None else found

    def made(self, maker: str, name: str) -> list[tuple[str, Call]]:
        """Calls of a maker (`new`) on something whose last component is called so; on nothing when that is empty."""
        found = self._made.get(maker)
        if found is None:
            found = {}
            for path, call in self._reader.calls(maker):
                found.setdefault(_LAST.findall(call.receiver)[0], []).append((path, call))
            self._made[maker] = found
        return found.get(name, [])


def keep(table: dict[_K, _T], key: _K, found: _T) -> _T:
    """Remember what was read, without remembering without end."""
    if len(table) >= _REMEMBERED:
        table.clear()
    table[key] = found
    return found
