"""Has something made that takes long, by one thread, the first time it is asked for; whoever asks meanwhile is told when to come back.

So a project that is not ready keeps no more than one of a server's threads waiting, and that one only for a moment. Knows nothing of
what is made.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from scova.errors import ScovaError
from scova.server.problems import Problem

MOMENT = 2.0  # seconds that the first who asks waits for it
LONGEST_ASKED = 8.0  # seconds that anyone is asked to wait; who comes back may be asked again

_log = logging.getLogger("scova.server")

T = TypeVar("T")


class Readiness(Generic[T]):
    """Of one project. Safe from any thread."""

    def __init__(self, project_id: str) -> None:
        self.found: T | None = None  # set once
        self._project_id = project_id
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._began = 0.0
        self._failure: Exception | None = None
        self._afterwards: Callable[[], None] | None = None

    @property
    def is_making(self) -> bool:
        """Whether it is being made now."""
        return self._thread is not None

    def put(self, found: T) -> T:
        """This is it, for who has it already; what another put before, where one did."""
        with self._lock:
            self.found = found if self.found is None else self.found
            return self.found

    # `make` is given with each call and not kept: whoever owns this may be what it works on, and neither would go.

    def begin(self, make: Callable[[], T]) -> bool:
        """Have it made, and wait for nothing; whether it is being made now. Not when it is there, nor while an attempt has failed of
        which nobody has been told."""
        self._started(make)
        return self.is_making

    def get(self, make: Callable[[], T]) -> T:
        """What was made; Problem while it is being made, and once for each attempt that failed what it failed with."""
        is_first = self._started(make)
        if is_first:
            self._ended.wait(MOMENT)
        with self._lock:
            failure, self._failure = self._failure, None
            if self.found is not None:
                return self.found
        if failure is not None:
            raise failure
        raise Problem(
            503,
            f"the index of `{self._project_id}` is being made ready here",
            "ask again in a few seconds; nothing is wrong, and it is done once",
            retry_seconds=min(LONGEST_ASKED, 1 + (time.monotonic() - self._began) / 2),
        )

    def end(self, afterwards: Callable[[], None]) -> None:
        """Have this called once nothing is being made any more: now, or by the thread that is at it."""
        with self._lock:
            self._failure = None  # it holds on to all that was at work when it was raised
            if self._thread is not None:
                self._afterwards = afterwards
                return
        afterwards()

    def _started(self, make: Callable[[], T]) -> bool:
        """Start the thread, unless there is one, or no need; whether it was started."""
        with self._lock:
            if self.found is not None or self._thread is not None or self._failure is not None:
                return False
            self._ended.clear()
            self._began = time.monotonic()
            self._thread = threading.Thread(target=self._work, args=(make,), name="scova-readiness", daemon=True)
            self._thread.start()
            return True

    def _work(self, make: Callable[[], T]) -> None:
        found: T | None = None
        failure: Exception | None = None
        try:
            found = make()
        except Exception as error:  # noqa: BLE001 - the top of a worker: whoever asks is told
            failure = error
        with self._lock:
            self.found = found if self.found is None else self.found
            self._failure, self._thread = failure, None
            afterwards, self._afterwards = self._afterwards, None
        self._ended.set()
        if afterwards is not None:
            afterwards()
        elif failure is not None:
            shown = None if isinstance(failure, ScovaError) else failure
            _log.warning("`%s` cannot be made ready: %s", self._project_id, failure, exc_info=shown)
