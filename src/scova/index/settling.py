"""Answers of one certain moment: everything that was saved before the question is in them, and nothing is a mixture of before
and after.

The tree is compared with the index before the question is asked and once more after it was answered, a stat per file each time.
When it was the same both times, and the index was not written to in between, then the tree was what the index says for all of
the time in between. Otherwise the question is asked again.

Whoever inherits brings the parts. Nobody needs a watcher for this, and nobody is disturbed by it.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from scova.errors import IndexBusy, Unsettled
from scova.types import Report

if TYPE_CHECKING:
    from scova.stores.sqlite import SqliteStore

Answered = TypeVar("Answered")

_PAUSE = 0.05  # seconds between looks at what another process is writing, or as long as the look before took


class Settling(ABC):
    """An index that can be asked about a certain moment."""

    _pending: tuple[str, ...]

    def settled(self, ask: Callable[[], Answered], *, wait_seconds: float = 30.0) -> Answered:
        """What `ask` returns when the index reflects the folder as it is, from the beginning to the end of asking.

        Changes are brought in first, or waited for while another process does it. Raises Unsettled when the folder
        changes faster than that, or the other is not done, after `wait_seconds`.
        """
        deadline = time.monotonic() + wait_seconds
        while True:
            before = self._settle(deadline)
            answer = ask()
            if self._opened().change_seq() == before and not self.is_stale():
                return answer
            _require_time(deadline, "the folder changes faster than it is indexed")

    def _settle(self, deadline: float) -> int:
        """Bring in what changed; the change_seq that reflects the folder as it was at some moment since."""
        while True:
            started = time.monotonic()
            before = self._opened().change_seq() if self.indexed else -1
            if not self.is_stale():
                self._pending = ()
                return before
            try:
                self.refresh()
            except IndexBusy as busy:
                _require_time(deadline, busy.message)
                time.sleep(max(_PAUSE, time.monotonic() - started))
            else:
                _require_time(deadline, "the folder changes faster than it is indexed")

    @property
    @abstractmethod
    def indexed(self) -> bool: ...

    @abstractmethod
    def is_stale(self) -> bool: ...

    @abstractmethod
    def refresh(self) -> Report: ...

    @abstractmethod
    def _opened(self) -> "SqliteStore": ...


def _require_time(deadline: float, reason: str) -> None:
    if time.monotonic() >= deadline:
        raise Unsettled(
            f"no answer of one certain moment: {reason}",
            "wait longer, or ask without it: the answer then says what is pending",
        )
