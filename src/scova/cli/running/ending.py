"""The end of a command that goes on until it is told to stop: by Ctrl-C, SIGTERM or a hang-up, all of which are a proper end."""

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

CLOSING_SECONDS = 1.5

Handler = Callable[[int, FrameType | None], None]


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
def on_signals(handler: Handler) -> Iterator[None]:
    """While the block runs, whatever tells the process to end calls this. A hang-up does not where it is ignored (`nohup`)."""
    heard = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)


@contextmanager
def heeded() -> Iterator[Ending]:
    """While the block runs, signals set the ending; a second one ends the block at once."""
    ending = Ending()
    with on_signals(ending.begin), suppress(KeyboardInterrupt):
        yield ending


@contextmanager
def left_in_time(close: Callable[[], None]) -> Iterator[None]:
    """A block that cannot be interrupted, since it reads what may never come: a signal ends the process beside it, with exit code 0.

    However it ends, `close` is called once, and what takes longer than a moment is left where it is: an index can be left at any time.
    """
    closing = _Closing(close)
    reading, writing = os.pipe()

    def hear(number: int, frame: FrameType | None) -> None:
        os.write(writing, b"\0")

    def wait() -> None:
        os.read(reading, 1)
        closing.wait()
        _leave()

    threading.Thread(target=wait, name="scova-ending", daemon=True).start()
    with on_signals(hear):
        try:
            yield
        finally:
            is_closed = closing.wait()
    others = [one for one in threading.enumerate() if one is not threading.main_thread() and not one.daemon]
    if others or not is_closed:
        _leave()


class _Closing:
    """Closing something once, whoever wants it, and waiting for that as long as can be waited."""

    def __init__(self, close: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=close, name="scova-closing", daemon=True)
        self._starting = threading.Lock()

    def wait(self) -> bool:
        with self._starting:
            if self._thread.ident is None:
                self._thread.start()
        self._thread.join(CLOSING_SECONDS)
        return not self._thread.is_alive()


def _leave() -> None:
    """End the process as it would end by itself, without its threads."""
    _Closing(atexit._run_exitfuncs).wait()  # processes that were started end, and their sockets go
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)
