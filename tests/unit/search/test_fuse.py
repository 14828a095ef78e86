"""Opinions of several searchers on one scale."""

import pytest

from candidates import light
from scova.search.ranking.fuse import VECTOR_CANDIDATES, fuse


def test_text_is_a_share_of_the_best_and_a_missing_opinion_is_zero():
    (group,) = fuse([light(1), light(2), light(3)], {1: 8.0, 2: 2.0}, {})
    assert list(group.texts) == [1.0, 0.25, 0.0]
    assert list(group.vectors) == [0.0, 0.0, 0.0]


def test_several_good_chunks_speak_for_their_file():
    groups = fuse(
        [light(1, "once.py"), light(2, "often.py"), light(3, "often.py"), light(4, "often.py")],
        {1: 5.0, 2: 4.0, 3: 4.0, 4: 4.0},
        {},
    )
    once, often = sorted(groups, key=lambda group: group.text)
    assert (once.path, often.path, often.text) == ("once.py", "often.py", 1.0)


def test_only_similarity_that_stands_out_counts():
    common = {row: 0.2 for row in range(1, VECTOR_CANDIDATES + 10)}
    groups = fuse([light(row, f"{row}.py") for row in common], {}, common | {1: 0.6, 2: 0.4})
    vectors = {group.path: group.vectors[0] for group in groups}
    assert vectors["1.py"] == pytest.approx(1.0)
    assert vectors["2.py"] == pytest.approx(0.5)
    assert vectors["3.py"] == 0.0


def test_the_order_in_which_candidates_come_changes_nothing():
    lights = [light(row, f"{row % 3}.py") for row in range(1, 13)]
    texts = {row: 0.1 * row for row in range(1, 13)}
    forward, backward = fuse(lights, texts, texts), fuse(lights[::-1], texts, texts)
    assert sorted(forward, key=lambda group: group.path) == sorted(backward, key=lambda group: group.path)


def test_nothing_fuses_to_nothing():
    assert fuse([], {}, {}) == []
