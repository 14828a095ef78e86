"""The bytes of single files of a folder, as they are now, for whoever wants to look into them.

Never follows a symlink out of the root, never waits on a pipe, never raises for one bad file. Unlike `reading` it judges
nothing: what the bytes mean, and whether they are worth reading, is the caller's business.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from scova.core.own_folder import is_companion
from scova.core.path_text import encoded, stored
from scova.sources.secrets import SecretRules

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_AT_ONCE = 1 << 20
_SNIFFED = 4096  # bytes in which most binary files show what they are


def raw_reader(root: Path) -> Callable[[str, bool], bytes | None]:
    """A function that reads a file by its path below the root: all of it, or None if it cannot be had.

    With its second argument, a file that has a zero byte at its very beginning is not read any further.
    """
    prefix = stored(root) if root == root.parent else f"{stored(root)}{os.sep}"

    def read(path: str, sniff: bool) -> bytes | None:
        if is_companion(path):
            return None
        try:
            place = encoded(prefix + path)
            descriptor = os.open(place, _FLAGS)
        except (OSError, ValueError):
            return None
        try:
            size = _size(descriptor, place)
            return None if size < 0 else _content(descriptor, size, sniff=sniff)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    return read


def without_secrets(
    read: Callable[[str, bool], bytes | None], secrets: SecretRules
) -> Callable[[str, bool], bytes | None]:
    """The same function, to which a file with keys or passwords in it is not there."""

    def checked(path: str, sniff: bool) -> bytes | None:
        if secrets.by_name(path):
            return None
        data = read(path, sniff)
        return None if data is None or secrets.reason(path, data) else data

    return checked


def _size(descriptor: int, place: bytes) -> int:
    """How large it is; -1 if it is no plain file, or lies elsewhere than its path says."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return -1
    try:
        # As plain text: a Path would cost more than the call itself, and this is done for every file.
        real = os.readlink(b"/proc/self/fd/%d" % descriptor)  # noqa: PTH115
    except OSError:
        real = os.path.realpath(place)
    return status.st_size if real == place else -1


def _content(descriptor: int, size: int, *, sniff: bool) -> bytes:
    parts = []
    if sniff:
        parts.append(os.read(descriptor, _SNIFFED))
        if b"\0" in parts[0] and not parts[0].startswith((b"\xff\xfe", b"\xfe\xff")):
            return parts[0]
    while part := os.read(descriptor, max(size + 1, _AT_ONCE) if not parts else _AT_ONCE):
        parts.append(part)
        if len(parts) == 1 and len(part) == size:
            break  # one call more would only say that this was the end
    return parts[0] if len(parts) == 1 else b"".join(parts)
