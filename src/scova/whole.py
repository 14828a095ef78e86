"""Files that appear whole or not at all: written beside their place, synced, then renamed. Knows no file by name."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from scova.core import own_folder
from scova.core.own_files import open_own

UNFINISHED = ".unfinished"  # how the name of a file ends while it is being written


class Unfinished:
    """A file that is written beside its place: there whole once `finish` returned, and not at all before.

    A `durable` one survives a power cut from then on, others only the death of the process.
    """

    def __init__(self, path: Path, *, durable: bool = True, private: bool = True, within: int = 1) -> None:
        """A `private` one is for this user alone, and the last `within` names of its path lie below a folder that scova made: none of
        them may be a link. Any other has the mode that the user's programs give."""
        if private:
            own_folder.make(path.parent)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._durable = durable
        # Two threads may write the same file at a time: each has a name of its own, and the last to finish stays.
        self.beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}{UNFINISHED}")
        self.beside.unlink(missing_ok=True)  # of a process of the same number that was killed
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self.file: BinaryIO = (
            os.fdopen(open_own(self.beside, flags, within=within), "wb") if private else self.beside.open("xb")
        )

    def sync(self) -> None:
        """Bring to the disk what was written so far; where several files belong together, to be done with all before the first `finish`."""
        self.file.flush()
        if self._durable:
            os.fsync(self.file.fileno())

    def finish(self) -> None:
        """Put the file in its place, over what may be there."""
        self.sync()
        self.file.close()
        self.beside.replace(self._path)
        if self._durable:
            sync_folder(self._path.parent)

    def discard(self) -> None:
        """Leave nothing behind; changes nothing after `finish`."""
        try:
            self.file.close()
        finally:
            self.beside.unlink(missing_ok=True)


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which appears under `path` whole and synced when the block ends, and not at all if it fails."""
    unfinished = Unfinished(path)
    try:
        yield unfinished.file
        unfinished.finish()
    finally:
        unfinished.discard()


def sync_folder(folder: Path) -> None:
    """Make renames inside this folder survive a power cut, where the system can do that (Windows cannot open folders)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
