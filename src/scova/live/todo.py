"""What is still to be done to an index: some paths, or the whole tree and why. Nothing leaves it before it was done.

Decides between the two; does neither.
"""

from collections.abc import Iterable
from typing import NamedTuple

# Why the whole tree is looked at, the most telling first: one look is for all reasons at once, and counted as this one.
REASONS = ("start", "takeover", "restart", "branch", "rules", "bulk", "error", "look", "sweep")


class Work(NamedTuple):
    """The next thing to do: paths alone, or with a reason the whole tree."""

    paths: frozenset[str]
    reason: str = ""
    again: bool = (
        False  # nothing is known to have changed: folders are looked at that were walked before they were watched
    )


class Todo:
    """Collects work, and hands out the next piece until it is told that it was done."""

    def __init__(self, bulk: int) -> None:
        """More paths than `bulk` are better done as a whole."""
        self._bulk = bulk
        self._paths: set[str] = set()
        self._again: set[str] = set()
        self._reasons: set[str] = set()

    def __len__(self) -> int:
        """How many paths are known to have changed."""
        return len(self._paths)

    def add(self, paths: Iterable[str], reasons: Iterable[str] = ()) -> None:
        """These paths changed; with reasons, more than these may have."""
        self._paths.update(paths)
        self._reasons.update(reasons)

    def look_again(self, folders: Iterable[str]) -> None:
        """These folders may have changed between being walked and being watched."""
        self._again.update(folders)

    def next(self) -> Work | None:
        """The next piece of work; the same until it is done, or more comes."""
        reasons = {*self._reasons}
        reasons |= {"bulk"} if len(self._paths) > self._bulk else set()
        reasons |= {"look"} if len(self._again) > self._bulk else set()
        if reasons:
            return Work(frozenset(self._paths), min(reasons, key=REASONS.index))
        if self._paths or self._again:
            return Work(frozenset(self._paths | self._again), again=not self._paths)
        return None

    def done(self, work: Work) -> None:
        """This was done."""
        self._paths -= work.paths
        self._again -= work.paths
        if work.reason:
            self._reasons.clear()
            self._again.clear()
