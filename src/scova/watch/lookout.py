"""Everything that can be noticed about a tree from outside, in one place: paths that changed, as debounced batches, and reasons to
look at the whole tree. Survives the end of its watches: it says that it is blind, tries again, and says that it sees again.

Does nothing about what it notices. Reads no file but the branch's name.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from scova.core.path_text import stored
from scova.errors import WatchLost
from scova.sources.part import decides
from scova.sources.trail import Trail
from scova.watch.beacons import Beacons
from scova.watch.bell import Bell
from scova.watch.debounce import Debounce
from scova.watch.watcher import Watcher

BLIND_AT_FIRST, BLIND_AT_MOST = 0.2, 60.0  # seconds before watching is tried again: doubled each time
_WELL_AFTER = 60.0  # seconds of watching after which the next failure is a first one
_ROOT_EVERY = 0.25

# Files of settings in the root.
_SETTINGS = frozenset(("scova.toml", "pyproject.toml"))


class Noticed(NamedTuple):
    """What one look brought: paths whose time has come, and why the whole tree should be looked at, if so."""

    paths: tuple[str, ...] = ()
    reasons: frozenset[str] = frozenset()
    events: int = 0


class Lookout:
    """Notices what happens to one tree."""

    def __init__(
        self, root: Path, debounce: Debounce, settings_files: Iterable[str] = (), bell: Bell | None = None
    ) -> None:
        """`settings_files` lie outside the root and count as settings of it. With a `bell`, `look` can be sure."""
        self._root = root
        self._watcher = Watcher(root, bell)
        self._debounce = debounce
        self._reasons = debounce.like_this()  # a rebase goes through many commits in a second
        self._beacons = Beacons(root, settings_files)
        self._trail = Trail({"": 0}, {}, {})
        self._identity = _identity(root)
        self._root_next = 0.0
        self._blind_until: float | None = 0.0  # None while it sees
        self._seeing_since = 0.0
        self._patience = BLIND_AT_FIRST
        self.trouble = ""  # why it is blind, in words

    @property
    def is_blind(self) -> bool:
        """Whether changes are not told at present."""
        return self._blind_until is not None

    @property
    def is_root_gone(self) -> bool:
        """Whether there is nothing to watch."""
        return self._identity is None

    @property
    def waiting(self) -> int:
        """How many paths changed whose time has not come yet."""
        return len(self._debounce)

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        return self._watcher.folders

    @property
    def branch(self) -> str:
        return self._beacons.branch

    def due_at(self) -> float | None:
        """When something can be taken, if nothing more comes."""
        return min(filter(None, (self._debounce.due_at(), self._reasons.due_at())), default=None)

    def begin(self, trail: Trail | None, now: float) -> None:
        """Begin to watch what was walked before; the root alone when that is not known."""
        self._take(trail or self._trail)
        self._open(now)

    def follow(self, trail: Trail, now: float) -> frozenset[str]:
        """Watch what was walked since; returns the folders that were not watched all the time since they were walked."""
        self._take(trail)
        if self.is_blind:
            return frozenset()
        try:
            return self._watcher.watch(trail.folders)
        except WatchLost as lost:
            self._go_blind(lost, now)
            return frozenset()

    def renew(self, now: float) -> None:
        """Watch everything anew, since something happened that was not told; `look` then finds a reason."""
        if not self.is_blind:
            self._watcher.close()
            self._blind_until = now

    def look(self, now: float, *, at_once: bool = False) -> Noticed:
        """What has been noticed since the last look, without waiting; with `at_once`, everything that has happened by now."""
        self._look_at_root(now)
        if self.is_root_gone:
            return Noticed()
        reasons = set()
        if self._blind_until is not None and now >= self._blind_until and self._open(now):
            reasons.add("restart")
        events = self._listen(now, surely=at_once)
        self._reasons.add(self._beacons.changed(now), now)
        batch, why = self._debounce.take(now, at_once=at_once), self._reasons.take(now, at_once=at_once)
        paths = batch.paths if batch else ()
        return Noticed(paths, frozenset({*reasons, *(why.paths if why else ()), *self._meaning(paths)}), events)

    def covered(self) -> None:
        """The whole tree was looked at after everything that has been noticed: nothing waits any more."""
        self._debounce.clear()

    def close(self) -> None:
        """Stop watching."""
        self._watcher.close()
        self._blind_until = 0.0

    def _take(self, trail: Trail) -> None:
        self._beacons.rebase({path: seen for path, seen in trail.controls.items() if not self._hears_of(path, trail)})
        self._trail = trail

    def _hears_of(self, control: str, trail: Trail) -> bool:
        """Whether a change of this file is told by a watch on its folder."""
        prefix = f"{stored(self._root)}/"
        return control.startswith(prefix) and control[len(prefix) :].rpartition("/")[0] in trail.folders

    def _listen(self, now: float, *, surely: bool) -> int:
        if self.is_blind:
            return 0
        try:
            seen = self._watcher.poll_surely() if surely else self._watcher.poll()
        except WatchLost as lost:
            self._go_blind(lost, now)
            return 0
        paths = {event.path for event in seen}
        self._debounce.add(paths, now)
        self._reasons.add({"settings"} if paths & _SETTINGS else (), now)  # apart, as no look at the tree covers them
        return len(seen)

    def _meaning(self, paths: tuple[str, ...]) -> set[str]:
        """What a change of these paths means beyond themselves."""
        reasons = set()
        for path in paths:
            if decides(path) or f"{stored(self._root)}/{path}" in self._trail.controls:
                reasons.add("rules")
        return reasons

    def _look_at_root(self, now: float) -> None:
        """Whether the root is another folder by now, or none; looked at now and then."""
        if now < self._root_next:
            return
        self._root_next = now + _ROOT_EVERY
        before, self._identity = self._identity, _identity(self._root)
        if self._identity != before:
            self._watcher.close()
            self._blind_until, self.trouble = now, f"`{self._root}` is gone"

    def _open(self, now: float) -> bool:
        try:
            self._watcher.rewatch({"", *self._trail.folders})
        except WatchLost as lost:
            self._go_blind(lost, now)
            return False
        self._blind_until, self._seeing_since, self.trouble = None, now, ""
        return True

    def _go_blind(self, lost: WatchLost, now: float) -> None:
        self._watcher.close()
        was_well = not self.is_blind and now - self._seeing_since > _WELL_AFTER
        self._patience = BLIND_AT_FIRST if was_well else min(2 * self._patience, BLIND_AT_MOST)
        self._blind_until = now + self._patience
        self.trouble = f"{lost.message}; {lost.hint}"


def _identity(root: Path) -> tuple[int, int] | None:
    """Which folder this is; None for none."""
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
