"""How long searches took, project by project, in this process. Knows numbers, and what names a project."""

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

BOUNDS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_MOST_PROJECTS = 1000  # that are remembered


class Latency:
    """Counts by how long an answer took; the last counts those that took longer than any bound. Safe from any thread."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, list[int]] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def measured(self, address: str) -> Iterator[None]:
        """Count how long the block takes, if it comes to its end."""
        began = perf_counter()
        yield
        self.add(address, 1000 * (perf_counter() - began))

    def add(self, address: str, milliseconds: float) -> None:
        """One search of the project at this address took so long."""
        with self._lock:
            counts = self._counts.setdefault(address, [0] * (len(BOUNDS_MS) + 1))
            counts[bisect_left(BOUNDS_MS, milliseconds)] += 1
            self._counts.move_to_end(address)
            if len(self._counts) > _MOST_PROJECTS:
                self._counts.popitem(last=False)

    def of(self, address: str) -> dict[str, list[int]]:
        """The histogram of one project."""
        with self._lock:
            counts = [*self._counts.get(address, [0] * (len(BOUNDS_MS) + 1))]
        return {"bounds_ms": [*BOUNDS_MS], "counts": counts}
