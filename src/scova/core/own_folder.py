"""Folders that hold scova's own files, told from all others: caches, indexes, named projects, data of servers.

SQLite locks a database by POSIX locks, and a process loses all that it has on a file when it closes any descriptor of it. So
whoever walks a tree must never open such a file, however it came to lie there. A folder of ours is known by the marker that
is put into it, or by its device and inode, whatever path leads to it; one of an older scova by what lies in it.
"""

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

MARKER = ".scova-data"  # an empty file
_OLDER = (frozenset(("store.db", ".writer.lock")), frozenset(("embeddings.db", "projects")))
_COMPANIONS = ("-wal", "-shm", "-journal")

Identity = tuple[int, int]  # device and inode


def make(folder: Path) -> None:
    """Make a folder for files of our own, where there is none, and mark it. Raises OSError when it cannot be made."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / MARKER
    if not place.exists():
        with suppress(OSError):  # it is known by its identity too, and a full disk must not stop what makes room
            place.touch()


def is_own(names: Collection[str]) -> bool:
    """Whether a folder with these entries is one of ours."""
    return MARKER in names or any(older.issubset(names) for older in _OLDER)


def identities(folders: Iterable[Path]) -> frozenset[Identity]:
    """Those of the folders that are there, by which they are known under any path."""
    found = set()
    for folder in folders:
        with suppress(OSError, ValueError):
            status = folder.stat()
            found.add((status.st_dev, status.st_ino))
    return frozenset(found)


def identity(status: os.stat_result) -> Identity:
    """Which file or folder this is."""
    return status.st_dev, status.st_ino


def is_companion(name: str) -> bool:
    """Whether a file of this name is what SQLite keeps beside a database while it is in use."""
    return name.endswith(_COMPANIONS)
