"""Has something looked at that takes long, by one thread at a time, and not again before it has rested: pages ask every few seconds, and there
may be many of them. Knows nothing of what is looked at.
"""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

REST = 20  # times as long as a look took: so looks take a twentieth of one core at most
LONGEST = 10.0  # seconds

T = TypeVar("T")


class Remembered(Generic[T]):
    """What was seen last. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: tuple[T, int | None] | None = None
        self._rests_until = 0.0

    def get(self, look: Callable[[], T], change: int | None = None) -> T:
        """What is seen now, or was a moment ago; or at any time, at this very change. Who comes while another looks waits for what is
        seen then. A look that fails is not remembered."""
        with self._lock:
            began = time.monotonic()
            if self._seen is not None and (
                began < self._rests_until or (change is not None and change == self._seen[1])
            ):
                return self._seen[0]
            found = look()
            now = time.monotonic()
            self._seen, self._rests_until = (found, change), now + min(REST * (now - began), LONGEST)
            return found
