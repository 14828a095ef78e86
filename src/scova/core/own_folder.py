"""Folders and files that scova makes for itself: for this user alone, whatever the umask. What they hold was read from a user's code.

A folder is made with mode 0700, a file with 0600. One that an earlier version left open to others is closed when it is used
again; a folder in which other files lie too keeps its mode, since it may be for others. What a user asks for by name, such as
an export, is none of ours.

SQLite locks a database by POSIX locks, and a process loses all that it has on a file when it closes any descriptor of it. So
whoever walks a tree must never open such a file, however it came to lie there. A folder of ours is known by the marker that
is put into it, or by its device and inode, whatever path leads to it; one of an older scova by what lies in it.
"""

import os
import re
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

MARKER = ".scova-data"  # an empty file
_OLDER = (frozenset(("store.db", ".writer.lock")), frozenset(("embeddings.db", "projects")))
_COMPANIONS = ("-wal", "-shm", "-journal")

Identity = tuple[int, int]  # device and inode

_FOLDER, _FILE = 0o700, 0o600
_OTHERS = 0o077

# Names that nobody but scova gives, and others that it gives in a folder of its own. A folder with nothing else in it is ours.
_CERTAIN = r"""(?x)\.?(?:store|jobs|embeddings|pages)\.db(?:-wal|-shm|-journal|\.damaged-\d+(?:-wal|-shm)?|\.unfinished(?:-\w+)?)?
    |\d+\.(?:seg|vec|gram|hnsw)|\.scova-data|\.(?:writer|compaction|metadata|jobs|mcp-state|tokens|project|build)\.lock
    |collection_meta\.json|embedders\.json|mcp-state\.json|build-\d{8}T\d{6}-\d+\.jsonl|tenants"""
_USUAL = r"""(?x)projects|named|servers|cache|data|logs|text|vectors|grams|temporary|bell|root|id|indexes|checkpoints|builds|downloads|listings
    |evaluation|\.lock|watch\.lock|watch\.json|jobs\.log|tokens\.json|project\.json|\..+\.unfinished"""
_NAME = "scova"  # of a folder that is ours whatever is in it


def make(folder: Path) -> None:
    """Make a folder for files of our own, and those above it that are missing; one that is there is closed to others. Raises OSError."""
    if not _is_made(folder):
        close_to_others(folder)


def make_marked(folder: Path) -> None:
    """The same for a folder that no walk may enter: a cache, an index, the data of a server."""
    make(folder)
    place = folder / MARKER
    if not place.exists():
        # It is known by its identity too, and a full disk must not stop what makes room.
        with suppress(OSError):
            place.touch(_FILE)


def opener(path: str, flags: int) -> int:
    """For `open`: a file of our own."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, _FILE)
    with suppress(OSError):  # of another user, or where there are no modes
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != _FILE:
            os.fchmod(descriptor, _FILE)
    return descriptor


def close_to_others(*paths: Path) -> None:
    """Let nobody else read files of ours, or what is in folders of ours. Opens nothing: SQLite would lose its locks."""
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            if _is_open(status) and stat.S_ISDIR(status.st_mode):
                _close_folder(path, is_certain=path.name == _NAME or not any(path.iterdir()))
            elif _is_open(status) and not path.is_symlink():
                path.chmod(_FILE)


def _is_made(folder: Path, *, is_last: bool = False) -> bool:
    """Whether the folder was made now, and was not there before."""
    try:
        folder.mkdir(_FOLDER)
    except FileNotFoundError:
        if is_last or folder.parent == folder:  # as in /proc, where nothing can be made in a folder that is there
            raise
        _is_made(folder.parent)
        return _is_made(folder, is_last=True)
    except OSError:
        if folder.is_dir():
            return False
        raise
    with suppress(OSError):
        if stat.S_IMODE(folder.stat().st_mode) & 0o777 != _FOLDER:
            folder.chmod(_FOLDER)
    return True


def _close_folder(folder: Path, *, is_certain: bool = False) -> None:
    """Close a folder with nothing but names of ours in it; in any other those files and folders that are certainly ours."""
    with os.scandir(folder) as found:
        entries = list(found)
    certain = [entry for entry in entries if re.fullmatch(_CERTAIN, entry.name)]
    usual = [entry for entry in entries if re.fullmatch(_USUAL, entry.name)]
    is_ours = len({entry.name for entry in (*certain, *usual)}) == len(entries)
    if is_ours and (certain or is_certain) and not folder.stat().st_mode & stat.S_ISVTX:
        folder.chmod(_FOLDER)
        return
    for entry in (*certain, *usual):
        status = entry.stat(follow_symlinks=False)
        if not _is_open(status):
            continue
        if stat.S_ISDIR(status.st_mode):
            _close_folder(Path(entry.path))
        elif stat.S_ISREG(status.st_mode) and entry in certain:
            Path(entry.path).chmod(_FILE)


def _is_open(status: os.stat_result) -> bool:
    """Whether others may do anything with what belongs to this user."""
    return bool(status.st_mode & _OTHERS) and status.st_uid == os.geteuid()


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
