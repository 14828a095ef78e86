"""Turns on a folder of files that belong together, so that nobody opens some old and some new ones.

An advisory lock on the folder itself: held while the files are put in place or opened, never while they are written or read.
On file systems without such locks, everyone goes on without.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scova.errors import ExchangeError, NotAFolder

PATIENCE_SECONDS = 30.0
_TAKEN = (errno.EAGAIN, errno.EACCES)


@contextmanager
def turn(folder: Path, *, alone: bool = False) -> Iterator[None]:
    """Hold the folder: with all who open files, or `alone` to put some in place."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        there = "is not a folder" if folder.exists() else "does not exist"
        raise NotAFolder(f"`{folder}` {there}", "give the folder that holds the exported files") from None
    except OSError as error:
        raise NotAFolder(f"`{folder}` cannot be read: {error.strerror}", "let this user read it") from None
    try:
        _take(descriptor, folder, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, folder: Path, kind: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in _TAKEN:
                return  # there are no such locks here
        if time.monotonic() > deadline:
            raise ExchangeError(f"another process keeps `{folder}` busy", "wait for it to finish, then try again")
        time.sleep(0.01)
