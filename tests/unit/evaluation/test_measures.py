"""Figures are those that a hand would compute."""

import math

import pytest

from scova.evaluation.measures import Mean, files_of, first_rank, mean, ndcg, recall


def test_ndcg_is_what_a_hand_computes():
    # Found at 2 and 4: 1/log2(3) + 1/log2(5) = 0.63093 + 0.43068; at best 1 + 0.63093.
    assert ndcg(["x", "a", "y", "b"], {"a", "b"}) == pytest.approx(1.06161 / 1.63093, abs=1e-5)
    assert ndcg(["a", "b", "x"], {"a", "b"}) == 1.0
    assert ndcg(["x", "a"], {"a"}) == pytest.approx(1 / math.log2(3))
    assert ndcg(["x", "y"], {"a"}) == 0.0


def test_what_comes_after_the_tenth_counts_for_nothing():
    ranking = [f"x{number}" for number in range(10)] + ["a"]
    assert (ndcg(ranking, {"a"}), recall(ranking, {"a"}), first_rank(ranking, {"a"})) == (0.0, 0.0, 0)
    ranking = ["x"] * 9 + ["a"]
    assert ndcg(ranking, {"a"}) == pytest.approx(1 / math.log2(11))
    assert (recall(ranking, {"a"}), first_rank(ranking, {"a"})) == (1.0, 10)


def test_recall_is_the_part_that_was_found():
    assert recall(["a", "x", "c"], {"a", "b", "c"}) == pytest.approx(2 / 3)


def test_several_chunks_of_a_file_count_once_and_ignored_files_for_nothing():
    assert files_of(["a", "t", "a", "b", "t", "a"], {"t"}) == ["a", "b"]


def test_a_mean_of_equal_values_is_certain_and_of_others_lies_within_its_interval():
    assert mean([0.5] * 30) == Mean(0.5, 0.5, 0.5)
    found = mean([0.0, 1.0] * 50, seed=3)
    # The standard error of 100 such values is 0.05, so the interval reaches about 0.1 to each side.
    assert found.value == 0.5
    assert 0.38 < found.low < 0.43
    assert 0.57 < found.high < 0.62
    assert mean([0.0, 1.0] * 50, seed=3) == found
    assert mean([0.3]) == Mean(0.3, 0.3, 0.3)
    assert mean([]) == Mean(0.0, 0.0, 0.0)
