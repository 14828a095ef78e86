"""By what the folder of an index is known as ours: `id`, a random number written there when the index is made.

The user's state folder remembers the ids of the indexes that this user made, a file each (`indexes/ID`, which holds where the
index lay). So an index that came with somebody else's repository is told from one that was made here. Indexes made before
there were ids have a `root` file with a checksum instead, the oldest one without it.
"""

import os
import re
import threading
from contextlib import suppress
from pathlib import Path

from scova.core.own_files import check_file, check_folder, open_own, read_own, remove_own
from scova.core.own_folder import MARKER
from scova.core.small_files import read_small
from scova.errors import IndexForeign, UsageError
from scova.stores.layout import Layout
from scova.stores.names import INDEX
from scova.whole import UNFINISHED, atomic_write, sync_folder

_ID = re.compile(rb"[0-9a-f]{32}")
_ID_LIMIT = 64
_BEGUN = re.compile(rf"\.id\.\d+\.\d+{re.escape(UNFINISHED)}")
_NOTHING = frozenset({MARKER, ".gitignore", ".gitkeep", ".keep", "lost+found"})  # in a folder that counts as empty


def index_id(layout: Layout) -> str:
    """The id of the index that lies here; empty for none."""
    written = (read_own(layout.root / "id", _ID_LIMIT) or b"").strip()
    return written.decode() if _ID.fullmatch(written) else ""


def is_known(state: Path, identity: str) -> bool:
    """Whether this user has made an index of this id."""
    return bool(identity) and read_small(_place(state, identity), 1 << 16) is not None


def holds_index(layout: Layout) -> bool:
    """Whether this folder holds an index of ours, whoever made it."""
    with suppress(IndexForeign):  # an id that is a link is none
        if index_id(layout):
            return True
    return bool(layout.owner()) or _is_of_the_first(layout)


def is_empty(layout: Layout) -> bool:
    """Whether nothing is in this folder, or there is none; an id that is just being written counts as nothing."""
    return all(name in _NOTHING or _BEGUN.fullmatch(name) for name in _entries(layout))


def sign(layout: Layout, state: Path) -> bool:
    """Give the folder an id where it has none, as the first thing in it, and remember it for this user. Says whether it is remembered."""
    if index_id(layout):
        return is_known(state, index_id(layout))
    identity = os.urandom(16).hex()
    begun = layout.root / f".id.{os.getpid()}.{threading.get_native_id()}{UNFINISHED}"  # one for each thread
    begun.unlink(missing_ok=True)  # of a process of the same numbers that was killed
    remembered = remember(layout, state, identity)
    with os.fdopen(open_own(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(identity.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        (layout.root / "id").hardlink_to(begun)  # whole or not at all, and never over that of another process
    except (FileExistsError, FileNotFoundError):  # another was first, and may have cleared away what was begun
        if other := index_id(layout):
            forget(state, identity)
            return is_known(state, other)
        begun.replace(layout.root / "id")  # what was there is none
    finally:
        begun.unlink(missing_ok=True)
    sync_folder(layout.root)  # after a power cut, what else is here would not be known as ours without it
    return remembered


def remember(layout: Layout, state: Path, identity: str) -> bool:
    """This user has made the index of this id; False where that cannot be kept."""
    try:
        with atomic_write(_place(state, identity)) as file:
            file.write(os.fsencode(layout.root) + b"\n")
    except OSError:
        return False
    return True


def forget(state: Path, identity: str) -> None:
    """There is no index of this id any more."""
    if identity:
        with suppress(OSError):
            _place(state, identity).unlink(missing_ok=True)


def check_entries(layout: Layout) -> None:
    """IndexForeign where something in this folder has one of our names, and is no file or folder of ours: a link, a pipe, a device."""
    for name in _entries(layout):
        if INDEX.folder(name) is not None:
            check_folder(layout.root / name)
        elif INDEX.holds(name):
            check_file(layout.root / name)


def refuse_others(layout: Layout) -> None:
    """UsageError where the folder is in use for something else: an index is made in an empty folder, or a new one."""
    if not is_empty(layout) and not holds_index(layout):
        raise _in_use(layout)


def clear(layout: Layout, state: Path) -> None:
    """Remove an index that was not made here; UsageError where there is anything else beside it, which is left alone."""
    if not all(name in _NOTHING or INDEX.holds(name) for name in _entries(layout)):
        raise _in_use(layout)
    with suppress(IndexForeign):
        forget(state, index_id(layout))
    remove_own(layout.root, INDEX)


def unknown(layout: Layout, root: Path) -> IndexForeign:
    """The error for an index inside the tree that it is of, which this user has not made."""
    return IndexForeign(
        f"the index in `{layout.root}` was not made here: it may have come with the folder, and is not opened",
        f"`scova index --adopt {root}` removes it and builds it anew",
    )


def _is_of_the_first(layout: Layout) -> bool:
    """Whether a store lies here beside a `root` file with nothing but a path, as the first versions wrote it."""
    with suppress(IndexForeign):
        kept = read_own(layout.root / "root", 1 << 16) or b""
        return kept.startswith(b"/") and b"\n" not in kept and layout.store_db.exists()
    return False


def _in_use(layout: Layout) -> UsageError:
    return UsageError(
        f"`{layout.root}` holds other files than those of an index",
        "name an empty or a new folder with --data (or SCOVA_DATA)",
    )


def _entries(layout: Layout) -> list[str]:
    try:
        with os.scandir(layout.root) as found:
            return [entry.name for entry in found]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _place(state: Path, identity: str) -> Path:
    return state / "indexes" / identity
