"""How long one question may go on: its time, the bytes that its answer may hold, and whether anyone still waits for it.

A deadline is made where a question arrives, and every loop that can be long looks at it. It is in force for all that is called
inside `asking`, so a question is the same whoever asks it. What takes the work over to another thread hands the deadline over too.

A loop that can answer with what it has asks `is_over` and says what is missing with `cut`; any other calls `check`, which raises.
Once nobody waits for the answer any more, both raise. Knows no question, no request and no process.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from scova.errors import OutOfTime

Stop = Callable[[], None]  # raises, in any thread, once the answer is not wanted any more

_HINT = "Ask about fewer files or more exactly, or allow more time (setting `deadline_ms`)."
_MEGABYTE = 1_000_000


def never() -> None:
    """The answer is wanted, however long it takes."""


class Deadline:
    """The deadline of one question. Threads may share it."""

    __slots__ = ("_clock", "_cuts", "_ends", "_held", "_is_over", "_most_bytes", "_seconds", "_stop")

    def __init__(
        self,
        seconds: float = 0.0,
        *,
        most_bytes: int = 0,
        stop: Stop = never,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """So many seconds from now on, and so many bytes; 0 is any number. `stop` raises when nobody waits any more."""
        self._clock = clock
        self._seconds = seconds
        self._ends = clock() + seconds if seconds else 0.0
        self._most_bytes = most_bytes
        self._stop = stop
        self._held = 0
        self._is_over = False
        self._cuts: dict[str, None] = {}

    def again(self) -> "Deadline":
        """The same deadline for the next question of the same caller: what is left of its time, with nothing held or cut."""
        other = Deadline(most_bytes=self._most_bytes, stop=self._stop, clock=self._clock)
        other._seconds, other._ends = self._seconds, self._ends
        return other

    def is_over(self) -> bool:
        """Whether to stop and answer with what there is. Raises once nobody waits for the answer."""
        self._stop()
        if not self._is_over and self._ends and self._clock() >= self._ends:
            self._is_over = True
        return self._is_over

    def check(self) -> None:
        """Raise OutOfTime when it is over: for work that is worth nothing unless it is done."""
        if self.is_over():
            raise OutOfTime(f"the question is not answered {self._limit()}", _HINT)

    def hold(self, size: int) -> None:
        """So many bytes more are kept for the answer; beyond the most that it may hold, the deadline is over."""
        self._held += size
        if self._most_bytes and self._held > self._most_bytes:
            self._is_over = True

    def cut(self, done: str) -> None:
        """Say what was done of the work before the deadline, as in "3 of 9 files were searched"."""
        self._cuts[f"Cut: {done} {self._limit()}. {_HINT}"] = None

    def note(self, sentence: str) -> None:
        """Say in a whole sentence what is missing for another reason, and how to have it."""
        self._cuts[sentence] = None

    @property
    def cuts(self) -> tuple[str, ...]:
        """What the answer lacks, in sentences; nothing for one that is whole."""
        return tuple(self._cuts)

    def _limit(self) -> str:
        if self._most_bytes and self._held > self._most_bytes:
            return f"before the answer had {self._most_bytes / _MEGABYTE:g} MB"
        return f"within {self._seconds:g} s" if self._seconds else "in time"


_in_force: "ContextVar[Deadline | None]" = ContextVar("deadline", default=None)


def in_force() -> Deadline:
    """The deadline of the question that is being answered; outside of any, one that is never over."""
    return _in_force.get() or Deadline()


@contextmanager
def asking(deadline: Deadline) -> Iterator[Deadline]:
    """Whatever is asked inside has this deadline."""
    token = _in_force.set(deadline)
    try:
        yield deadline
    finally:
        _in_force.reset(token)
