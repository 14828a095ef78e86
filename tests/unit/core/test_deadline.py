"""One deadline for each question: its time, what it may hold, and whether anyone waits for it. By a clock that is set, never by the real one."""

import contextvars
import threading

import pytest

from scova.core.deadline import Deadline, asking, in_force
from scova.errors import OutOfTime


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Gone(Exception):
    pass


def gone():
    raise Gone


def test_it_is_over_once_its_time_is_and_not_before():
    clock = Clock()
    deadline = Deadline(5.0, clock=clock)
    clock.now += 4.9
    assert not deadline.is_over()
    deadline.check()
    clock.now += 0.1
    assert deadline.is_over()
    with pytest.raises(OutOfTime, match="within 5 s") as raised:
        deadline.check()
    assert "`deadline_ms`" in raised.value.hint


def test_without_a_time_it_is_never_over():
    clock = Clock()
    deadline = Deadline(clock=clock)
    clock.now += 1e9
    assert not deadline.is_over()


def test_an_answer_that_would_hold_too_much_is_over_and_says_so():
    deadline = Deadline(most_bytes=2_000_000)
    deadline.hold(2_000_000)
    assert not deadline.is_over()
    deadline.hold(1)
    assert deadline.is_over()
    deadline.cut("3 of 9 files were searched")
    assert deadline.cuts[0].startswith("Cut: 3 of 9 files were searched before the answer had 2 MB. ")


def test_nobody_who_waits_ends_it_at_once_whatever_time_is_left():
    for ask in (Deadline.is_over, Deadline.check):
        with pytest.raises(Gone):
            ask(Deadline(60.0, stop=gone))
        with pytest.raises(Gone):
            ask(Deadline(stop=gone))


def test_what_is_cut_is_said_once_each_with_how_to_go_on():
    deadline = Deadline(5.0)
    assert deadline.cuts == ()
    for _ in range(2):
        deadline.cut("3 of 9 files were searched")
    deadline.note("`a*` fits 5,000 words; write more of the word.")
    first, second = deadline.cuts
    assert first.startswith("Cut: 3 of 9 files were searched within 5 s. ")
    assert first.endswith("(setting `deadline_ms`).")
    assert second == "`a*` fits 5,000 words; write more of the word."


def test_the_next_question_has_what_is_left_of_the_time_and_cuts_of_its_own():
    clock = Clock()
    deadline = Deadline(5.0, clock=clock, most_bytes=10)
    deadline.cut("nothing")
    deadline.hold(11)
    clock.now += 3
    following = deadline.again()
    assert not following.is_over()
    assert following.cuts == ()
    clock.now += 2
    assert following.is_over()
    with pytest.raises(Gone):
        Deadline(stop=gone).again().check()


def test_it_is_in_force_inside_only_and_in_threads_that_carry_the_context_on():
    outer, inner = Deadline(), Deadline()
    with asking(outer):
        assert in_force() is outer
        with asking(inner):
            assert in_force() is inner
            seen = []
            thread = threading.Thread(target=contextvars.copy_context().run, args=(lambda: seen.append(in_force()),))
            thread.start()
            thread.join()
            assert seen == [inner]
        assert in_force() is outer
    assert in_force() not in (outer, inner)
    assert not in_force().is_over()
