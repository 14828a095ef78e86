"""The folders below a root that are watched, as they come and go. Tells which paths changed, relative to the root.

On Linux a watch is for one folder, so exactly those are watched that are named here: nothing that is ignored costs a watch or
an event, and no symlink leads out of the tree. Knows no rules, and does not decide what a change means.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from scova.core.path_text import encoded, stored
from scova.errors import WatchLost
from scova.sources.names import folder_reason
from scova.watch.bell import Bell
from scova.watch.posts import PER_FOLDER, Post, Seen

_MOST_POSTS = 6  # each takes a thread and one of the few watchers a user may have
_ATTEMPTS = 8  # folders may vanish faster than they can be watched
_ECHO = 1.0  # seconds after which a bell that was not heard is broken
_LISTEN_EVERY = 0.0005


class Watcher:
    """Watches folders of one tree."""

    def __init__(self, root: Path, bell: Bell | None = None) -> None:
        """`bell` is watched too, for `poll_surely`."""
        self._prefix = f"{stored(root)}/" if root != root.parent else stored(root)
        self._bell = bell
        self._is_bell_heard = False
        self._posts: list[Post] = []
        self._watched: set[str] = set()

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        return len(self._watched)

    def watch(self, folders: Iterable[str]) -> frozenset[str]:
        """Watch these folders, relative to the root, which is "", and no others; returns those of which something may not be told
        that happened before.

        What is gone is passed over. Raises WatchLost when that is more than the system allows.
        """
        wanted = frozenset(folders)
        fresh = wanted - self._watched
        if PER_FOLDER and (not self._watched <= wanted or (fresh and len(self._posts) >= _MOST_POSTS)):
            return self.rewatch(wanted)
        if fresh:
            self._add(self._posted(fresh))
        return fresh & self._watched

    def rewatch(self, folders: Iterable[str]) -> frozenset[str]:
        """Watch these folders and no others, by new watches; returns all that are watched: what old watches had to tell is lost."""
        self.close()
        self._add(self._posted(frozenset(folders)))
        return frozenset(self._watched)

    def poll(self) -> list[Seen]:
        """Everything that was told since the last time, without waiting. Raises WatchLost."""
        return self._sifted([event for post in self._posts for event in post.poll()])

    def poll_surely(self) -> list[Seen]:
        """Everything that had happened when this was called, waiting until it is told; the same as `poll` where that cannot be
        known."""
        told: list[Seen] = []
        if self._bell is not None and self._is_bell_heard:
            try:
                with self._bell.rung() as sign:
                    self._is_bell_heard = self._hears(sign, told)
            except OSError:
                self._is_bell_heard = False  # until everything is watched anew
        return [*self._sifted(told), *self.poll()]

    def _hears(self, sign: str, told: list[Seen]) -> bool:
        """Listen until all have told of this file, adding to what was told; whether they have."""
        deadline = time.monotonic() + _ECHO
        silent = list(self._posts)
        while silent and time.monotonic() < deadline:
            for post in [*silent]:
                events = post.poll()
                told += events
                if any(event.path == sign for event in events):
                    silent.remove(post)
            if silent:
                time.sleep(_LISTEN_EVERY)
        return not silent

    def _sifted(self, told: list[Seen]) -> list[Seen]:
        """What of this is inside, relative to the root; folders that came or went have to be watched anew."""
        inside = [seen for event in told if (seen := self._inside(event)) is not None]
        for path in {seen.path for seen in inside if seen.came_or_went} & self._watched:
            self._forget(path)
        return inside

    def close(self) -> None:
        """Stop watching."""
        for post in self._posts:
            post.close()
        self._posts, self._watched = [], set()

    def _posted(self, folders: frozenset[str]) -> tuple[Post | None, frozenset[str]]:
        """A post for those of the folders that are there."""
        beside = [self._bell.folder] if self._bell is not None and self._bell.hang() else []
        self._is_bell_heard = bool(beside)
        if not PER_FOLDER:
            return (None if self._posts else Post([self._prefix.rstrip("/") or "/", *beside])), folders
        for _ in range(_ATTEMPTS):
            there = frozenset(folder for folder in folders if _can_be_watched(self._prefix + folder))
            if not there:
                return None, there
            try:
                return Post([*((self._prefix + folder).rstrip("/") or "/" for folder in sorted(there)), *beside]), there
            except (FileNotFoundError, PermissionError):
                continue
        raise WatchLost("folders come and go too fast to be watched", "they are looked at instead, until that is over")

    def _add(self, posted: tuple[Post | None, frozenset[str]]) -> None:
        post, folders = posted
        if post is not None:
            self._posts.append(post)
        self._watched |= folders

    def _forget(self, folder: str) -> None:
        """A folder that came or went has lost its watch, and those below it theirs."""
        below = f"{folder}/" if folder else ""
        self._watched = {path for path in self._watched if path != folder and not path.startswith(below)}

    def _inside(self, event: Seen) -> Seen | None:
        """The event with a path relative to the root; None where nothing can be of interest."""
        if self._bell is not None and self._bell.owns(event.path):
            return None
        if f"{event.path}/" == self._prefix:
            return Seen("", event.came_or_went)
        if not event.path.startswith(self._prefix):
            return None
        path = event.path[len(self._prefix) :]
        if not PER_FOLDER and any(folder_reason(name) for name in path.split("/")[:-1]):
            return None
        return Seen(path, event.came_or_went)


def _can_be_watched(folder: str) -> bool:
    place = encoded(folder)
    return os.path.isdir(place) and not os.path.islink(place) and os.access(place, os.R_OK)  # noqa: PTH112, PTH114 - for thousands
