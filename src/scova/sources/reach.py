"""Whether a walk over a folder would come to a certain place in it. Offers nothing of what it sees on the way."""

from collections.abc import Iterable

from scova.sources.folder import FolderSource
from scova.sources.scope import Everywhere


class _Way(Everywhere):
    """The way down to one folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.leads_there = False

    def offers(self, folder: str) -> bool:
        return False

    def enters(self, folder: str) -> bool:
        return f"{self._folder}/".startswith(f"{folder}/")

    def listed(self, folder: str, inside: Iterable[str]) -> None:
        self.leads_there = self.leads_there or folder == self._folder


def is_walked(source: FolderSource, folder: str) -> bool:
    """Whether files in this folder, relative to the root and there, would be looked at; the root itself is ""."""
    way = _Way(folder)
    for _ in source.walk(way).entries():
        pass
    return way.leads_there
