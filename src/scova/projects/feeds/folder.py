"""A folder as a feed: files by their paths, with the rules that any indexed folder has, and the patterns that were asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scova.filters import path_passes
from scova.projects.feeds.feed import Batch, Turn
from scova.projects.spec import SourceSpec
from scova.sources.folder import FolderSource
from scova.types import Document, Filters, Item, Region, Skip

BATCH = 100  # files


class FolderFeed:
    """The files of one folder."""

    kind = "files"

    def __init__(self, spec: SourceSpec, folder: FolderSource) -> None:
        self._spec = spec
        self._folder = folder
        self._found: dict[str, Item | Skip] = {}
        self.notes: list[str] = []

    def names(self) -> list[str]:
        """Every file that is wanted, in order."""
        passes = path_passes(Filters(paths=self._spec.include, not_paths=self._spec.exclude))
        self._found = {found.path: found for found in self._folder.items() if passes is None or passes(found.path)}
        return list(self._found)

    def size(self) -> int:
        """Bytes of all files that were found."""
        return sum(found.mark.size for found in self._found.values() if isinstance(found, Item))

    def batches(self, left: list[str], turn: Turn) -> Iterator[Batch]:
        """The files that are left, some at a time."""
        left = left[: turn.most]
        for start in range(0, len(left), BATCH):
            if turn.stop():
                return
            names = left[start : start + BATCH]
            source_id = self._spec.source_id
            source = Below(self._folder, source_id, [self._found[name] for name in names])
            yield Batch(source, Region(files=frozenset(f"{source_id}/{name}" for name in names)), tuple(names))

    def everything(self, skips: Sequence[Skip]) -> Batch:
        """All files as they were found."""
        source_id = self._spec.source_id
        source = Below(self._folder, source_id, list(self._found.values()))
        return Batch(source, Region(trees=frozenset((source_id,))), tuple(self._found))


class Below:
    """A part of a folder as a Source, under the name of the project's source. Safe to send to another process."""

    def __init__(self, folder: FolderSource, source_id: str, found: list[Item | Skip]) -> None:
        self._folder = folder
        self._prefix = f"{source_id}/"
        self._found = found

    def items(self) -> Iterator[Item | Skip]:
        """Each as the folder has it, under its path in the project."""
        for found in self._found:
            yield found._replace(path=self._prefix + found.path)

    def read(self, item: Item) -> Document | Skip:
        """The text of an item, or why it has none."""
        read = self._folder.read(item._replace(path=item.path.removeprefix(self._prefix)))
        path = self._prefix + read.path
        return read._replace(path=path) if isinstance(read, Skip) else replace(read, path=path)
