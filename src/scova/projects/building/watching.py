"""Whoever watches a build: what they are told, how they stop it, and how long a slice may take."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from scova.types import Progress

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Told:
    """How far a slice is."""

    source_id: str
    done: int  # documents of this source that are there: fetched, or read where nothing is fetched; it never goes down
    total: int  # 0 while it is not known
    sources_done: int
    sources_total: int
    chunks: int  # that this slice has put
    vectors: int
    step: Progress  # what is being done just now; documents are counted as above, chunks with those that are being put


def never() -> bool:
    """The answer of whoever does not want to stop."""
    return False


def nobody(told: Told) -> None:
    """Whoever does not want to hear how far it is."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Whoever watches a build. `stop` is asked often: a build that is stopped has written down how far it is."""

    tell: Callable[[Told], None] = nobody
    stop: Callable[[], bool] = never
    clock: Clock = time.monotonic


class Timer:
    """The time of one slice."""

    def __init__(self, most_seconds: float, *, stop: Callable[[], bool], clock: Clock = time.monotonic) -> None:
        self._most = most_seconds
        self._clock = clock
        self._began = clock()
        self.is_stopped = stop

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return self._clock() - self._began

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time for it is up."""
        return self.seconds >= self._most

    def is_over(self) -> bool:
        """Whether it should end, for one reason or the other."""
        return self.is_stopped() or self.is_out_of_time
