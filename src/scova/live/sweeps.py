"""When to look at the whole tree without a reason: events can be lost without a word, for example when the kernel has more to tell
than it keeps. So once things are quiet after a change, and rarely while nothing happens, everything is compared by stats.

Reads no clock. Bounded by the time a sweep takes: it may use a small share of one core, whatever the size of the tree.
"""

_QUIET = 2.0  # after the last change
_SHARE, _IDLE_SHARE = 0.02, 0.001  # of one core: after changes (or while they are not told), and without any
_AT_LEAST, _IDLE_AT_LEAST = 2.0, 60.0  # seconds between two
_POLL_AT_LEAST = 1.0  # while changes are not told


class Sweeps:
    """Knows when the next sweep is due."""

    def __init__(self, now: float) -> None:
        self._last = now
        self._cost = 0.0
        self._changed: float | None = None  # when something last happened that no whole look has covered

    def changed(self, now: float) -> None:
        """Something happened."""
        self._changed = now

    def took(self, seconds: float) -> None:
        """How long a comparison took that found nothing to do, or before it did anything."""
        self._cost = seconds

    def covered(self, started: float) -> None:
        """The whole tree was looked at, beginning at `started`: what happened before is covered."""
        self._last = started
        if self._changed is not None and self._changed <= started:
            self._changed = None

    def is_due(self, now: float, *, blind: bool) -> bool:
        """Whether to sweep; `blind` when changes are not told at all."""
        since = now - self._last - self._cost
        if blind:
            return since >= max(_POLL_AT_LEAST, self._cost / _SHARE)
        if self._changed is not None:
            return now - self._changed >= _QUIET and since >= max(_AT_LEAST, self._cost / _SHARE)
        return since >= max(_IDLE_AT_LEAST, self._cost / _IDLE_SHARE)
