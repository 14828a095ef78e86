"""Turns are given out at the rate that was asked for, by the monotonic clock, and whoever waits can be stopped."""

import pytest

from clock import Clock as Counting
from scova.push import pace
from scova.push.pace import Interrupted, Patience, TokenBucket, pausing


class Clock:
    """A clock that goes on only when someone waits."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(pace.time, "monotonic", lambda: self.now)

    def pause(self, seconds):
        self.now += seconds


def test_turns_come_one_by_one_and_are_not_saved_up(monkeypatch):
    clock = Clock(monkeypatch)
    bucket = TokenBucket(10.0, clock.pause)
    times = []
    for number in range(30):
        if number == 15:
            clock.now += 60.0  # nobody asked for a minute
        bucket.take()
        times.append(clock.now)
    for start in times:
        assert sum(start <= moment < start + 1.0 - 1e-6 for moment in times) <= 10
    assert times[-1] - times[15] == pytest.approx(1.4)


def test_a_clock_on_the_wall_that_jumps_changes_nothing(monkeypatch):
    clock = Counting(monkeypatch, pace)
    wall = iter([1e9, 0.0, 2e9, -1e9] * 100)
    clock.time = lambda: next(wall)
    bucket = TokenBucket(100.0, pausing(lambda: False))
    for _ in range(11):
        bucket.take()
    assert sum(clock.slept) == pytest.approx(0.1)


def test_pauses_grow_up_to_the_longest_and_a_part_of_them_is_random():
    patience = Patience(9, 3, 1.0, first_pause=0.5, longest_pause=4.0)
    for attempt, most in ((1, 0.5), (2, 1.0), (4, 4.0), (9, 4.0)):
        found = {patience.pause(attempt) for _ in range(50)}
        assert most / 2 <= min(found) < max(found) <= most


def test_whoever_waits_is_stopped_at_once(monkeypatch):
    asked = iter([False, False, True])
    clock = Counting(monkeypatch, pace)
    with pytest.raises(Interrupted):
        pausing(lambda: next(asked))(60.0)
    assert len(clock.slept) == 2
    assert sum(clock.slept) < 2.0
