"""What a walk saw on its way, so that a later look can tell in one stat each whether anything differs.

A Trail names every folder walked and every control file asked, each with its look at that moment; entries that were
left out for what they were at that moment (too large, not readable) are `stuck`: they come back when they change.
If all these are the same, a new walk would offer the same files, and only the files' own marks need a look.

Times are those of the last change of anything (content, mode, owner), so that a changed mode is seen too. One that was
too fresh to be trusted is kept as a time that never was, and costs one more walk.

Does no ignore matching and opens no file. The caller must walk again when it changes the settings of the source.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scova.core.path_text import encoded, stored
from scova.record import record
from scova.sources.git.controls import Look, change_ns, look
from scova.types import Item, Mark, Region


@record
class Trail:
    """What a full pass over a folder saw. Folders and stuck entries are relative to the root, which itself is ""."""

    folders: Mapping[str, int]  # folder -> time of its last change
    controls: Mapping[str, Look]  # absolute path, as stored text -> size and time of its last change
    stuck: Mapping[str, int]  # entry -> time of its last change

    def to_dict(self) -> dict[str, Any]:
        """Plain values that survive JSON."""
        controls = {path: None if seen is None else list(seen) for path, seen in self.controls.items()}
        return {"folders": dict(self.folders), "controls": controls, "stuck": dict(self.stuck)}

    def amended(self, root: Path, region: Region, seen: "Trail") -> "Trail":
        """This trail with what a later walk saw of a region."""
        walked = {folder: time for folder, time in seen.folders.items() if region.lists(folder)}
        gone = tuple(f"{stored(root)}/{tree}/" for tree in region.trees)
        return Trail(
            {folder: time for folder, time in self.folders.items() if not region.lists(folder)} | walked,
            {path: look for path, look in self.controls.items() if not path.startswith(gone)} | dict(seen.controls),
            {path: time for path, time in self.stuck.items() if not region.covers(path)} | dict(seen.stuck),
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Trail":
        """What `to_dict` gave. Raises KeyError, TypeError or ValueError for anything else."""
        controls = {str(path): seen and (int(seen[0]), int(seen[1])) for path, seen in values["controls"].items()}
        return cls(_times(values["folders"]), controls, _times(values["stuck"]))


def _times(values: Mapping[str, Any]) -> dict[str, int]:
    return {str(path): int(time) for path, time in values.items()}


def untouched(root: Path, seen: Iterable[tuple[str, int, int | None]]) -> bool:
    """Whether all these files, given by path, size and time of the last change, are there as they were, and may be read.

    Plain values in one loop: this is done for every file before each answer.
    """
    lstat, is_readable, by_change = os.lstat, readable_by_mode(), os.name == "posix"
    try:
        folder = os.open(root, os.O_RDONLY)  # paths from here on are a tenth quicker than those from the top
    except OSError:
        return False
    try:
        for path, size, changed_ns in seen:
            place = encoded(path)
            status = lstat(place, dir_fd=folder)
            if status.st_size != size or (status.st_ctime_ns if by_change else status.st_mtime_ns) != changed_ns:
                return False
            if status.st_mode & 0o444 != 0o444 and not (
                is_readable(status) or os.access(place, os.R_OK, dir_fd=folder)
            ):
                return False
    except OSError:
        return False
    finally:
        os.close(folder)
    return True


def changed_items(root: Path, trail: Trail, marks: Mapping[str, Mark]) -> list[Item] | None:
    """The files of `marks` whose content may have changed, as they are now; None if only a new walk can tell.

    `marks` has every file the walk offered, also those whose reading ended in a Skip.
    """
    if not same_way(root, trail):
        return None
    items = list(_changed(root, marks))
    return None if any(item is None for item in items) else [item for item in items if item is not None]


def same_way(root: Path, trail: Trail) -> bool:
    """Whether folders, control files and stuck entries are as the walk saw them."""
    prefix = encoded(f"{stored(root)}/")
    lstat = os.lstat
    try:
        for places in (trail.folders, trail.stuck):
            for path, time in places.items():
                if change_ns(lstat(prefix + encoded(path))) != time:
                    return False
    except OSError:
        return False
    return all(look(path) == seen for path, seen in trail.controls.items())


def _changed(root: Path, marks: Mapping[str, Mark]) -> Iterator[Item | None]:
    """Items whose marks differ; None for one that is gone or may no longer be read, which only a walk can put right."""
    prefix = encoded(f"{stored(root)}/")
    lstat, is_readable = os.lstat, readable_by_mode()
    for path, mark in marks.items():
        try:
            status = lstat(place := prefix + encoded(path))
        except OSError:
            yield None
            return
        if not is_readable(status) and not os.access(place, os.R_OK):
            yield None
            return
        if change_ns(status) != mark.changed_ns or status.st_size != mark.size:
            yield Item(path, Mark(status.st_size, change_ns(status)))


def readable_by_mode() -> Callable[[os.stat_result], bool]:
    """A test of whether this process may read a file, by its mode alone (an access list may allow more)."""
    user = os.geteuid()
    if user == 0:
        return lambda status: True
    groups = {os.getegid(), *os.getgroups()}

    def test(status: os.stat_result) -> bool:
        mode = status.st_mode
        if mode & 0o444 == 0o444:
            return True
        return bool(mode & (0o400 if status.st_uid == user else 0o040 if status.st_gid in groups else 0o004))

    return test
