"""Worker processes: everything comes back, and a crash costs one element."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scova.build import pool
from scova.build.pool import Crashed, map_batches


def squares(numbers):
    return [number * number for number in numbers]


def dies_on_seven(numbers):
    if 7 in numbers:
        os.kill(os.getpid(), signal.SIGSEGV)
    return list(numbers)


def raises_on_three(numbers):
    if 3 in numbers:
        raise ValueError("three")
    return list(numbers)


def test_every_batch_comes_back_once():
    batches = [list(range(start, start + 10)) for start in range(0, 200, 10)]
    outcomes = list(map_batches(squares, batches, workers=2))
    assert sorted(sum(outcomes, [])) == [n * n for n in range(200)]


def test_a_crash_costs_only_the_element_that_caused_it():
    batches = [[n, n + 1] for n in range(0, 40, 2)]
    outcomes = list(map_batches(dies_on_seven, batches, workers=2))
    crashed = [outcome.element for outcome in outcomes if isinstance(outcome, Crashed)]
    survived = sum((outcome for outcome in outcomes if not isinstance(outcome, Crashed)), [])
    assert crashed == [7]
    assert sorted(survived) == [n for n in range(40) if n != 7]


def eats_memory(numbers):
    if 7 in numbers:
        bytearray(64 << 30)
    return list(numbers)


def test_memory_is_limited_for_workers_only():
    with pytest.raises(MemoryError):
        list(map_batches(eats_memory, [[1], [7]], workers=2))
    assert resource.getrlimit(resource.RLIMIT_AS)[0] != pool.WORKER_BYTES


def never_ends_on_seven(numbers):
    while 7 in numbers:
        pass
    return list(numbers)


def test_an_element_that_never_comes_back_is_given_up(monkeypatch):
    monkeypatch.setattr(pool, "BATCH_SECONDS", 1.0)
    monkeypatch.setattr(pool, "ELEMENT_SECONDS", 1.0)
    outcomes = list(map_batches(never_ends_on_seven, [[6, 7], [8]], workers=2))
    assert [outcome.element for outcome in outcomes if isinstance(outcome, Crashed)] == [7]
    assert sorted(sum((outcome for outcome in outcomes if not isinstance(outcome, Crashed)), [])) == [6, 8]


def test_an_error_in_a_worker_reaches_the_caller():
    with pytest.raises(ValueError, match="three"):
        list(map_batches(raises_on_three, [[1], [2], [3], [4]], workers=2))


def test_batches_are_taken_only_as_they_are_needed():
    """Memory stays bounded: the source is not drained ahead of the workers."""
    taken = 0

    def source():
        nonlocal taken
        for n in range(100):
            taken += 1
            yield [n]

    outcomes = map_batches(squares, source(), workers=2)
    next(outcomes)
    assert taken < 12
    outcomes.close()


def test_workers_end_when_their_parent_is_killed():
    script = (
        "import os, sys, time\nfrom scova.build.pool import map_batches\n"
        "def slow(batch):\n    print(os.getpid(), flush=True)\n    time.sleep(0.5)\n    return batch\n"
        "for _ in map_batches(slow, ([n] for n in range(1000)), workers=2): pass\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    workers = {int(parent.stdout.readline()) for _ in range(2)}
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 20
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        os.sched_yield()
    parent.stdout.close()
    assert not list(filter(is_running, workers))


def is_running(pid):
    """Whether a process is there and no zombie that nobody waits for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
