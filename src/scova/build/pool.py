"""Worker processes: batches in, results out, in whatever order they finish.

A parser is native code: it may take its process down, never come back, or ask for all memory there is; and Python code may
raise. None of that fails a build. Workers have a limit on memory and on the time for one batch; a batch that is lost is
tried again one element at a time, and the element that is lost a second time comes back as `Crashed`. Only what scova
raises on purpose reaches the caller.

Each worker has a line of its own, and nothing is shared: the end of one worker costs the batch it had and no other, and
cannot leave a lock behind that others wait for. Workers keep nothing, so they are ended by killing them.

Knows nothing of files or chunks.
"""

import gc
import logging
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from scova.core.small_files import read_small
from scova.errors import ScovaError

WORKER_BYTES = 4 << 30  # address space one worker may add; parsing a megabyte takes a hundredth of it
BATCH_SECONDS = 300.0
ELEMENT_SECONDS = 60.0
_ENDING_SECONDS = 5.0  # between a worker's line closing and its end
_SAFE = "PYTHONSAFEPATH"
_UNLIMITED = (1 << 63) - 1  # what the system calls infinity is -1, or this

_log = logging.getLogger(__name__)

Element = TypeVar("Element")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Crashed(Generic[Element]):
    """An element whose processing failed twice, the second time alone; `reason` says how, in words."""

    element: Element
    reason: str


def map_batches(
    function: Callable[[Sequence[Element]], Outcome], batches: Iterable[Sequence[Element]], *, workers: int
) -> Iterator[Outcome | Crashed[Element]]:
    """Apply `function` to every batch in at most `workers` processes; a batch is taken when a worker is free for it."""
    crew = _Crew(function, batches, workers)
    try:
        yield from crew.outcomes()
    finally:
        crew.dismiss()


@dataclass(frozen=True, slots=True)
class _Job(Generic[Element]):
    batch: Sequence[Element]
    again: bool  # a single element, tried for the second time

    @property
    def seconds(self) -> float:
        return ELEMENT_SECONDS if self.again else BATCH_SECONDS


@dataclass(frozen=True, slots=True)
class _Lost:
    """Instead of an outcome: how the batch was lost."""

    reason: str


class _Crew(Generic[Element, Outcome]):
    """The workers of one run, and what is still to be done."""

    def __init__(
        self, function: Callable[[Sequence[Element]], Outcome], batches: Iterable[Sequence[Element]], workers: int
    ) -> None:
        self._function = function
        self._batches = iter(batches)
        self._again: deque[Element] = deque()
        self._workers = workers
        self._idle: list[_Worker[Element, Outcome]] = []
        self._busy: dict[Connection, _Worker[Element, Outcome]] = {}

    def outcomes(self) -> Iterator[Outcome | Crashed[Element]]:
        self._give_out()
        while self._busy:
            for job, outcome in self._returned():
                if isinstance(outcome, _Lost) and not job.again:
                    self._again.extend(job.batch)
                self._give_out()  # first, so that workers are not idle while the caller takes its time
                if not isinstance(outcome, _Lost):
                    yield outcome
                elif job.again:
                    yield Crashed(job.batch[0], outcome.reason)

    def dismiss(self) -> None:
        for worker in (*self._idle, *self._busy.values()):
            worker.end()

    def _give_out(self) -> None:
        while len(self._busy) < self._workers and (job := self._next()):
            worker = self._idle.pop() if self._idle else _Worker(self._function)
            self._busy[worker.line] = worker
            worker.begin(job)

    def _next(self) -> _Job[Element] | None:
        if self._again:
            return _Job([self._again.popleft()], again=True)
        batch = next(self._batches, None)
        return None if batch is None else _Job(batch, again=False)

    def _returned(self) -> Iterator[tuple[_Job[Element], Outcome | _Lost]]:
        """What came back, or was given up, after waiting until something is."""
        seconds = min(worker.deadline for worker in self._busy.values()) - time.monotonic()
        ready = wait(list(self._busy), max(seconds, 0.0))
        late = [] if ready else [line for line, worker in self._busy.items() if worker.deadline <= time.monotonic()]
        for line in (*ready, *late):
            worker = self._busy[line]  # type: ignore[index]  # only connections are waited for
            outcome = worker.give_up() if line in late else worker.receive()
            if outcome is not None:
                del self._busy[worker.line]
                if worker.is_alive:
                    self._idle.append(worker)
                yield worker.job, outcome


@contextmanager
def _nothing_loaded_from_here() -> Iterator[None]:
    """A fork server that starts in this block does not look for modules in the working folder, which may be anybody's."""
    if _SAFE in os.environ:
        yield
        return
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        os.environ.pop(_SAFE, None)


class _Worker(Generic[Element, Outcome]):
    """One process, as its parent sees it."""

    job: _Job[Element]
    deadline: float

    def __init__(self, function: Callable[[Sequence[Element]], Outcome]) -> None:
        # Forking is ten times faster than anything else, but only safe while no other thread runs.
        context: Any = multiprocessing.get_context("fork" if threading.active_count() == 1 else "forkserver")
        context.set_forkserver_preload(_loaded_beside(function))  # heard only by a server that has not started yet
        self.line, theirs = context.Pipe()
        self.is_alive = True
        self._has_begun = False
        self._process = context.Process(target=_serve, args=(theirs, function), daemon=True)
        try:
            with _nothing_loaded_from_here():
                self._process.start()
        except (OSError, EOFError) as error:  # the latter when a fork server does not come up
            self.line.close()
            raise _no_workers(str(error)) from error
        finally:
            theirs.close()  # ours must be the only end left, or the end of the worker would not be noticed

    def begin(self, job: _Job[Element]) -> None:
        self.job = job
        self.deadline = time.monotonic() + job.seconds
        with suppress(BrokenPipeError, ConnectionResetError):  # it ended meanwhile, which `receive` will find
            self.line.send(job.batch)

    def receive(self) -> Outcome | _Lost | None:
        """What the worker has sent; None when that was only that it has begun."""
        try:
            kind, value = self.line.recv()
        except (EOFError, OSError):
            return self._ended()
        if kind == "raised":
            raise value
        if kind == "failed":
            _log.error("a worker process failed%s:\n%s", " again" if self.job.again else "", value)
            return _Lost(value.strip().rpartition("\n")[2])
        self._has_begun = True
        return value  # type: ignore[no-any-return]  # None with "begun", an outcome with "done"

    def give_up(self) -> _Lost:
        self.end()
        return _Lost(f"did not finish within {self.job.seconds:.0f} seconds")

    def end(self) -> None:
        if not self.is_alive:
            return
        self.is_alive = False
        self._process.kill()
        self._process.join()
        self._process.close()
        self.line.close()

    def _ended(self) -> _Lost:
        self._process.join(_ENDING_SECONDS)
        code = self._process.exitcode
        self.end()
        reason = f"killed by {signal.Signals(-code).name}" if code and code < 0 else f"ended with status {code}"
        if not self._has_begun:
            raise _no_workers(reason)
        return _Lost(reason)


class Standby(Generic[Element, Outcome]):
    """One worker that is kept between batches, for small ones that come often. For one thread at a time."""

    def __init__(self, function: Callable[[Sequence[Element]], Outcome]) -> None:
        self._function = function
        self._worker: _Worker[Element, Outcome] | None = None

    def __call__(self, batch: Sequence[Element]) -> Outcome | None:
        """What the function makes of a batch; None when the worker was lost over it."""
        worker = self._worker = self._worker or _Worker(self._function)
        worker.begin(_Job(batch, again=True))
        outcome: Outcome | _Lost | None = None
        while outcome is None:
            is_ready = worker.line.poll(max(0.0, worker.deadline - time.monotonic()))
            outcome = worker.receive() if is_ready else worker.give_up()
        if not worker.is_alive:
            self._worker = None
        return None if isinstance(outcome, _Lost) else outcome

    def end(self) -> None:
        """Let the worker go."""
        if self._worker is not None:
            self._worker.end()
        self._worker = None


def _loaded_beside(function: Callable[..., object]) -> list[str]:
    """The modules of the function's package that are loaded here: a fork server that has them starts workers faster."""
    package = function.__module__.partition(".")[0]
    return [name for name in list(sys.modules) if name.partition(".")[0] == package and name != "__main__"]


def _no_workers(reason: str) -> ScovaError:
    return ScovaError(
        f"worker processes cannot be started ({reason})",
        'free some memory; in a script with threads, call scova under `if __name__ == "__main__":`',
    )


# --- in the worker


def _serve(line: Connection, function: Callable[[Sequence[Element]], Outcome]) -> None:
    _start_worker()
    line.send(("begun", None))
    while True:
        try:
            line.send(("done", function(line.recv())))
        except EOFError:
            return
        except ScovaError as error:
            line.send(("raised", error))
        except Exception:  # noqa: BLE001  # the top of a worker; the parent logs it
            line.send(("failed", traceback.format_exc()))


def _start_worker() -> None:
    gc.freeze()  # what the parent made is the parent's to collect: its memory stays shared, its connections open
    limit = min(_address_space() + WORKER_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1] & _UNLIMITED)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _address_space() -> int:
    """How much this process has already: a forked one begins with all that its parent has."""
    said = read_small("/proc/self/statm", 4096)
    return int(said.split()[0]) * resource.getpagesize() if said else 0


def _leave_with_parent() -> None:
    """End this worker soon after its parent is gone; a killed parent cannot tell it."""
    parent, above = multiprocessing.parent_process(), os.getppid()  # `above` may be a fork server, or gone already
    while os.getppid() == above and (parent is None or parent.is_alive()):
        time.sleep(1.0)
    os._exit(0)
