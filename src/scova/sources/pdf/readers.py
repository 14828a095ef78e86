"""Readers: processes with bounds on memory and time in which PDF files are opened, a few at most, each started when it is first needed.

One that goes beyond a bound, or is taken down, is replaced. Opens nothing itself, and knows nothing of pages. Any number of threads may ask.
"""

import atexit
import json
import logging
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Pipe
from typing import Any

from scova.core.python_process import start
from scova.errors import ScovaError
from scova.sources.pdf import limits
from scova.sources.pdf.opened import PdfUnreadable

MOST = 4  # of one process at a time
_ENDING_SECONDS = 5.0  # between a reader's line closing and its end
_LARGEST_ANSWER = 16 * limits.LARGEST_TEXT  # bytes, however many a character takes

_log = logging.getLogger(__name__)

Told = dict[str, Any]


class Beyond(Exception):
    """Reading went beyond a bound, or took the reader down. Says so, in words that go on after `reading it`."""


def asked(request: Told) -> Told:
    """What a reader answers. Raises PdfUnreadable, and Beyond when a fresh reader does not come back from it."""
    with _borrowed() as reader:
        told = reader.ask(request)
        if told is None and reader.is_innocent:  # what it read before may be to blame, or it was about to leave
            reader.replace()
            told = reader.ask(request)
        if told is None:
            raise Beyond(reader.said(float(request["seconds"])))
    if "unreadable" in told:
        raise PdfUnreadable(*told["unreadable"])
    if "failed" in told:
        _log.error("a reader of PDF files failed:\n%s", told["failed"])
        raise Beyond(f"failed with {told['failed'].strip().rpartition(chr(10))[2]}")
    return told


def close_all() -> None:
    """Let go of the readers of this process that nobody is asking."""
    with _lock:
        readers, _idle[os.getpid()] = _idle.get(os.getpid(), []), []
    for reader in readers:
        reader.end()


class Reader:
    """One process, as whoever asks it sees it. For one thread at a time."""

    is_alive: bool
    _has_read: bool
    _had_read: bool  # before the last request
    _is_late: bool

    def __init__(self) -> None:
        self._start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def ask(self, request: Told) -> Told | None:
        """Its answer; None when it has ended instead. ScovaError when it did not even begin."""
        self._had_read, self._has_read = self._has_read, True
        if not self._had_read and self._received() is None:
            raise _no_reader("it does not come up" if self._is_late else f"it ends with {self._end_code}")
        with suppress(OSError):  # it ended meanwhile, which is found below
            self._line.send_bytes(json.dumps(request).encode())
        return self._received()

    @property
    def is_innocent(self) -> bool:
        """Whether the last request need not be what ended it."""
        return not self._is_late and self._had_read and self._process.returncode != limits.TOO_SLOW

    def said(self, seconds: float) -> str:
        """How it ended, having had so many seconds."""
        code = self._process.returncode
        if self._is_late:
            return f"did not come to an end within {limits.WALL_SECONDS:g} seconds"
        if code == limits.TOO_LARGE:
            return f"takes more than {limits.READER_BYTES >> 20} MB of memory"
        if code == limits.TOO_SLOW:
            return f"takes more than {seconds:g} seconds of a processor"
        return f"takes its process down ({self._end_code}): it is damaged, or unpacks to far too much"

    @property
    def _end_code(self) -> str:
        code = self._process.returncode
        return signal.Signals(-code).name if code < 0 else f"status {code}"

    def replace(self) -> None:
        """Begin again, in a process that has read nothing."""
        self.end()
        self._start()

    def end(self) -> None:
        """Let the process go."""
        if not self.is_alive:
            return
        self.is_alive = False
        self._process.kill()
        self._process.wait()
        self._line.close()

    def _received(self) -> Told | None:
        """What it says next; None when it has ended, or had to be."""
        try:
            if self._line.poll(limits.WALL_SECONDS):
                told: Told = json.loads(self._line.recv_bytes(_LARGEST_ANSWER))
                return told
            self._is_late = True
        except (EOFError, OSError):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_ENDING_SECONDS)
        self.end()
        return None

    def _start(self) -> None:
        self._line, theirs = Pipe()
        try:
            self._process = start("scova.sources.pdf.reader:main", theirs)
        except OSError as error:
            self._line.close()
            raise _no_reader(str(error)) from error
        self.is_alive = True
        self._has_read = self._had_read = self._is_late = False


# By process: one that was forked has none of its parent's.
_idle: dict[int, list[Reader]] = {}
_lock = threading.Lock()
_places = threading.BoundedSemaphore(MOST)


@contextmanager
def _borrowed() -> Iterator[Reader]:
    """A reader that nobody else is asking."""
    with _places:
        with _lock:
            idle = _idle.setdefault(os.getpid(), [])
            reader = idle.pop() if idle else None
        reader = reader or Reader()
        try:
            yield reader
        except Beyond:
            raise
        except BaseException:  # an answer may be under way, which the next request would be taken for
            reader.end()
            raise
        finally:
            if reader.is_alive:
                with _lock:
                    _idle.setdefault(os.getpid(), []).append(reader)


def _no_reader(reason: str) -> ScovaError:
    hint = "see that there is memory, and that `python -c 'import pypdfium2'` works where scova is; then build again"
    return ScovaError(f"no process for reading PDFs can be started ({reason})", hint)


atexit.register(close_all)
