"""The measure of the stress test itself: it lets through what was so at one moment, and nothing else."""

import pytest

from stress.journal import Journal

A, B = "a.py", "b.py"


@pytest.fixture
def journal():
    """Two files of subject 7; `a` changes between 10 and 12, then it is renamed to `b`'s place between 20 and 22."""
    journal = Journal()
    journal.note(0, 0, {A: (7, 1), B: (8, 1)})
    journal.note(10, 12, {A: (7, 2)})
    journal.note(20, 22, {A: None, B: (7, 2)})
    return journal


def allowed(journal, seen, since, until):
    return any(journal.allows(7, seen, moment) for moment in journal.moments(since, until))


@pytest.mark.parametrize(
    ("seen", "since", "until"),
    [
        ({A: [(7, 1)]}, 1, 5),
        ({A: [(7, 1)]}, 5, 15),  # the question came before the change
        ({A: [(7, 2)]}, 5, 15),
        ({A: [(7, 2)]}, 11, 11),  # in between, either may be seen
        ({B: [(7, 2)]}, 15, 30),
        ({A: [(7, 2)], B: [(7, 2)]}, 15, 30),  # a rename is two steps to who looks at one path after the other
    ],
)
def test_what_was_so_is_let_through(journal, seen, since, until):
    assert allowed(journal, seen, since, until)


@pytest.mark.parametrize(
    ("seen", "since", "until"),
    [
        ({}, 1, 5),  # something is missing
        ({}, 5, 15),
        ({A: [(7, 1)]}, 13, 15),  # what was so before the question
        ({A: [(7, 2)]}, 1, 5),  # what is so only after the answer
        ({A: [(7, 3)]}, 1, 30),  # what never was
        ({A: [(7, 1)], B: [(7, 2)]}, 1, 30),  # each was so, but never together
        ({"c.py": [(7, 1)], A: [(7, 1)]}, 1, 5),  # a file that is not there
    ],
)
def test_what_was_not_so_is_found_out(journal, seen, since, until):
    assert not allowed(journal, seen, since, until)
