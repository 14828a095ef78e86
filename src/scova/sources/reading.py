"""Reads one file of a folder: bytes to text, or a reason why not.

Never follows a symlink out of the root, not even one that took the place of a file or folder after the walk; never
waits on a pipe; never raises for one bad file. Knows nothing of ignore rules; which language a file is in is asked
of the caller.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scova.core.own_folder import is_companion
from scova.core.path_text import encoded, stored
from scova.sources.content import Left, text_of
from scova.sources.git.controls import change_ns
from scova.sources.secrets import NO_SECRETS, SecretRules
from scova.types import Document, Item, Mark, Skip

LanguageOf = Callable[[str, str], str]  # path and text -> language

MAX_FILE_BYTES = 5_000_000

_STALE_SIZE = -1  # no file has it, so the next look finds a difference


def no_language(path: str, text: str) -> str:
    """The answer of a caller who does not care for languages."""
    return ""


@dataclass(frozen=True, slots=True)
class _Content:
    data: bytes
    mark: Mark


def read_document(
    root: Path,
    item: Item,
    language_of: LanguageOf,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
    secrets: SecretRules = NO_SECRETS,
    keep_line_ends: bool = False,
) -> Document | Skip:
    """The item's text as it is now, or why it has none. `root` is absolute.

    The mark is of the moment of reading. If the file kept changing meanwhile, the mark is one that no file can have,
    so that the next look finds a difference and reads again.
    """
    try:
        if is_companion(item.path):
            raise Left("internal", "kept by SQLite beside a database")
        content = _read(root, item.path, max_file_bytes)
        text = text_of(item.path, content.data, secrets, keep_line_ends=keep_line_ends)
    except Left as left:
        return Skip(item.path, left.reason, left.detail)
    language = language_of(item.path, text)
    return Document(item.path, text, hashlib.sha256(content.data).hexdigest(), language, content.mark)


def _read(root: Path, path: str, limit: int) -> _Content:
    """The bytes and the mark they belong to; tries once more if the file changes meanwhile."""
    try:
        first = _read_once(root, path, limit)
        return first if first is not None and first.mark.size != _STALE_SIZE else _read_again(root, path, limit)
    except (FileNotFoundError, NotADirectoryError):
        raise Left("vanished", "it was gone when it was to be read") from None
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise Left("symlink", "a symlink took its place") from None
        raise Left("unreadable", problem.strerror or "it cannot be read") from None
    except ValueError as problem:
        raise Left("unreadable", str(problem)) from None


def _read_again(root: Path, path: str, limit: int) -> _Content:
    content = _read_once(root, path, limit)
    if content is None:
        raise FileNotFoundError
    return content


def _read_once(root: Path, path: str, limit: int) -> _Content | None:
    """The bytes with their mark, a stale one if they changed meanwhile; None if the file was replaced just now."""
    # Without O_NONBLOCK a pipe that took the file's place would hold us for ever.
    descriptor = os.open(_place(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise Left("special", "neither a file nor a folder")
        if not _lies_at(descriptor, root, path):
            if os.fstat(descriptor).st_nlink == 0:
                return None
            raise Left("symlink", "a folder on the way became a symlink")
        if before.st_size > limit:
            raise Left("too-large", f"{before.st_size:,} bytes; the limit is {limit:,}")
        data = _read_up_to(descriptor, limit + 1, before.st_size)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise Left("too-large", f"it grew over the limit of {limit:,} bytes while it was read")
    same = (change_ns(before), before.st_size) == (change_ns(after), after.st_size) and len(data) == before.st_size
    return _Content(data, Mark(before.st_size if same else _STALE_SIZE, change_ns(before)))


def _read_up_to(descriptor: int, limit: int, expected: int) -> bytes:
    """Everything to the end of the file, but not much more than the limit. One call more than needed finds the end."""
    parts = []
    remaining = limit
    while remaining > 0 and (part := os.read(descriptor, min(remaining, max(expected + 1, 65_536)))):
        parts.append(part)
        remaining -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _lies_at(descriptor: int, root: Path, path: str) -> bool:
    """Whether the open file is where its path says, with no symlink on the way below the root.

    Asks the kernel for the open file's own place, which cannot be exchanged behind our back; where that cannot be had,
    resolves the folder once more.
    """
    try:
        # As plain text: a Path would cost more than the call itself, and this is done for every file.
        place = os.readlink(b"/proc/self/fd/%d" % descriptor)  # noqa: PTH115
    except OSError:
        place = os.path.realpath(_place(root, path))
    return place == _place(root, path) or place == _place(root.resolve(), path)


def _place(root: Path, path: str) -> bytes:
    """The absolute path, also below the root of the file system."""
    top = stored(root)
    return encoded(f"{top}{path}" if root == root.parent else f"{top}/{path}")
