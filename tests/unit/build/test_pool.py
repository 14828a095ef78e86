"""Worker processes: everything comes back, and a crash costs one element."""

import mmap
import multiprocessing
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

from scova.build import pool
from scova.build.pool import Crashed, map_batches
from scova.core.worker_process import WORKER_BYTES
from scova.errors import EmbedderError


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


def split(outcomes):
    """What came back, and why the rest did not."""
    crashed = {outcome.element: outcome.reason for outcome in outcomes if isinstance(outcome, Crashed)}
    return sorted(sum((outcome for outcome in outcomes if not isinstance(outcome, Crashed)), [])), crashed


def dies_later_on_seven(numbers):
    if 7 in numbers:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    return list(numbers)


def test_a_worker_may_die_while_the_consumer_is_busy():
    outcomes = []
    for outcome in map_batches(dies_later_on_seven, [[n] for n in range(5, 10)], workers=2):
        outcomes.append(outcome)
        time.sleep(0.5)  # what is tested: the death falls into a consumer's slow step
    survived, crashed = split(outcomes)
    assert survived == [5, 6, 8, 9]
    assert crashed == {7: "killed by SIGKILL"}


def dies_on_odd(numbers):
    if any(number % 2 for number in numbers):
        os.kill(os.getpid(), signal.SIGSEGV)
    return list(numbers)


def test_many_crashes_cost_only_their_elements():
    survived, crashed = split(list(map_batches(dies_on_odd, [[n, n + 1, n + 2] for n in range(0, 60, 3)], workers=3)))
    assert survived == list(range(0, 60, 2))
    assert sorted(crashed) == list(range(1, 60, 2))
    assert set(crashed.values()) == {"killed by SIGSEGV"}


def eats_memory(numbers):
    if 7 in numbers:
        bytearray(64 << 30)
    return list(numbers)


def test_memory_is_limited_for_workers_only():
    limit = resource.getrlimit(resource.RLIMIT_AS)
    survived, crashed = split(list(map_batches(eats_memory, [[1], [6, 7], [8]], workers=2)))
    assert survived == [1, 6, 8]
    assert crashed == {7: "MemoryError"}
    assert resource.getrlimit(resource.RLIMIT_AS) == limit


def test_a_large_parent_leaves_its_workers_room():
    """The limit is on what a worker adds: a forked one begins with all that its parent has mapped."""
    with mmap.mmap(-1, WORKER_BYTES + (1 << 30), prot=mmap.PROT_READ):
        assert list(map_batches(squares, [[3]], workers=1)) == [[9]]


def never_ends_on_seven(numbers):
    while 7 in numbers:
        pass
    return list(numbers)


def test_an_element_that_never_comes_back_is_given_up(monkeypatch):
    monkeypatch.setattr(pool, "BATCH_SECONDS", 1.0)
    monkeypatch.setattr(pool, "ELEMENT_SECONDS", 5.0)  # enough for the innocent on a busy machine
    survived, crashed = split(list(map_batches(never_ends_on_seven, [[6, 7], [8]], workers=2)))
    assert survived == [6, 8]
    assert crashed == {7: "did not finish within 5 seconds"}


def test_an_exception_in_a_worker_costs_only_its_element_and_is_logged(caplog):
    survived, crashed = split(list(map_batches(raises_on_three, [[1, 2], [3, 4], [5]], workers=2)))
    assert survived == [1, 2, 4, 5]
    assert crashed == {3: "ValueError: three"}
    assert "in raises_on_three" in caplog.text  # with its traceback


def raises_on_purpose(numbers):
    raise EmbedderError("no model", "install one")


def test_what_scova_raises_on_purpose_reaches_the_caller():
    with pytest.raises(EmbedderError, match="no model") as caught:
        list(map_batches(raises_on_purpose, [[1], [2]], workers=2))
    assert caught.value.hint == "install one"
    assert not multiprocessing.active_children()


def returns_a_lambda(numbers):
    return [lambda: None] if 7 in numbers else list(numbers)


def test_an_outcome_that_cannot_travel_is_a_crash():
    survived, crashed = split(list(map_batches(returns_a_lambda, [[6, 7], [8]], workers=2)))
    assert survived == [6, 8]
    assert "pickle" in crashed[7]


def big(numbers):
    return [bytes(8 << 20) for _ in numbers]


def test_batches_and_outcomes_larger_than_any_pipe():
    assert [len(outcome[0]) for outcome in map_batches(big, [[bytes(8 << 20)]] * 6, workers=2)] == [8 << 20] * 6


def test_it_works_beside_other_threads():
    """Where forking is not safe, workers are started; a crash costs no more there."""
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        survived, crashed = split(list(map_batches(dies_on_seven, [[n, n + 1] for n in range(0, 10, 2)], workers=2)))
    finally:
        done.set()
        other.join()
    assert survived == [n for n in range(10) if n != 7]
    assert crashed == {7: "killed by SIGSEGV"}


def test_no_worker_is_left_when_the_caller_stops_early():
    outcomes = map_batches(squares, ([n] for n in range(100)), workers=2)
    next(outcomes)
    workers = multiprocessing.active_children()
    assert workers
    outcomes.close()
    assert not multiprocessing.active_children()


def test_workers_that_cannot_start_are_an_error_and_no_crash_of_every_file(tmp_path):
    """Else a program in which no process can be started would empty the index, file by file."""
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, threading\nfrom scova.build.pool import map_batches\n"
        "multiprocessing.set_executable('/bin/false')\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "list(map_batches(sorted, [[1]], workers=1))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 1
    assert "worker processes cannot be started" in ran.stderr


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
        "def slow(batch):\n    print(os.getpid(), flush=True)\n    time.sleep(600)\n    return batch\n"
        "for _ in map_batches(slow, ([n] for n in range(1000)), workers=2): pass\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        workers = [os.pidfd_open(int(parent.stdout.readline())) for _ in range(2)]
        parent.kill()
    ended = [select.select([worker], [], [], 60.0)[0] == [worker] for worker in workers]
    for worker in workers:
        os.close(worker)
    assert ended == [True, True]
