"""Lines matched in another process, which can be ended at any moment; and what that process does.

A request is two messages: JSON with the patterns and how they are meant, and the line. The answer is one: the spans, as numbers in a row.
Knows nothing of files.
"""

import json
import os
import signal
import threading
from array import array
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

from scova.core.deadline import Stop
from scova.core.python_process import start
from scova.errors import IndexState
from scova.record import names_of
from scova.search.regex.matcher import Matcher, Options, Span

_LOOK_EVERY = 0.05  # seconds between two looks whether it is still wanted


class Apart:
    """The other process, as whoever asks it sees it. For one thread at a time."""

    def __init__(self, patterns: Sequence[str], options: Options) -> None:
        self._asked = {"patterns": patterns, "options": {name: getattr(options, name) for name in names_of(Options)}}
        self._line, theirs = Pipe()
        try:
            self._process = start("scova.search.regex.apart:main", theirs)
        except OSError as error:
            self._line.close()
            raise _no_process(str(error)) from error

    def spans(self, line: bytes, *, every: bool, stop: Stop) -> list[Span]:
        """The matches in a line; none when it does not match."""
        try:
            self._line.send_bytes(json.dumps({**self._asked, "every": every}).encode())
            self._line.send_bytes(line)
            while not self._line.poll(_LOOK_EVERY):
                stop()
            numbers = array("q", self._line.recv_bytes())
        except (EOFError, OSError) as error:
            self.close()
            raise _no_process(f"it ended with status {self._process.returncode}") from error
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._line.close()


def _no_process(reason: str) -> IndexState:
    hint = "see that there is memory, and ask again; without very long lines (`-g '!PATH'`) none is needed"
    return IndexState(f"a very long line cannot be matched in a process of its own ({reason})", hint)


# --- in the other process


def main(descriptor: int) -> None:
    """Match lines for whoever holds the other end of this connection, until they let go of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    line = Connection(descriptor)
    with suppress(EOFError, OSError):
        while True:
            asked, text = json.loads(line.recv_bytes()), line.recv_bytes()
            # In a thread, so that the end of the parent is noticed here, however long it takes.
            threading.Thread(target=_answer, args=(line, asked, text), daemon=True).start()
    os._exit(0)


def _answer(line: Connection, asked: dict[str, object], text: bytes) -> None:
    try:
        line.send_bytes(_spans(asked, text).tobytes())
    except BaseException:  # noqa: BLE001 - the top of a worker: the parent hears that it ended
        os._exit(1)


def _spans(asked: dict[str, object], text: bytes) -> "array[int]":
    matcher = Matcher(asked["patterns"], Options(**asked["options"]))  # type: ignore[arg-type]  # as it was written above
    found = matcher.found(text, every=bool(asked["every"]))
    return array("q", (number for one in found for span in one.spans for number in span))
