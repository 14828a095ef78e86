"""Who parses what strangers push: processes that are kept for it. A parser is native code, and what takes it down must not take the server.

What a process was lost over is done again, file by file, by the pool of a build, which finds out which file it was.

Pushes share one; a build has one of its own, so that nobody who pushes waits for what a build reads.
"""

import os
import queue
from collections.abc import Sequence

from scova.build.plan import Task
from scova.build.pool import Standby
from scova.build.work import Batch, Work

Order = tuple[Work, list[Task]]

MOST = 4  # processes
_PATIENCE = 120.0  # seconds to wait for one that is free


class Parser:
    """A few processes, each started when it is first needed."""

    def __init__(self, most: int = MOST) -> None:
        self._idle: queue.LifoQueue[Standby[Order, Batch]] = queue.LifoQueue()
        self._all = [Standby[Order, Batch](_parsed) for _ in range(min(most, os.cpu_count() or 1))]
        for one in self._all:
            self._idle.put(one)

    def __call__(self, work: Work, tasks: list[Task]) -> Batch | None:
        """What became of these files; None when a process was lost over them."""
        try:
            one = self._idle.get(timeout=_PATIENCE)
        except queue.Empty:
            return None
        try:
            return one([(work, tasks)])
        finally:
            self._idle.put(one)

    def close(self) -> None:
        """Let the processes go; nobody is parsing any more."""
        for one in self._all:
            one.end()


def _parsed(orders: Sequence[Order]) -> Batch:
    (work, tasks) = orders[0]
    return work(tasks)
