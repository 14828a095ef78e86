"""Worker processes: batches in, results out, in whatever order they finish.

A parser is native code: it may take its process down, never come back, or ask for all memory there is. None of that fails a
build. Workers have a limit on memory and on the time for one batch; a batch that is lost is tried again one element at a
time, and the element that loses its process a second time comes back as `Crashed`.

Knows nothing of files or chunks.
"""

import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

WORKER_BYTES = 4 << 30  # address space of one worker; parsing a megabyte takes a hundredth of it
BATCH_SECONDS = 300.0  # without any batch coming back
ELEMENT_SECONDS = 60.0
_UNLIMITED = (1 << 63) - 1  # what the system calls infinity is -1, or this

Element = TypeVar("Element")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Crashed(Generic[Element]):
    """An element whose processing killed the worker, twice."""

    element: Element


def map_batches(
    function: Callable[[Sequence[Element]], Outcome], batches: Iterable[Sequence[Element]], *, workers: int
) -> Iterator[Outcome | Crashed[Element]]:
    """Apply `function` to every batch in `workers` processes; at most a few batches are in flight at a time."""
    pending: dict[Future[Outcome], Sequence[Element]] = {}
    casualties: list[Sequence[Element]] = []
    source = iter(batches)
    with _executor(workers) as executor:
        exhausted = False
        while pending or not exhausted:
            while not exhausted and not casualties and len(pending) < workers + 2:
                batch = next(source, None)
                exhausted = batch is None
                if batch is not None:
                    pending[executor.submit(function, batch)] = batch
            done, _ = wait(pending, BATCH_SECONDS, return_when=FIRST_COMPLETED)
            if not done:
                _kill_workers(executor)
                done, _ = wait(pending)
            for future in done:
                batch = pending.pop(future)
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    casualties.append(batch)
                    continue
                yield outcome
            if casualties and not pending:
                break
    if casualties:
        for batch in casualties:
            yield from _one_by_one(function, batch)
        yield from map_batches(function, source, workers=workers)


def _one_by_one(
    function: Callable[[Sequence[Element]], Outcome], batch: Sequence[Element]
) -> Iterator[Outcome | Crashed[Element]]:
    for element in batch:
        with _executor(1) as executor:
            future = executor.submit(function, [element])
            if not wait([future], ELEMENT_SECONDS).done:
                _kill_workers(executor)
            try:
                yield future.result()
            except BrokenProcessPool:
                yield Crashed(element)


@contextmanager
def _executor(workers: int) -> Iterator[ProcessPoolExecutor]:
    # Forking is ten times faster to start than anything else, but only safe while no other thread runs.
    method = "fork" if threading.active_count() == 1 and hasattr(os, "fork") else "forkserver"
    executor = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(method), initializer=_start_worker)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def _kill_workers(executor: ProcessPoolExecutor) -> None:
    """End workers that do not come back; the executor then reports their batches as lost."""
    for process in list((executor._processes or {}).values()):
        process.kill()


def _start_worker() -> None:
    limit = min(WORKER_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1] & _UNLIMITED)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()


def _leave_with(parent: int) -> None:
    """End this worker soon after its parent is gone; a killed parent cannot tell it."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
