"""A look at the tree, whether an index is up to date with it: at once, or by processes that share a large tree between them
while this one goes on.

Most of the time of an answer from a large index goes into the look, a stat per file, and most of the rest into loading what
answers: side by side they take little longer than one of them. Threads would not do, since loading holds them up.
"""

import gc
import os
import signal
import sys
import threading
from typing import Self

from scova.index import Index
from scova.types import Share

MOST_PROCESSES = 4
LARGE_STORE = 64 << 20  # bytes: what a smaller one knows has been looked at before processes are made

_CURRENT, _STALE, _FAILED = 0, 1, 2  # how a process ends


class Changed(Exception):
    """A refresh would find something to do."""


class Look:
    """Begins when its block is entered, and ends with it."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._processes: list[int] = []
        self._is_stale: bool | None = None  # not known yet

    def __enter__(self) -> Self:
        count = _processes_for(self._index)
        try:
            for number in range(count):
                self._processes.append(_begun(self._index, Share(number, count)))
        except OSError:  # no room for another process: this one is enough
            self.__exit__()
        if not self._processes:
            self.require_unchanged()
        return self

    def __exit__(self, *exception: object) -> None:
        while self._processes:
            os.kill(self._processes[-1], signal.SIGKILL)
            os.waitpid(self._processes.pop(), 0)

    def require_unchanged(self) -> None:
        """Wait until all have looked; raises Changed if the index is not up to date."""
        if self._is_stale is None:
            self._is_stale = self._was_found_stale()
        if self._is_stale:
            raise Changed

    def _was_found_stale(self) -> bool:
        """Whether one of the others found something. If one of them could not tell, this process looks itself."""
        codes = {_FAILED} if not self._processes else set()
        while self._processes:
            _, status = os.waitpid(self._processes[-1], 0)
            self._processes.pop()
            codes.add(os.waitstatus_to_exitcode(status))
        return _STALE in codes or (codes != {_CURRENT} and self._index.is_stale())


def _processes_for(index: Index) -> int:
    """How many are worth making; none where a copy of this process would not be safe."""
    if sys.platform != "linux" or threading.active_count() > 1:  # a lock that another thread holds is copied too
        return 0
    try:
        is_large = index.layout.store_db.stat().st_size >= LARGE_STORE
    except OSError:
        return 0
    processors = len(os.sched_getaffinity(0))
    return min(processors, MOST_PROCESSES) if is_large and processors > 1 else 0


def _begun(index: Index, share: Share) -> int:
    """A process that looks at this part, and ends with what it found. It opens the store for itself: SQLite allows no
    connection to be carried into a copy, so there must not be one yet."""
    process = os.fork()
    if process:
        return process
    try:
        gc.disable()  # looking for garbage would write all over memory that is shared until then
        os._exit(_STALE if index.is_stale(share) else _CURRENT)
    except BaseException:  # noqa: BLE001 - the top of a process: whoever began it looks itself
        os._exit(_FAILED)
