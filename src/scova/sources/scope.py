"""How far a walk goes: everywhere, or only where something is said to have changed.

A walk asks it on the way which folders to enter and whose entries to offer; afterwards it knows the Region that was covered.
Folders that nobody has walked before are entered whole, folders that are gone count as covered. It looks at no disk.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from scova.types import EVERYWHERE, Region


class Everywhere:
    """The whole tree."""

    def offers(self, folder: str) -> bool:
        """Whether what lies directly in this folder is to be offered."""
        return True

    def enters(self, folder: str) -> bool:
        """Whether to go into this folder, which lies in one that was entered."""
        return True

    def listed(self, folder: str, inside: Iterable[str]) -> None:
        """A folder was entered; `inside` are the folders in it."""

    def barred(self, folder: str) -> None:
        """A folder that should be entered is left out, with everything in it."""

    def region(self) -> Region:
        """What was covered."""
        return EVERYWHERE


class Somewhere(Everywhere):
    """The entries of some folders, and whatever is new or gone there. `known` are all folders of the walk before."""

    def __init__(self, folders: Collection[str], known: Collection[str]) -> None:
        self._folders = frozenset(folders)
        self._on_the_way = {above for folder in folders for above in _upwards(folder)}
        self._known = known
        self._inside: defaultdict[str, set[str]] = defaultdict(set)
        for folder in known:
            if folder:
                self._inside[_above(folder)].add(folder)
        self._trees: set[str] = set()
        self._spared: set[str] = set()

    def offers(self, folder: str) -> bool:
        return folder in self._folders or any(above in self._trees for above in _upwards(folder))

    def enters(self, folder: str) -> bool:
        if folder in self._on_the_way:
            return True
        if _above(folder) not in self._folders:
            return self.offers(folder)
        if folder in self._known:
            self._spared.add(folder)
            return False
        self._trees.add(folder)
        return True

    def listed(self, folder: str, inside: Iterable[str]) -> None:
        if self.offers(folder):
            self._trees |= self._inside[folder].difference(inside)

    def barred(self, folder: str) -> None:
        self._trees.add(folder)

    def region(self) -> Region:
        return Region(self._folders, frozenset(self._trees), spared=frozenset(self._spared))


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _upwards(path: str) -> Iterable[str]:
    """The path itself and every folder above it."""
    while path:
        yield path
        path = _above(path)
    yield ""
