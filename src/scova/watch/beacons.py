"""A few files outside the watched folders that decide about the tree: git's own, the user's. Looked at now and then.

They are not watched, because they lie among others that change all the time (`.git`, a home folder), and a look at ten files
twice a second costs less than hearing of those. What they say is not known here, only that they say something else.
"""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from scova.sources.git.branch import branch_of
from scova.sources.git.controls import Look, look

_EVERY = 0.5  # seconds between looks
_SHARE = 0.001  # of one core, at most: a tree of many repositories has many such files
_TRACKED = "/index"  # git's list of what it tracks: rewritten by many a `git status`


class Beacons:
    """Files with the look they had when the tree was last walked."""

    def __init__(self, root: Path, settings_files: Iterable[str]) -> None:
        self._root = root
        self._controls: dict[str, Look] = {}
        self._settings = {path: look(path) for path in settings_files}
        self._branch = branch_of(root)
        self._next = 0.0

    @property
    def branch(self) -> str:
        """The branch as of the last look."""
        return self._branch

    def rebase(self, controls: Mapping[str, Look]) -> None:
        """From here on, these files decide about the tree, and this is what they looked like when it was walked."""
        self._controls = dict(controls)

    def changed(self, now: float) -> set[str]:
        """What changed since the last look: `rules`, `tracked`, `settings`, `branch`. Each is told once. Often too early to look."""
        if now < self._next:
            return set()
        started = time.perf_counter()
        told = self._told()
        self._next = now + max(_EVERY, (time.perf_counter() - started) / _SHARE)
        return told

    def _told(self) -> set[str]:
        told = {"tracked" if path.endswith(_TRACKED) else "rules" for path in _differing(self._controls)}
        if _differing(self._settings):
            told.add("settings")
        branch = branch_of(self._root)
        if branch != self._branch:
            self._branch = branch
            told.add("branch")
        return told


def _differing(files: dict[str, Look]) -> list[str]:
    """Those that look different by now, which is how they are remembered from here on."""
    now = {path: look(path) for path in files}
    differing = [path for path, seen in now.items() if seen != files[path]]
    files.update(now)
    return differing
