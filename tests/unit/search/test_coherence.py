"""What files lend each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scova.search.ranking.coherence import MOST_FILES, beside, used
from scova.types import Ties


def ties(defines=(), uses=()):
    return Ties(frozenset(defines), frozenset(uses))


def lent(merits, **of):
    """What each file is lent, by name; `of` says what it defines and uses."""
    paths = [*of]
    found = used(paths, [merits.get(path, 0.0) for path in paths], lambda asked: [of[path] for path in asked])
    return dict(zip(paths, found, strict=True))


def test_a_file_gets_the_share_of_merit_that_lies_with_those_who_use_it():
    found = lent({"a": 1.0, "b": 0.5, "c": 0.5}, a=ties(uses=[1]), b=ties(uses=[1, 2]), c=ties(defines=[1, 2]))
    assert found == pytest.approx({"a": 0.0, "b": 0.0, "c": (1.0 + 0.25) / 1.5})


def test_who_uses_two_names_of_a_file_lends_once():
    assert lent({"a": 1.0}, a=ties(uses=[1, 2]), b=ties(defines=[1, 2]))["b"] == 1.0


def test_a_name_that_many_define_says_nothing():
    of = {f"d{n}": ties(defines=[1]) for n in range(3)}
    assert lent({"a": 1.0}, a=ties(uses=[1]), **of)["d0"] == 1.0
    assert lent({"a": 1.0}, a=ties(uses=[1]), **of, d3=ties(defines=[1]))["d0"] == 0.0


def test_nothing_is_lent_to_oneself():
    assert lent({"a": 1.0}, a=ties(defines=[1], uses=[1])) == {"a": 0.0}


def test_only_the_best_files_are_looked_at():
    asked = []
    paths = [f"f{n:02}" for n in range(40)]

    def ties_of(some):
        asked.extend(some)
        return [ties()] * len(some)

    used(paths, [n / 40 for n in range(40)], ties_of)
    assert sorted(asked) == paths[-MOST_FILES:]


def test_beside_is_the_best_other_file_of_the_folder():
    paths = ["x/a", "x/b", "x/c", "y/d", "e"]
    assert beside(paths, [0.2, 1.0, 0.5, 0.9, 0.3]) == [1.0, 0.5, 1.0, 0.0, 0.0]
    assert beside(["x/a", "x/b"], [0.5, 0.5]) == [0.5, 0.5]


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.floats(0, 1)), max_size=8))
def test_beside_equals_looking_at_every_other_file(files):
    paths = [f"{folder}/{n}" for n, (folder, _) in enumerate(files)]
    merits = [merit for _, merit in files]
    for n, found in enumerate(beside(paths, merits)):
        others = [merits[m] for m, (folder, _) in enumerate(files) if m != n and folder == files[n][0]]
        assert found == max(others, default=0.0)
