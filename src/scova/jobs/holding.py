"""One job in hand: a thread keeps the hold on it and writes down how far it is, however long the work says nothing.

The work itself only leaves word here, and hears whether to go on; it waits for no database.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Self

from scova.errors import Cancelled, ScovaError
from scova.jobs.meter import Meter
from scova.protocols import JobLedger
from scova.types import Hold, Job, Progress

TELL_EVERY = 0.25  # seconds between two notes of how far it is
BEAT_EVERY = 0.5  # seconds between two beats, if there is nothing to note: this soon a cancellation is heard of

_log = logging.getLogger(__name__)


class Holding:
    """The hold of this process on one job; kept while the context is open."""

    def __init__(self, ledger: JobLedger, job: Job, owner: str, *, changed: Callable[[], None]) -> None:
        """`changed` is called whenever something new was kept."""
        self.job = job
        self.owner = owner
        self.hold = Hold.HELD
        self._ledger = ledger
        self._changed = changed
        self._meter = Meter(job, time.monotonic)
        self.is_begun = False  # the work has said how far it is
        self._is_news = False
        self._is_stopped = False
        self._is_over = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="scova-job-heart", daemon=True)

    @property
    def is_stopped(self) -> bool:
        """Whether the work is to be left for another time."""
        return self._is_stopped

    def tell(self, progress: Progress) -> None:
        """So far the work is. Cancelled when it is not to go on here: nobody wants it, another process has it, or this one stops."""
        self._meter.take(progress)
        self.is_begun = self._is_news = True
        if self._is_stopped or self.hold is not Hold.HELD:
            raise Cancelled(f"job {self.job.job_id} does not go on here", "what was committed is kept")

    def stop(self) -> None:
        """Leave the work for another time, with the next word from it."""
        self._is_stopped = True

    def look(self) -> None:
        """Beat now: the job may have been cancelled."""
        self._wake.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._is_over = True
        self._wake.set()
        self._thread.join()
        if self._is_news:
            self._beat()

    def _keep(self) -> None:
        due = time.monotonic() + BEAT_EVERY
        while not self._is_over:
            looked = self._wake.wait(TELL_EVERY)
            self._wake.clear()
            if not self._is_over and (looked or self._is_news or time.monotonic() >= due):
                self._beat()
                due = time.monotonic() + BEAT_EVERY

    def _beat(self) -> None:
        is_news, self._is_news = self._is_news, False  # before reading it, so that nothing told meanwhile is missed
        try:
            self.hold = self._ledger.beat(self.job.job_id, self.owner, self._meter.advance if is_news else None)
        except (ScovaError, OSError) as error:
            _log.warning("job %s: %s", self.job.job_id, error)  # the next beat may do; a hold lasts several
            self._is_news = is_news or self._is_news
            return
        if is_news:
            self._changed()
