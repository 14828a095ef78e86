"""When everything is compared without a reason: after changes, once it is quiet, within a small share of one core."""

from scova.live.sweeps import Sweeps


def test_a_sweep_follows_a_change_once_it_is_quiet():
    sweeps = Sweeps(0.0)
    sweeps.changed(10.0)
    assert not sweeps.is_due(11.9, blind=False)
    assert sweeps.is_due(12.0, blind=False)
    sweeps.covered(12.0)
    assert not sweeps.is_due(40.0, blind=False), "nothing happened since"


def test_a_look_at_the_whole_tree_covers_only_what_happened_before_it():
    sweeps = Sweeps(0.0)
    sweeps.changed(10.0)
    sweeps.covered(9.0)
    assert sweeps.is_due(20.0, blind=False)
    sweeps.covered(20.0)
    assert not sweeps.is_due(30.0, blind=False)


def test_without_any_change_there_is_one_now_and_then():
    sweeps = Sweeps(0.0)
    assert not sweeps.is_due(59.0, blind=False)
    assert sweeps.is_due(60.0, blind=False)


def time_spent(cost, hours, *, changes, blind=False):
    """The share of one core that sweeps take in a simulated time."""
    sweeps, spent, now = Sweeps(0.0), 0.0, 0.0
    while now < hours * 3600:
        if changes:
            sweeps.changed(now - 2.5)
        if sweeps.is_due(now, blind=blind):
            sweeps.took(cost)
            sweeps.covered(now)
            spent += cost
            now += cost
        now += 0.5
    return spent / now


def test_sweeps_never_take_more_than_a_few_per_cent_of_one_core():
    for cost in (0.01, 0.15, 2.0):
        assert time_spent(cost, 1, changes=True) <= 0.021
        assert time_spent(cost, 1, changes=False) <= 0.0015
        assert time_spent(cost, 1, changes=False, blind=True) <= 0.021
    assert time_spent(0.15, 1, changes=True) > 0.01, "and are not put off for ever"
