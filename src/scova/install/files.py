"""Other programs' files: read only when they are what they should be, replaced whole or not at all. Knows nothing of what they say."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scova.core.small_files import read_small
from scova.errors import ClientError
from scova.whole import Unfinished

MOST_BYTES = 16_000_000
_UNTOUCHED = "nothing was changed"


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was read. `real` is where it lies, behind all links; `data` is None when there is none."""

    path: Path
    real: Path
    data: bytes | None = None
    mode: int = 0

    @property
    def text(self) -> str:
        """What it says; ClientError when that is not text."""
        try:
            return (self.data or b"").decode()
        except UnicodeDecodeError as error:
            raise refused(self.path, "is not UTF-8 text", "save it as UTF-8") from error


def refused(path: Path, why: str, hint: str) -> ClientError:
    """The error for a file that is left alone."""
    return ClientError(f"`{path}` {why}; {_UNTOUCHED}", hint)


def look(path: Path, within: Sequence[Path]) -> Seen:
    """The file behind a path, through links as long as they stay `within` one of these folders; ClientError when it cannot be changed safely."""
    try:
        real = path.resolve()
        if not any(real.is_relative_to(folder.resolve()) for folder in within):
            raise refused(
                path,
                f"leads elsewhere, to `{real}`",
                "put a file there instead of the link, or add the entry there by hand",
            )
        data, mode = _read(path, real)
    except (OSError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else "its links go round in circles"
        raise refused(path, f"cannot be read ({why})", "make it readable, or remove it") from error
    return Seen(path, real, data, mode)


def missing_folders(seen: Seen) -> list[Path]:
    """The folders that must be made for a file, outermost first."""
    return [folder for folder in reversed(seen.real.parents) if not folder.exists()]


def put(seen: Seen, data: bytes) -> None:
    """Replace a file, unless it has changed since it was seen, and see that it says what was written."""
    _unchanged(seen)
    made = missing_folders(seen)
    try:
        unfinished = Unfinished(seen.real, private=False)
        try:
            if seen.mode:
                os.fchmod(unfinished.file.fileno(), seen.mode)
                with suppress(OSError):  # its owner is kept where that is allowed
                    there = seen.real.stat()
                    os.fchown(unfinished.file.fileno(), there.st_uid, there.st_gid)
            unfinished.file.write(data)
            unfinished.finish()
        finally:
            unfinished.discard()
    except OSError as error:
        _remove_folders(made)
        raise refused(seen.path, f"cannot be written ({error.strerror})", "make its folder writable") from error
    written = read_small(seen.real, MOST_BYTES)
    if written != data:
        if seen.data is not None:
            seen.real.write_bytes(seen.data)
        raise refused(seen.path, "did not say what was written to it", "look at the disk")


def remove(seen: Seen, folders: Sequence[Path]) -> None:
    """Remove a file, unless it has changed since it was seen, and those of these folders that are empty then."""
    _unchanged(seen)
    try:
        seen.real.unlink(missing_ok=True)
    except OSError as error:
        raise refused(seen.path, f"cannot be removed ({error.strerror})", "make its folder writable") from error
    _remove_folders(folders)


def _remove_folders(folders: Sequence[Path]) -> None:
    for folder in sorted(folders, key=lambda one: len(one.parts), reverse=True):
        with suppress(OSError):  # not empty, or gone
            folder.rmdir()


def _unchanged(seen: Seen) -> None:
    if look(seen.path, [seen.real]).data != seen.data:
        raise refused(seen.path, "was changed by another program meanwhile", "run it again")


def _read(path: Path, real: Path) -> tuple[bytes | None, int]:
    try:
        facts = real.stat()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise refused(path, f"is a link to `{real}`, which is not there", "remove the link") from None
        return None, 0
    if not stat.S_ISREG(facts.st_mode):
        raise refused(path, "is not a file", "move it out of the way")
    if facts.st_size > MOST_BYTES:
        raise refused(path, f"has {facts.st_size} bytes, which no configuration has", "look at what is in it")
    mode = stat.S_IMODE(facts.st_mode)
    if not mode & 0o222 or not os.access(real, os.W_OK):
        raise refused(path, "is read-only", "make it writable")
    data = read_small(real, MOST_BYTES)  # it may have become another thing since
    if data is None:
        raise refused(path, "cannot be read", "look at what it is")
    return data, mode
