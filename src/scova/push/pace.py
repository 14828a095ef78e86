"""How fast a server is called, and how long it is waited for. Everything is measured by the monotonic clock.

Knows nothing of what is sent.
"""

import math
import random
import time
from collections.abc import Callable
from typing import NamedTuple

RATE = 10.0  # requests in a second

_LOOK_EVERY = 0.1  # seconds between two looks whether to stop


class Interrupted(Exception):
    """Whoever asked for the push wants it to end now."""


class Patience(NamedTuple):
    """How much is done for one request before it is given up. Pauses are in seconds."""

    attempts: int  # while the server cannot be reached, or says that it is busy
    answered: int  # attempts when it answers that it failed: the content may be the reason, which does not pass
    seconds: float  # for one attempt
    first_pause: float = 0.5  # before the second attempt; each further one is twice as long
    longest_pause: float = 16.0
    longest_asked: float = 120.0  # the most that a server may ask to wait (Retry-After)
    total: float = math.inf  # seconds for all attempts together; what cannot be done within is not begun

    def pause(self, attempt: int) -> float:
        """How long to wait after this attempt, a part of it random: those who failed together do not come back together."""
        longest: float = min(self.first_pause * 2 ** (attempt - 1), self.longest_pause)
        return longest * random.uniform(0.5, 1.0)


PATIENT = Patience(
    attempts=9, answered=3, seconds=120.0
)  # up to a minute: a server that is restarted comes back in time
BRIEF = Patience(attempts=3, answered=2, seconds=120.0)


class TokenBucket:
    """Gives out `rate` turns in a second. The bucket holds one: turns that nobody took are not saved up."""

    def __init__(self, rate: float, pause: Callable[[float], None]) -> None:
        """`pause` waits at least so many seconds, or raises."""
        self.pause = pause
        self._refill = 1.0 / rate
        self._full_at = 0.0

    def take(self) -> None:
        """Return when it is time for the next request."""
        self.pause(max(0.0, self._full_at - time.monotonic()))
        self._full_at = time.monotonic() + self._refill


def pausing(stop: Callable[[], bool]) -> Callable[[float], None]:
    """A function that waits so many seconds, and raises Interrupted as soon as `stop` says so."""

    def pause(seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            if stop():
                raise Interrupted
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, _LOOK_EVERY))

    return pause
