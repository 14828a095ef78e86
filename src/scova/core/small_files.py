"""Reads a file that is taken whole, other than the sources themselves: settings, git's files, ignore files, state files.

Such a file may lie in a folder that somebody else made. So it counts only when it is a regular file within a limit, and it
is opened without waiting: a pipe, a device, or a link to one is as if there were no file. Never raises for what is there.
"""

import os
import stat
from pathlib import Path

from scova.record import record

STATE_LIMIT = 16 << 20  # bytes of a file that scova itself wrote beside an index

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = 1 << 20


@record
class SmallFile:
    """What was found at a path."""

    content: bytes | None = None
    problem: str = ""  # why something that is there does not count, in words
    status: os.stat_result | None = None  # of what was opened, whether it counts or not


def read_small(path: str | os.PathLike[str], limit: int, *, follow: bool = True) -> bytes | None:
    """The content of a regular file of at most `limit` bytes; None where there is none. A last link counts only with `follow`."""
    return look_small(path, limit, follow=follow).content


def look_small(path: str | os.PathLike[str], limit: int, *, follow: bool = True) -> SmallFile:
    """The same, with the reason why something that is there does not count."""
    try:
        descriptor = os.open(path, _FLAGS | (0 if follow else _NO_LINK))
    except (FileNotFoundError, NotADirectoryError):
        return SmallFile()
    except (OSError, ValueError) as error:
        is_link = not follow and Path(path).is_symlink()
        return SmallFile(None, "it is a link" if is_link else f"it cannot be read: {getattr(error, 'strerror', error)}")
    try:
        return _read(descriptor, limit)
    except OSError as error:
        return SmallFile(None, f"it cannot be read: {error.strerror}")
    finally:
        os.close(descriptor)


def read_descriptor(descriptor: int, limit: int) -> bytes | None:
    """The same of a file that is open already. Raises OSError when the disk does not give it."""
    return _read(descriptor, limit).content


def _read(descriptor: int, limit: int) -> SmallFile:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return SmallFile(None, "it is not a regular file", status)
    too_large = SmallFile(None, f"it is larger than {limit:,} bytes", status)
    if status.st_size > limit:
        return too_large
    parts: list[bytes] = []
    left = limit + 1  # one byte more tells that it has grown, or did not say its size, as files of /proc do not
    while left > 0 and (part := os.read(descriptor, min(left, max(status.st_size + 1, 4096), _AT_ONCE))):
        parts.append(part)
        left -= len(part)
    return SmallFile(b"".join(parts), "", status) if left > 0 else too_large
