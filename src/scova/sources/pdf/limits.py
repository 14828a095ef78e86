"""The bounds within which a PDF is read, and a watch that ends the process which goes beyond them.

A few kilobytes may unpack to gigabytes, or keep the library busy for hours, in more ways than can be looked for beforehand. So the work is
done in a process of its own, a reader, which is watched while it is done. Knows nothing of PDFs.
"""

import os
import resource
import threading
import time
from contextlib import suppress
from pathlib import Path

from scova.core.small_files import read_small

READER_BYTES = 256 << 20  # memory of a reader; one that takes more is ended at the next look
HARD_BYTES = 512 << 20  # what it may map on top of what it begins with: refused by the system, between two looks too
PAGE_SECONDS = 10.0  # of a processor, for one page; the thickest ones take a tenth of it
LEAST_SECONDS = 1.0  # … for the next page of a file that lost some already
WALL_SECONDS = 60.0  # after which nobody waits for a reader, whatever the reason
LARGEST_TEXT = 500_000  # characters of one page: more than anybody reads on one
IDLE_SECONDS = 10.0  # after which a reader that nobody asks leaves

# How a reader ends, in statuses that nothing else gives.
LEFT, TOO_LARGE, TOO_SLOW = 70, 71, 72

_LOOK_SECONDS = 0.01
_STATM = Path("/proc/self/statm")  # where a system has none, time alone is bounded


def limit_memory() -> None:
    """Have the system refuse what is far beyond the bound, and leave no image of a process that ends by it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if (mapped := _held(0)) == 0:
        return
    with suppress(ValueError):  # a lower one is in force already
        resource.setrlimit(resource.RLIMIT_AS, (mapped + HARD_BYTES, mapped + HARD_BYTES))


class Watch:
    """Ends this process when it takes too much memory, too long over one request, or when whoever started it is gone.

    The library lets other threads run while it works, so that a thread is enough."""

    def __init__(self) -> None:
        self._until = float("inf")
        self._above = os.getppid()
        threading.Thread(target=self._look, name="watch", daemon=True).start()

    def begin(self, seconds: float) -> None:
        """From now on, so many seconds of a processor may be taken."""
        self._until = time.process_time() + seconds

    def rest(self) -> None:
        """The request is done."""
        self._until = float("inf")

    def _look(self) -> None:
        while True:
            if _held(1) > READER_BYTES:
                os._exit(TOO_LARGE)
            if time.process_time() > self._until:
                os._exit(TOO_SLOW)
            if os.getppid() != self._above:
                os._exit(LEFT)
            time.sleep(_LOOK_SECONDS)


def _held(which: int) -> int:
    """Bytes of this process: mapped (0) or in memory (1); 0 where that cannot be told."""
    said = read_small(_STATM, 4096)
    return int(said.split()[which]) * resource.getpagesize() if said else 0
