"""A post: some folders that the operating system watches for us, and what it has told since the last time it was asked.

The only module that knows watchfiles, of which it uses the lowest part. Its own waiting is not used, because it forgets what arrives
while it gives up waiting; here it is interrupted before it can forget, which makes asking a matter of microseconds.
What it does not tell: that the kernel dropped events because too many were waiting. Whoever counts on completeness has
to look at the files now and then.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple, cast

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from scova.errors import WatchLost

PER_FOLDER = sys.platform == "linux"  # elsewhere the system watches whole trees, and folders need no watch of their own
_MODIFIED = 2  # of watchfiles' three numbers; the others say that an entry came or went
_LOOKS = 2  # what there is, and whether more came while looking
_LIMIT = "MaxFilesWatch"


class Seen(NamedTuple):
    """One event. `path` is absolute; `came_or_went` is false for a change of what is inside it."""

    path: str
    came_or_went: bool


class _NothingMore(Exception):
    """Asked and answered: there is nothing to report."""


class _Glance:
    """Stands where a wait asks whether to stop: lets it look, then leaves before it clears what it has not told."""

    def __init__(self) -> None:
        self._left = _LOOKS

    def is_set(self) -> bool:
        if not self._left:
            raise _NothingMore
        self._left -= 1
        return False


class Post:
    """Watches folders, not what lies deeper (or one folder with everything in it, where the system knows only that)."""

    def __init__(self, folders: Sequence[str]) -> None:
        """Raises FileNotFoundError or PermissionError when one of them cannot be watched; WatchLost when none can."""
        try:
            self._notify = RustNotify(list(folders), False, False, 0, not PER_FOLDER, False)
        except (FileNotFoundError, PermissionError):
            raise
        except (
            OSError,
            UnicodeEncodeError,
            WatchfilesRustInternalError,
        ) as error:  # a name that is not UTF-8 is no text to it
            raise _lost(error, len(folders)) from error

    def poll(self) -> list[Seen]:
        """What happened since the last time, without waiting. Raises WatchLost when the system has given up on it."""
        try:
            told = self._notify.watch(0, 0, 0, _Glance())
        except _NothingMore:
            return []
        except WatchfilesRustInternalError as error:
            raise _lost(error, 0) from error
        changes = cast("set[tuple[int, str]]", set() if isinstance(told, str) else told)
        return [Seen(path, change != _MODIFIED) for change, path in changes]

    def close(self) -> None:
        """Stop watching."""
        self._notify.close()


def _lost(error: Exception, folders: int) -> WatchLost:
    if _LIMIT in str(error):
        return WatchLost(
            f"the system does not allow to watch {folders:,} folders more",
            "raise fs.inotify.max_user_watches (`sysctl fs.inotify.max_user_watches=524288`)",
        )
    if "os error 24" in str(error):
        return WatchLost(
            "the system does not allow one watcher more",
            "raise fs.inotify.max_user_instances (`sysctl fs.inotify.max_user_instances=512`)",
        )
    return WatchLost(f"file changes are not told any more: {error}", "they are looked for, until they are told again")
