"""Waiting for something that another thread or process does, with a deadline instead of a guess."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def until(found: Callable[[], Found], what: str = "it", seconds: float = 20.0) -> Found:
    """What `found` returns once that is anything true; fails when the deadline passes first."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        threading.Event().wait(0.02)
    return value
