"""A thread that looks after a house that other processes write to, and after its open projects. Nobody waits for it."""

import logging
import random
import threading
import time

from scova.errors import ScovaError
from scova.server.housing.house import House
from scova.server.tenants.registry import Tenants

EVERY = 2.0  # seconds
DAY = 86_400.0
SOON = 300.0  # after the start: a process may not live for a day
_STOP_SECONDS = 10.0

_log = logging.getLogger("scova.server")


class Caretaker:
    """At work until it is told to stop."""

    def __init__(self, house: House, tenants: Tenants, *, every: float = EVERY) -> None:
        self._house = house
        self._tenants = tenants
        self._every = every
        # Not at the start, nor all at the same time: many processes may be started at once.
        self._tidy_at = time.monotonic() + SOON * random.uniform(1.0, 2.0)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="scova-caretaker", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, after what is under way, unless that takes long: what it writes is there whole or not at all."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)

    def _work(self) -> None:
        while not self._stopping.wait(self._every):
            try:
                self._tenants.attend()
                if time.monotonic() >= self._tidy_at:
                    self._tidy_at = time.monotonic() + DAY
                    self._house.tidy()
            except (ScovaError, OSError) as error:
                _log.warning("upkeep: %s", error)
            except Exception:  # noqa: BLE001 - the top of a worker: whatever one project meets, the next time it goes on
                _log.exception("upkeep failed")
