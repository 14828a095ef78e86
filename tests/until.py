"""Waiting for something that another thread or process does, with a deadline instead of a guess.

The deadline is generous: it ends a test that would never end, and judges nothing. A machine may be busy with anything.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from scova.types import CLOCK_GRAIN_NS

Found = TypeVar("Found")


def until(found: Callable[[], Found], what: str = "it", seconds: float = 120.0) -> Found:
    """What `found` returns once that is anything true; fails when the deadline passes first."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        threading.Event().wait(0.02)
    return value


def until_old(folder: Path) -> None:
    """Wait until nothing in a folder is so young that it is read once more for that reason alone, however fast the machine."""
    youngest = max(path.lstat().st_ctime_ns for path in (folder, *folder.rglob("*")))
    until(lambda: time.time_ns() > youngest + 2 * CLOCK_GRAIN_NS, "growing old")
