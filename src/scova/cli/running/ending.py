"""The end of a command that goes on until it is told to stop: by Ctrl-C or SIGTERM, both of which are a proper end."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


class Ending:
    """Set by a signal. Takes no lock, unlike an Event of threading, which could wait for ever for the code it interrupts."""

    _is_near = False

    def is_set(self) -> bool:
        """Whether it is time to end."""
        return self._is_near

    def wait(self, seconds: float) -> bool:
        """Rest for so long; whether it is time to end."""
        time.sleep(seconds)
        return self._is_near

    def begin(self, number: int, frame: FrameType | None) -> None:
        """The first signal is heard between two steps, since an exception in the midst of one may be lost. The second is not patient."""
        if self._is_near:
            raise KeyboardInterrupt
        self._is_near = True


@contextmanager
def heeded() -> Iterator[Ending]:
    """While the block runs, signals set the ending; a second one ends the block at once."""
    ending = Ending()
    before = {number: signal.signal(number, ending.begin) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with suppress(KeyboardInterrupt):
            yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
