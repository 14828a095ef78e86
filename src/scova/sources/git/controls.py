"""Reads the files that decide what is indexed, and remembers what they looked like, absent ones included.

A later look that finds every one of them the same need not ask them again. Knows nothing of their content.
"""

import os
import time
from pathlib import Path

from scova.core.path_text import encoded, stored
from scova.core.small_files import look_small

Look = tuple[int, int] | None  # size and time of the last change; None if there is nothing to read

LARGEST_LIST = 100_000_000  # bytes of what git tracks: git, too, leaves larger ones aside
LARGEST_CONTROL = 1 << 20  # bytes of any other file
UNSETTLED = -1  # in place of a time: equals no real time, so that the next look finds a difference

_FINE_GRAIN_NS = 50_000_000  # kernels stamp files by a clock that ticks every 1 to 10 ms
_COARSE_GRAIN_NS = 2_000_000_000  # some file systems keep full or even seconds only


def change_ns(status: os.stat_result) -> int:
    """When anything about a file last changed: content, mode or owner."""
    return status.st_ctime_ns if os.name == "posix" else status.st_mtime_ns


def settled_ns(status: os.stat_result) -> int:
    """`change_ns`, or UNSETTLED if it is so recent that one more change could bear the same time."""
    changed = change_ns(status)
    grain = _FINE_GRAIN_NS if changed % 1_000_000_000 else _COARSE_GRAIN_NS
    return changed if changed < time.time_ns() - grain else UNSETTLED


def look(path: str) -> Look:
    """What a control file looks like now; its path as stored text."""
    try:
        status = os.stat(encoded(path))  # noqa: PTH116 - bytes are never a Path
    except (OSError, ValueError):
        return None
    return status.st_size, change_ns(status)


class Controls:
    """Every control file asked for so far, with its look at that moment."""

    def __init__(self) -> None:
        self.seen: dict[str, Look] = {}  # by absolute path, as stored text
        self.problems: dict[str, str] = {}  # files that are there and do not count, or not wholly: why, by path

    def read(self, path: Path, *, follow: bool = True, limit: int = LARGEST_CONTROL) -> bytes | None:
        """The content, or None where there is no regular file of at most `limit` bytes. A last symlink counts only with `follow`."""
        found = look_small(path, limit, follow=follow)
        status = found.status
        name = stored(path)
        self.seen[name] = look(name) if status is None else (status.st_size, settled_ns(status))
        if status is not None and found.problem:
            self.problems[name] = found.problem
        return found.content

    def is_absent(self, path: Path) -> bool:
        """Whether there is nothing at this path. Remembered only if so: what is there may change without consequence."""
        absent = not os.path.lexists(path)
        if absent:
            self.seen[stored(path)] = None
        return absent
