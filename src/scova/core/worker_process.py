"""Worker processes as their parent sees them, whichever way they began, and what each does first.

Knows nothing of what is done in them.
"""

import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from scova.core import python_process

WORKER_BYTES = 4 << 30  # address space one worker may add; parsing a megabyte takes a hundredth of it
_UNLIMITED = (1 << 63) - 1  # what the system calls infinity is -1, or this


class ForkedProcess:
    """A worker that begins with all that this process has: ten times faster than anything else, but only safe while no other
    thread runs."""

    def __init__(self, work: Callable[..., object], theirs: Connection, *given: object) -> None:
        """It calls `work` with its end of a connection, which is closed here, and what is given."""
        context = multiprocessing.get_context("fork")
        self._process = context.Process(target=work, args=(theirs, *given), daemon=True)
        try:
            self._process.start()
        finally:
            theirs.close()  # ours must be the only end left, or the end of the worker would not be noticed
        self.kill = self._process.kill

    @staticmethod
    def is_safe() -> bool:
        """Whether this process may be forked."""
        return threading.active_count() == 1 and not multiprocessing.current_process().daemon

    def wait(self, seconds: float | None = None) -> int | None:
        """How it ended; None if it has not."""
        self._process.join(seconds)
        return self._process.exitcode


class StartedProcess:
    """A worker that begins with nothing."""

    def __init__(self, entry: str, theirs: Connection) -> None:
        """It calls `entry` as `python_process` does, with its end of a connection, which is closed here."""
        self._process = python_process.start(entry, theirs, quiet=False)
        self.kill = self._process.kill

    def wait(self, seconds: float | None = None) -> int | None:
        """How it ended; None if it has not."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


# --- in the worker


def begin_work() -> None:
    """Make this process a worker: bounds on its memory, and an end when its parent ends."""
    python_process.become_worker()
    gc.freeze()  # what the parent made is the parent's to collect: its memory stays shared, its connections open
    limit = min(_address_space() + WORKER_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1] & _UNLIMITED)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _address_space() -> int:
    """How much this process has already: a forked one begins with all that its parent has."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def _leave_with_parent() -> None:
    """End this worker soon after its parent is gone; a killed parent cannot tell it."""
    parent, above = multiprocessing.parent_process(), os.getppid()  # `above` may be gone already
    while os.getppid() == above and (parent is None or parent.is_alive()):
        time.sleep(1.0)
    os._exit(0)
