"""Work on strangers' texts in a process with bounds: what goes beyond one costs that request and says which bound it was."""

import os
import signal
import sys
from pathlib import Path

import pytest

from scova.core import child_process
from scova.core.child_process import BoundExceeded, Bounds, ChildProcess, ChildProcesses, seconds_for
from until import until

BOUNDS = Bounds(5.0, 1 << 20)
MB = 1 << 20


# --- what the processes below are asked to do


def work(request: bytes) -> bytes:
    what, _, rest = request.partition(b" ")
    if what == b"spin":
        while True:
            pass
    if what == b"match":  # never lets go of the interpreter
        import re

        re.match(r"(a|a)*b", "a" * 200)
    if what == b"take":
        return b"%d" % len(bytearray(int(rest)))
    if what == b"die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == b"fail":
        raise ValueError("no such thing")
    if what == b"give":
        return b"x" * int(rest)
    if what == b"who":
        return b"%d" % os.getpid()
    return request


@pytest.fixture
def child(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    one = ChildProcess("core.test_child_process:work")
    yield one
    one.end()


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (b"spin", "takes more than 0.5 seconds"),
        (b"match", "takes more than 0.5 seconds"),
        (b"take %d" % (300 * MB), "takes more than 256 MB"),
        (b"die", "takes its process down (SIGSEGV)"),
        (b"fail", "fails with ValueError: no such thing"),
        (b"give 2000000", "makes more than 1,000 bytes"),
    ],
)
def test_what_goes_beyond_a_bound_is_ended_and_the_next_request_is_answered(child, request_, said):
    for _ in range(2):
        with pytest.raises(BoundExceeded, match=said.replace("(", r"\(").replace(")", r"\)")):
            child.ask(request_, Bounds(0.5, 1000))
        assert child.ask(b"hello", BOUNDS) == b"hello"


def test_what_is_within_the_bounds_is_answered_by_one_process(child):
    first = child.ask(b"who", BOUNDS)
    assert child.ask(b"take %d" % (30 * MB), BOUNDS) == b"%d" % (30 * MB)
    assert child.ask(b"who", BOUNDS) == first


def test_memory_is_bounded_above_what_the_process_begins_with_whatever_came_before(child):
    for _ in range(3):
        assert child.ask(b"take %d" % (200 * MB), BOUNDS) == b"%d" % (200 * MB)


def test_a_process_that_was_killed_between_requests_is_replaced(child):
    first = int(child.ask(b"who", BOUNDS))
    os.kill(first, signal.SIGKILL)
    assert int(child.ask(b"who", BOUNDS)) != first


def test_a_child_leaves_when_its_parent_is_gone(tmp_path):
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from scova.core.child_process import *\n"
        "print(ChildProcess('core.test_child_process:work').ask(b'who', Bounds(5.0, 1000)).decode(), flush=True)\n"
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, Path(__file__).parents[1:3])], capture_output=True, text=True
    )
    pid = int(done.stdout)
    until(lambda: not _is_running(pid), "its end")


def _is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_one_that_does_not_use_its_processor_is_not_waited_for_for_ever(monkeypatch, child):
    monkeypatch.setattr(child_process, "_LEAST_WAITED", 10.0)
    assert child.ask(b"hello", BOUNDS) == b"hello"
    monkeypatch.setattr(child_process, "_LEAST_WAITED", 0.2)
    os.kill(int(child.ask(b"who", BOUNDS)), signal.SIGSTOP)
    with pytest.raises(BoundExceeded):
        child._asked(b"hello", Bounds(0.01, 1000))


def test_time_is_in_proportion_to_size():
    assert seconds_for(0) < seconds_for(MB) < 10
    assert seconds_for(101 * MB) - seconds_for(100 * MB) == pytest.approx(seconds_for(2 * MB) - seconds_for(MB))


def test_several_threads_share_a_few_processes(monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    several = ChildProcesses("core.test_child_process:work", most=2)
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: several.ask(b"who", BOUNDS), range(40)))
    assert 1 <= len(found) <= 2
    several.close()
    until(lambda: not any(_is_running(int(pid)) for pid in found), "their end")
