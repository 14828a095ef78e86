"""Opens and removes files in folders that scova made for itself, such as the folder of an index.

Whoever ships a repository may ship such a folder too, with links, pipes or devices in it. So a file there is opened relative
to the folder, no link below the folder is followed, and it must be a regular file of this user (or of the administrator).
The way to the folder itself may hold links: it is the user's choice. Knows no file by name.
"""

import errno
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scova.core.small_files import read_descriptor
from scova.errors import IndexForeign
from scova.record import field, record

_ALWAYS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_COMPANIONS = ("", "-wal", "-shm", "-journal")  # what SQLite keeps beside a database
_HINT = "look at it; `scova index --adopt` removes what has a name of scova's, and builds the index anew"


def open_own(path: Path, flags: int, *, within: int = 1) -> int:
    """A descriptor of a regular file. Its last `within` names lie below the folder that scova made; IndexForeign where one of them is
    a link, or the file is none of ours. Raises OSError as `os.open` does."""
    folder = path.parents[within - 1]
    *inner, name = path.parts[-within:]
    at = os.open(folder, _FOLDER)
    try:
        for each in inner:
            at = _entered(at, each, path)
        descriptor = _opened(at, name, flags, path)
    finally:
        os.close(at)
    try:
        _check(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_own(path: Path, limit: int, *, within: int = 1) -> bytes | None:
    """The content of a file of at most `limit` bytes that lies in such a folder; None where there is none. Raises as `open_own`."""
    try:
        descriptor = open_own(path, os.O_RDONLY, within=within)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return read_descriptor(descriptor, limit)
    finally:
        os.close(descriptor)


def check_database(path: Path) -> None:
    """IndexForeign where a database, or what SQLite keeps beside it, is no regular file of ours. To be asked before SQLite opens it by
    its name; nothing is opened here, since closing would drop the locks that this process has on it."""
    for suffix in _COMPANIONS:
        place = path.with_name(path.name + suffix)
        check_file(place)


def check_file(path: Path) -> None:
    """IndexForeign where there is something at this path that is no regular file of ours; nothing there is fine. Opens nothing."""
    with suppress(FileNotFoundError, NotADirectoryError):
        _check(os.lstat(path), path)


def check_folder(path: Path) -> None:
    """IndexForeign where there is something at this path that is no folder of ours; nothing there is fine."""
    with suppress(FileNotFoundError):
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode):
            raise foreign(path, "it is a link" if stat.S_ISLNK(status.st_mode) else "it is not a folder")
        _check_owner(status, path)


def foreign(path: Path, why: str) -> IndexForeign:
    """The error for what lies in a folder of ours and is not ours."""
    return IndexForeign(f"`{path}` is not a file of scova: {why}", _HINT)


def list_own(folder: Path) -> list[Path]:
    """What is in a folder that scova made; nothing where it is a link, or not there."""
    try:
        return [] if folder.is_symlink() else list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


@record
class Names:
    """The names that scova gives in a folder of its own: patterns of files, and folders with what is in them."""

    files: re.Pattern[str]
    folders: Mapping[str, "Names"] = field(default_factory=dict)

    def folder(self, name: str) -> "Names | None":
        """What is in a folder of this name; None when it is not ours."""
        return self.folders.get(name)

    def holds(self, name: str) -> bool:
        """Whether something of this name is ours."""
        return name in self.folders or bool(self.files.fullmatch(name))


def remove_own(folder: Path, names: Names) -> bool:
    """Remove what has one of our names, at any depth that we made, and then the folder where nothing else is left in it. A link is not
    followed. Says whether the folder is gone."""
    try:
        at = os.open(folder, _FOLDER | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        _cleared(at, names)
    finally:
        os.close(at)
    with suppress(OSError):
        folder.rmdir()
    return not os.path.lexists(folder)


def _cleared(at: int, names: Names) -> None:
    with os.scandir(at) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        inside = names.folder(name) if is_folder else None
        with suppress(OSError):
            if inside is not None:
                below = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
                try:
                    _cleared(below, inside)
                finally:
                    os.close(below)
                os.rmdir(name, dir_fd=at)
            elif not is_folder and names.holds(name):
                os.unlink(name, dir_fd=at)


def _entered(at: int, name: str, path: Path) -> int:
    """The folder of this name in place of the one it lies in."""
    try:
        inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise foreign(path.parent, "it is a link, or no folder") from None
        raise
    os.close(at)
    return inner


def _opened(at: int, name: str, flags: int, path: Path) -> int:
    try:
        return os.open(name, flags | _ALWAYS, 0o600, dir_fd=at)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise foreign(path, "it is a link") from None
        if error.errno in (errno.EISDIR, errno.ENXIO):  # a folder; a pipe that nobody reads, a socket
            raise foreign(path, "it is not a regular file") from None
        raise


def _check(status: os.stat_result, path: Path) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise foreign(path, "it is a link")
    if not stat.S_ISREG(status.st_mode):
        raise foreign(path, "it is not a regular file")
    _check_owner(status, path)


def _check_owner(status: os.stat_result, path: Path) -> None:
    """The user themselves, the administrator, or whoever the folder belongs to that the user named."""
    if status.st_uid not in (os.geteuid(), 0) and status.st_uid != path.parent.stat().st_uid:
        raise foreign(path, "it belongs to another user")
