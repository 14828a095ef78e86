"""A process in which a stranger's text is worked on within bounds: memory, time of a processor, and the size of the answer.

A small text may cost anything: parsers are native code, and there are more ways to make one of them slow, hungry or crash than can be
looked for beforehand. So such work is done by a function of bytes to bytes in a process of its own, which the system ends at the bounds:
memory by RLIMIT_DATA, relative to what the process begins with, and time by a timer of its processor. Whoever asked goes on.

Knows nothing of what is worked on.
"""

import atexit
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

from scova.errors import ScovaError

MEMORY_BYTES = 256 << 20  # above what the process begins with
TIMES_LARGER = 8  # than what it was made from: the most that an answer may be
_SECONDS = 2.0  # of a processor for any request …
_SECONDS_PER_MB = 3.0  # … and for its size: what people write takes a third of it
_WAITED = 10  # times as long as the processor may take, where others keep it busy …
_LEAST_WAITED = 60.0  # … but no less, in seconds
_KEPT_BYTES = MEMORY_BYTES // 4  # a process that has grown by more is not kept
_IDLE_SECONDS = 30.0  # after which a process that nobody asks leaves
_STATM = Path("/proc/self/statm")  # where a system has none, memory is not bounded
_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]); "
    "from scova.core.child_process import serve; serve(int(sys.argv[1]), sys.argv[2])"
)
_HEAD = struct.Struct("dQ")  # of a request: seconds of a processor, and the largest answer

# What an answer begins with.
_DONE, _LAST, _MEMORY, _LARGE, _FAILED = b"+", b"-", b"m", b"l", b"f"


def seconds_for(size: int) -> float:
    """How long a text of this many bytes may be worked on, in seconds of a processor."""
    return _SECONDS + _SECONDS_PER_MB * size / (1 << 20)


class BoundExceeded(Exception):
    """The work went beyond a bound, or took its process down. Says so in words that go on after `reading it`."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one request."""

    seconds: float  # of a processor
    answer_bytes: int

    @classmethod
    def of(cls, size: int) -> "Bounds":
        """In proportion to the size of what is worked on."""
        return cls(seconds_for(size), TIMES_LARGER * size + (1 << 16))


class ChildProcess:
    """One process that applies one function, started when it is first needed and anew when it was lost. For one thread at a time."""

    def __init__(self, function: str) -> None:
        """The function takes and gives bytes; it is named as `module:name`."""
        self._function = function
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._is_fresh = True

    def ask(self, request: bytes, bounds: Bounds) -> bytes:
        """What the function makes of a request. BoundExceeded when it went beyond a bound, in a process that did nothing before."""
        if self._process is None:
            self._start()
        was_fresh = self._is_fresh
        try:
            return self._asked(request, bounds)
        except BoundExceeded:
            if was_fresh:
                raise
        except BaseException:
            self.end()  # an answer may be under way, which the next request would take for its own
            raise
        self._start()  # what it worked on before may be to blame
        return self._asked(request, bounds)

    def end(self) -> None:
        """Let the process go."""
        process, line = self._process, self._line
        self._process = self._line = None
        if process is not None and line is not None:
            process.kill()
            process.wait()
            line.close()

    def _asked(self, request: bytes, bounds: Bounds) -> bytes:
        assert self._line is not None
        self._is_fresh = False
        with suppress(OSError):  # it ended meanwhile, which is found below
            self._line.send_bytes(_HEAD.pack(bounds.seconds, bounds.answer_bytes) + request)
        answer = self._received(max(_LEAST_WAITED, _WAITED * bounds.seconds))
        kind, rest = answer[:1], answer[1:]
        if kind != _DONE:
            self.end()
        if kind == _MEMORY:
            raise BoundExceeded(f"takes more than {MEMORY_BYTES >> 20} MB of memory")
        if kind == _LARGE:
            raise BoundExceeded(f"makes more than {bounds.answer_bytes:,} bytes of it")
        if kind == _FAILED:
            raise BoundExceeded(f"fails with {rest.decode(errors='replace').strip().rpartition(chr(10))[2]}")
        if kind not in (_DONE, _LAST):
            raise BoundExceeded(_ended(int(rest or b"0"), bounds.seconds))
        return rest

    def _received(self, seconds: float) -> bytes:
        """What it says next; when it ended instead, how, as a number without a kind before it."""
        assert self._line is not None and self._process is not None
        try:
            if self._line.poll(seconds):
                return self._line.recv_bytes()
            self._process.kill()
            return b"?%d" % -signal.SIGPROF
        except (EOFError, OSError):
            return b"?%d" % self._process.wait()

    def _start(self) -> None:
        self.end()
        line, theirs = Pipe()
        paths = json.dumps([each for each in sys.path if each])
        # Without -P, a module of the folder one works in would be loaded in the place of Python's own.
        command = [sys.executable, "-P", "-c", _BEGIN, str(theirs.fileno()), self._function, paths]
        quiet = subprocess.DEVNULL  # stdout may carry a protocol
        try:
            process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=quiet, stdout=quiet, stderr=quiet)
        except OSError as error:
            line.close()
            raise _cannot_start(str(error)) from error
        finally:
            theirs.close()
        self._process, self._line, self._is_fresh = process, line, True
        begun = self._received(_LEAST_WAITED)
        if begun != _DONE:
            self.end()
            raise _cannot_start(f"it ends with {begun[1:].decode(errors='replace')}")


class ChildProcesses:
    """A few of them with one function, for any number of threads; one that was forked from this process has its own."""

    def __init__(self, function: str, most: int = 4) -> None:
        self._function = function
        self._idle: dict[int, list[ChildProcess]] = {}  # by the process they belong to
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(most)
        atexit.register(self.close)

    def ask(self, request: bytes, bounds: Bounds) -> bytes:
        """What the function makes of a request, in whichever process is free."""
        with self._places:
            with self._lock:
                idle = self._idle.setdefault(os.getpid(), [])
                child = idle.pop() if idle else ChildProcess(self._function)
            try:
                return child.ask(request, bounds)
            finally:
                with self._lock:
                    self._idle.setdefault(os.getpid(), []).append(child)

    def close(self) -> None:
        """Let go of the processes that nobody is asking."""
        with self._lock:
            idle = self._idle.pop(os.getpid(), [])
        for child in idle:
            child.end()


def _ended(code: int, seconds: float) -> str:
    if -code == signal.SIGPROF:
        return f"takes more than {seconds:.3g} seconds of a processor"
    how = signal.Signals(-code).name if code < 0 else f"status {code}"
    return f"takes its process down ({how}), most likely for want of the {MEMORY_BYTES >> 20} MB it may have"


def _cannot_start(reason: str) -> ScovaError:
    return ScovaError(
        f"no process for reading large files can be started ({reason})", "free some memory, and try again"
    )


# --- in the child


def serve(descriptor: int, function: str) -> None:
    """Answer whoever holds the other end of this connection, until they let go of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends it, whatever it is in the middle of
    module, _, name = function.partition(":")
    work: Callable[[bytes], bytes] = getattr(import_module(module), name)
    began = _held()
    _limit_memory(began)
    line = Connection(descriptor)
    line.send_bytes(_DONE)
    while line.poll(_IDLE_SECONDS):
        try:
            request = line.recv_bytes()
        except EOFError:
            return
        seconds, most = _HEAD.unpack_from(request)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        answer = _answered(work, request[_HEAD.size :], most)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if answer[:1] == _DONE and _held() - began > _KEPT_BYTES:
            answer = _LAST + answer[1:]
        del request
        line.send_bytes(answer)
        if answer[:1] != _DONE:
            return


def _answered(work: Callable[[bytes], bytes], request: bytes, most: int) -> bytes:
    try:
        answer = work(request)
    except MemoryError:
        return _MEMORY
    except Exception:  # noqa: BLE001  # the top of a process; the parent says it
        return _FAILED + traceback.format_exc()[-2000:].encode(errors="replace")
    return _DONE + answer if len(answer) <= most else _LARGE


def _limit_memory(held: int) -> None:
    """Have the system refuse what is beyond the bound, and leave no image of a process that ends by it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if held:
        with suppress(ValueError, OSError):  # a lower one is in force already
            resource.setrlimit(resource.RLIMIT_DATA, (held + MEMORY_BYTES, held + MEMORY_BYTES))


def _held() -> int:
    """Bytes of memory this process has for itself, used or not; 0 where that cannot be told."""
    try:
        return int(_STATM.read_bytes().split()[5]) * resource.getpagesize()
    except OSError:
        return 0
