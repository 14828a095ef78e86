"""When to act on changes that keep coming: once they pause, and never later than a maximum wait after the first.

Reads no clock: whoever calls says what time it is, in seconds of any clock that only goes forward.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Batch(NamedTuple):
    """Paths that changed, each once, in order; and when the first of them was heard of."""

    paths: tuple[str, ...]
    first: float


class Debounce:
    """Collects paths until it is time to act on them."""

    def __init__(self, *, quiet: float, max_wait: float) -> None:
        """A batch is due when nothing was added for `quiet` seconds, or `max_wait` seconds after its first path."""
        self._quiet = quiet
        self._max_wait = max_wait
        self._paths: set[str] = set()
        self._first = 0.0
        self._last = 0.0

    def like_this(self) -> "Debounce":
        """Another one with the same times, and nothing in it."""
        return Debounce(quiet=self._quiet, max_wait=self._max_wait)

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, paths: Iterable[str], now: float) -> None:
        """These paths changed. One that changes again is in the batch once, and makes the pause begin anew."""
        before = len(self._paths)
        added = set(paths)
        if not added:
            return
        self._paths |= added
        self._first = self._first if before else now
        self._last = now

    def due_at(self) -> float | None:
        """When the batch can be taken if nothing more comes; None while there is none."""
        return min(self._last + self._quiet, self._first + self._max_wait) if self._paths else None

    def clear(self) -> None:
        """What was added has been acted upon without a batch."""
        self._paths = set()

    def take(self, now: float, *, at_once: bool = False) -> Batch | None:
        """The batch, once it is due, or `at_once` whatever there is; the next one begins empty."""
        due = self.due_at()
        if due is None or (now < due and not at_once):
            return None
        batch = Batch(tuple(sorted(self._paths)), self._first)
        self._paths = set()
        return batch
