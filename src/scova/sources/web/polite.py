"""Leaves time between calls to one host, whichever threads make them, and reads what a server says about waiting.

Knows nothing of what is fetched.
"""

import datetime
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime


class Gate:
    """Gives out moments to call a host, so far apart as it wants. Safe to share by threads."""

    def __init__(self, delay: float, pause: Callable[[float], None]) -> None:
        """`delay` in seconds between calls to a host that wants nothing else; `pause` waits, or raises."""
        self._delay = delay
        self._pause = pause
        self._lock = threading.Lock()
        self._free_at: dict[str, float] = {}
        self._delays: dict[str, float] = {}

    def wait(self, host: str) -> None:
        """Return when it is this thread's turn to call the host: so long after the last turn was taken, not given out."""
        while (seconds := self._seconds_to_turn(host)) > 0:
            self._pause(seconds)

    def slow(self, host: str, delay: float) -> None:
        """Call this host at most once in so many seconds from now on; never more often than any other."""
        with self._lock:
            self._delays[host] = max(delay, self._delay)

    def hold(self, host: str, seconds: float) -> None:
        """Do not call this host before so many seconds have passed; whoever waits for a turn waits longer."""
        with self._lock:
            self._free_at[host] = max(self._free_at.get(host, 0.0), time.monotonic() + seconds)

    def _seconds_to_turn(self, host: str) -> float:
        """How long to wait before asking again; 0 when the turn is taken."""
        with self._lock:
            now = time.monotonic()
            left = self._free_at.get(host, 0.0) - now
            if left > 0:
                return left
            self._free_at[host] = now + self._delays.get(host, self._delay)
            return 0.0


def retry_after(value: str) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or as a date; None when it says nothing."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    # A date can only be compared with the clock on the wall; what follows is measured by the monotonic one.
    return max((moment - datetime.datetime.now(datetime.UTC)).total_seconds(), 0.0)
