"""A part of a folder as a Source: what is there now where some paths are said to have changed.

Costs a look at the folders concerned, however large the tree is. Where the rules of what is indexed may have changed as well,
it refuses: then only a whole walk can tell.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scova.core.path_text import encoded, stored
from scova.sources.folder import FolderSource
from scova.sources.ignore import FOLDER_FILES
from scova.sources.scope import Somewhere
from scova.sources.trail import Trail
from scova.types import Document, Item, Region, Skip

# Names whose coming, going or changing decides about other files.
_DECIDING = frozenset((*FOLDER_FILES, ".git", "pyvenv.cfg", "CACHEDIR.TAG"))


@dataclass(frozen=True, slots=True)
class Part:
    """What was found in a region. `trail` is that of the whole folder as it is now known."""

    folder: FolderSource
    offered: tuple[Item | Skip, ...]
    region: Region
    trail: Trail

    def items(self) -> Iterator[Item | Skip]:
        """Everything that was found, and what is left out of it."""
        return iter(self.offered)

    def read(self, item: Item) -> Document | Skip:
        """The text of an item, or why it has none."""
        return self.folder.read(item)


def look(folder: FolderSource, paths: Iterable[str], trail: Trail) -> Part | None:
    """What became of these paths, relative to the root, files or folders, there or gone; `trail` is what is known so far.

    None when that may concern other files too.
    """
    wanted, root = set(paths), stored(folder.root)
    if any(decides(path) or f"{root}/{path}" in trail.controls for path in wanted):
        return None
    scope = Somewhere({place for path in wanted for place in _places(root, path, trail)}, trail.folders)
    walk = folder.walk(scope)
    offered = tuple(walk.entries())
    seen = walk.trail()
    region = scope.region()
    inside = tuple(f"{root}/{tree}/" for tree in region.trees)  # what is new decides about itself only
    if not all(path.startswith(inside) or _is_as_before(path, trail, seen) for path in seen.controls):
        return None
    return Part(folder, offered, region, trail.amended(folder.root, region, seen))


def decides(path: str) -> bool:
    """Whether a change of this path concerns other files."""
    return not _DECIDING.isdisjoint(path.split("/"))


def _is_as_before(control: str, trail: Trail, seen: Trail) -> bool:
    """Whether a control file says what it said; one that was never asked before had no say, unless it lies in the tree."""
    if control in trail.controls:
        return trail.controls[control] == seen.controls[control]
    return control.rpartition("/")[2] not in FOLDER_FILES


def _places(root: str, path: str, trail: Trail) -> Iterator[str]:
    """The folders whose entries tell what became of a path: walked before, still there, and nearest to it."""
    if path in trail.folders and _is_folder(f"{root}/{path}"):
        yield path
    folder = path.rpartition("/")[0]
    while folder and not (folder in trail.folders and _is_folder(f"{root}/{folder}")):
        folder = folder.rpartition("/")[0]
    yield folder


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(encoded(path)).st_mode)
    except (OSError, ValueError):
        return False
