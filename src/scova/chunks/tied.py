"""Which names files define and use, remembered: the same files come up again and again."""

from collections.abc import Sequence

from scova.protocols import StoreReader
from scova.types import Ties

_MOST_NAMES = 200_000  # some 20 MB
_UNTIED = Ties(frozenset(), frozenset())


class Tied:
    """The names of files at one moment. Holds nothing but what it was asked for."""

    def __init__(self, reader: StoreReader) -> None:
        self._reader = reader
        self._known: dict[str, Ties] = {}
        self._names = 0  # in all of these

    def __call__(self, paths: Sequence[str]) -> list[Ties]:
        """Those of each of these files, in order; none for a file of which nothing is known."""
        known = self._known
        if missing := [path for path in paths if path not in known]:
            found = self._reader.ties(missing)
            self._names += sum(len(ties.defines) + len(ties.uses) for ties in found.values())
            if self._names > _MOST_NAMES:
                known = self._known = {path: known[path] for path in paths if path in known}
                self._names = 0
            known.update(dict.fromkeys(missing, _UNTIED) | found)
        return [known[path] for path in paths]
