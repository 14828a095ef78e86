"""What takes long is looked at by one at a time, and rests in proportion."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from scova.server.reading import remembered
from scova.server.reading.remembered import LONGEST, REST, Remembered


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(remembered, "time", made)
    return made


def looking(clock, seconds):
    looks = []

    def look():
        clock.now += seconds
        looks.append(clock.now)
        return len(looks)

    return look


@pytest.mark.parametrize(("seconds", "rest"), [(0.01, 0.01 * REST), (60.0, LONGEST)])
def test_it_rests_in_proportion_to_what_a_look_took_and_never_long(clock, seconds, rest):
    one, look = Remembered(), looking(clock, seconds)
    assert one.get(look) == 1
    clock.now += 0.9 * rest
    assert one.get(look, 7) == 1
    clock.now += 0.2 * rest
    assert one.get(look, 7) == 2


def test_at_the_same_change_it_is_never_looked_at_again(clock):
    one, look = Remembered(), looking(clock, 1.0)
    assert one.get(look, 7) == 1
    clock.now += 1e6
    assert one.get(look, 7) == 1
    assert one.get(look, 8) == 2


def test_what_failed_is_looked_at_again(clock):
    one = Remembered()
    with pytest.raises(ZeroDivisionError):
        one.get(lambda: 1 // 0)
    assert one.get(lambda: 5) == 5


def test_of_many_who_come_at_once_one_looks():
    one, go, looks = Remembered(), threading.Event(), []

    def look():
        looks.append(1)
        assert go.wait(120)
        return "seen"

    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(one.get, look, 1) for _ in range(4)]
        go.set()
        assert [each.result(120) for each in waiting] == ["seen"] * 4
    assert looks == [1]
