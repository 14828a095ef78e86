"""One writer per index.

An advisory lock of the operating system on the index's lock file: it cannot be forgotten, since it dies with the process
that holds it, however that process ends. The file's content names the holder, for people; it is never trusted for anything.
Readers do not come here.
"""

import errno
import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scova.core import own_folder
from scova.core.own_files import open_own
from scova.errors import IndexBusy, IndexReadOnly

_held: set[int] = set()


def _drop_inherited() -> None:
    # A forked worker shares the parent's lock; if it outlived a killed parent, the index would stay locked.
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_drop_inherited)


@contextmanager
def writer_lock(path: Path, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold the index's write lock, waiting at most `wait_seconds` for it; IndexBusy names who has it."""
    descriptor = _opened(path)
    try:
        _take(descriptor, path, time.monotonic() + wait_seconds)
    except BaseException:
        os.close(descriptor)
        raise
    _held.add(descriptor)
    try:
        with suppress(OSError):  # the name is for people: on a full disk, what makes room must get in without it
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(_myself()).encode(), 0)
        yield
    finally:
        _held.discard(descriptor)
        os.ftruncate(descriptor, 0)
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """The folder of an index, and so of its lock, where there is none yet; IndexReadOnly where none can be made."""
    try:
        own_folder.make(folder)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        raise IndexReadOnly(
            f"the index folder `{folder}` cannot be made: {error.strerror}", "choose another with --data or SCOVA_DATA"
        ) from error


def holder(path: Path) -> str:
    """Who holds the lock, in words; empty when nobody does."""
    try:
        descriptor = open_own(path, os.O_RDONLY)
    except FileNotFoundError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return _named(descriptor)
    else:
        return ""
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        return open_own(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        hint = "the index folder must be writable; choose another with --data or SCOVA_DATA"
        raise IndexReadOnly(f"the index in `{path.parent}` cannot be written to", hint) from error


def _take(descriptor: int, path: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
        if time.monotonic() >= deadline:
            raise IndexBusy(
                _who_writes(descriptor),
                "wait for it to finish and try again; searching works meanwhile",
            )
        time.sleep(0.05)


def _myself() -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "host": os.uname().nodename,
        "command": " ".join(map(_harmless, Path(sys.argv[0]).name.split() + sys.argv[1:]))[:200],
        "since": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def _harmless(word: str) -> str:
    """A word of a command, but for an address that may hold a password."""
    scheme, is_address, rest = word.partition("://")
    return f"{scheme}://…" if is_address and ("@" in rest or "password" in rest) else word


def _who_writes(descriptor: int) -> str:
    who = _read(descriptor)
    is_here = (who.get("pid"), who.get("host")) == (os.getpid(), os.uname().nodename)
    what = "another thread of this process" if is_here else "another process"
    return f"{what} is writing this index: {_named(descriptor)}"


def _read(descriptor: int) -> dict[str, object]:
    """What the holder has written of itself; nothing when that is not there yet."""
    try:
        found = json.loads(os.pread(descriptor, 4096, 0))
        return found if isinstance(found, dict) else {}
    except ValueError:
        return {}


def _named(descriptor: int) -> str:
    who = _read(descriptor)
    try:
        return f"process {who['pid']} on {who['host']} (`{who['command']}`, since {who['since']})"
    except KeyError:
        return "a process that has not given its name yet"
