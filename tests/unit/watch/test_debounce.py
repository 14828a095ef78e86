"""When a batch is due: after a pause, at the latest after the maximum wait, each path once. No clock runs here."""

from hypothesis import given
from hypothesis import strategies as st

from scova.watch.debounce import Debounce

QUIET, MAX_WAIT = 0.5, 2.0


def debounce():
    return Debounce(quiet=QUIET, max_wait=MAX_WAIT)


def test_a_change_is_due_after_the_pause_and_not_before():
    waiting = debounce()
    waiting.add(["a.py"], 10.0)
    assert waiting.take(10.499) is None
    assert waiting.take(10.5).paths == ("a.py",)
    assert waiting.take(99.0) is None, "it is handed out once"


def test_ten_saves_within_the_window_are_one_batch_with_one_path():
    waiting = debounce()
    for save in range(10):
        waiting.add(["a.py"], 10.0 + save * 0.1)
        assert waiting.take(10.0 + save * 0.1) is None
    assert waiting.take(10.9 + QUIET).paths == ("a.py",)


def test_changes_that_never_pause_are_due_after_the_maximum_wait():
    waiting = debounce()
    taken = []
    for tick in range(100):
        now = 10.0 + tick * 0.1
        waiting.add([f"{tick}.py"], now)
        if batch := waiting.take(now):
            taken.append((round(now - batch.first, 3), len(batch.paths)))
    assert taken == [(2.0, 21)] * 4


def test_paths_come_in_order_and_once():
    waiting = debounce()
    waiting.add(["b", "a", "b"], 1.0)
    waiting.add(["c", "a"], 1.1)
    assert len(waiting) == 3
    assert waiting.due_at() == 1.1 + QUIET
    assert waiting.take(9.0).paths == ("a", "b", "c")
    assert waiting.due_at() is None


def test_adding_nothing_does_not_prolong_the_pause():
    waiting = debounce()
    waiting.add(["a"], 1.0)
    waiting.add([], 1.4)
    assert waiting.take(1.5).paths == ("a",)


def test_what_was_acted_upon_otherwise_is_not_handed_out():
    waiting = debounce()
    waiting.add(["a"], 1.0)
    waiting.clear()
    assert waiting.take(9.0) is None


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.sets(st.sampled_from("abcdef"), max_size=3)), max_size=60))
def test_nothing_is_dropped_and_nothing_waits_longer_than_the_maximum(steps):
    """Whatever comes when: every path is in a batch taken at most the maximum wait after it was added, if someone asks."""
    waiting = debounce()
    now = 0.0
    added_at: dict[str, float] = {}
    for pause, paths in [*steps, (QUIET, set())]:
        end = now + pause
        while (due := waiting.due_at()) is not None and due <= end:
            now = max(now, due)
            for path in waiting.take(now).paths:
                assert now - added_at.pop(path) <= MAX_WAIT + 1e-9
        now = end
        waiting.add(paths, now)
        for path in paths:
            added_at.setdefault(path, now)
    assert set(added_at) == (set(waiting.take(now + QUIET).paths) if len(waiting) else set())
