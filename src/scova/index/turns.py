"""The threads of one handle that write to its index: one at a time, and what one brought in is not done again for the next.

Other handles and other processes are kept out by the index's lock; this is about threads, which would otherwise be told that
somebody else is writing. Knows nothing of what is written.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scova.errors import IndexBusy
from scova.types import Report


class Turns:
    """Who writes now, and what the last refresh brought."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._refreshes = 0
        self._last: tuple[Report, bool] | None = None  # of the last refresh, and whether it read every file

    @contextmanager
    def one(self) -> Iterator[None]:
        """A turn of this thread, after those of others; IndexBusy for a thread that has one already, which could wait for ever."""
        me = threading.get_ident()
        if self._owner == me:
            raise IndexBusy("this thread is writing this index already", "ask for more once that has returned")
        with self._lock:
            self._owner = me
            try:
                yield
            finally:
                self._owner = 0

    def refresh(self, work: Callable[[], Report], is_current: Callable[[], bool], *, force: bool) -> Report:
        """What `work` brings. A thread that had to wait gets the report of the one it waited for, if the index is current by then."""
        before = self._refreshes
        with self.one():
            if self._refreshes != before and self._last is not None:
                report, was_forced = self._last
                if (was_forced or not force) and is_current():
                    return report
            report = work()
            self._refreshes += 1
            self._last = report, force
            return report
