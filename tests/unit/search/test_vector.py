"""Cosine similarity: exact over base and delta, filters before the choice, and both ways of choosing."""

import math
import random
import subprocess
import sys

import pytest

from scova.search.searchers import vector as room
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.stores.matrix import Matrix, write_matrix
from scova.types import Chunk, ChunkId, ChunkType, Row

WIDTH = 16


def vector(number):
    chance = random.Random(number)
    return bytes(chance.randrange(256) for _ in range(WIDTH))


def cosine(one, other):
    a, b = memoryview(one).cast("b"), memoryview(other).cast("b")
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


def chunk(row):
    return Chunk(ChunkId(f"c{row}"), "", str(row), ChunkType.DATA, "a.py", 1, 2, "python", "", row=Row(row))


EMBEDDING = Embedding(
    WIDTH,
    of_query=lambda text: vector(int(text)),
    of_chunks=lambda chunks: {
        each.row: vector(each.row) for each in chunks if each.row % 10
    },  # every tenth is not ready
)


@pytest.fixture(params=["python", "numpy"])
def chooser(request, monkeypatch):
    monkeypatch.setattr(room, "has_numpy", lambda: request.param == "numpy")


def matrix(folder, numbers):
    path = folder / f"{len(numbers)}.vec"
    write_matrix(path, ((Row(row), vector(row)) for row in numbers), width=WIDTH, model="m", applied_seq=1)
    return Matrix.open(path, "m")


def test_similarities_are_cosines_and_the_best_come_first(chooser, tmp_path):
    searcher = VectorSearcher.open(EMBEDDING, matrix(tmp_path, range(1, 1000)))
    hits = searcher.search("5000", 20)
    expected = sorted(((cosine(vector(5000), vector(row)), row) for row in range(1, 1000)), reverse=True)[:20]
    assert [hit.row for hit in hits] == [row for _, row in expected]
    assert [hit.score for hit in hits] == pytest.approx([score for score, _ in expected], abs=1e-5)


def test_history_does_not_matter(chooser, tmp_path):
    """All in the base, all new, and a mixture with dead rows: the same rows and scores."""
    numbers = range(1, 600)
    searchers = [
        VectorSearcher.open(EMBEDDING, matrix(tmp_path, numbers)),
        VectorSearcher.open(EMBEDDING, None, delta={Row(row): vector(row) for row in numbers}),
        VectorSearcher.open(
            EMBEDDING,
            matrix(tmp_path, [*range(1, 600, 2), *range(700, 900)]),
            delta={Row(row): vector(row) for row in range(2, 600, 2)},
            dead=map(Row, range(700, 900)),
        ),
    ]
    for limit in (1, 7, 100, 1000):
        for allowed in (None, {Row(3), Row(4), Row(750)}, set(map(Row, range(100, 400))), set()):
            answers = [searcher.search("77", limit, allowed) for searcher in searchers]
            assert answers[0] == answers[1] == answers[2]
            assert len(answers[0]) == min(limit, len(set(numbers) & allowed) if allowed is not None else 599)
    assert {len(searcher) for searcher in searchers} == {599}


def test_allowed_rows_are_chosen_before_the_best(chooser, tmp_path):
    searcher = VectorSearcher.open(EMBEDDING, matrix(tmp_path, range(1, 500)), delta={Row(900): vector(900)})
    everything = searcher.search("7", 1000)
    for allowed in (set(map(Row, range(1, 400))), {Row(900), Row(499), Row(10_000)}):
        expected = [hit for hit in everything if hit.row in allowed]
        assert searcher.search("7", 5, allowed) == expected[:5]


def test_the_limit_keeps_all_that_are_as_good_as_the_last(chooser):
    same = {Row(row): vector(1) for row in range(1, 700)}
    searcher = VectorSearcher.open(EMBEDDING, None, delta={**same, Row(700): vector(2)})
    assert len(searcher.search("1", 3)) == 699
    assert [hit.row for hit in searcher.search("2", 1)] == [700]
    assert searcher.search("1", 0) == []


def test_the_zero_vector_asks_nothing(chooser):
    searcher = VectorSearcher.open(EMBEDDING, None, delta={Row(1): vector(1), Row(2): bytes(WIDTH)})
    assert searcher.search_vector(bytes(WIDTH), 5) == []
    assert searcher.score_rows(bytes(WIDTH), [Row(1)]) == {}
    assert searcher.search("1", 5)[1].score == 0.0


def test_given_rows_get_the_scores_a_search_would_give(chooser, tmp_path):
    searcher = VectorSearcher.open(
        EMBEDDING, matrix(tmp_path, range(1, 50)), delta={Row(90): vector(90)}, dead=[Row(7)]
    )
    found = {hit.row: hit.score for hit in searcher.search("3", 100)}
    assert searcher.score_rows(vector(3), [Row(row) for row in range(200)]) == found
    assert searcher.score_rows(vector(3), [Row(7), Row(1000)]) == {}


def test_updates_add_replace_and_remove_and_twice_is_once(chooser, tmp_path):
    searcher = VectorSearcher.open(EMBEDDING, matrix(tmp_path, range(1, 50)))
    changes = ([chunk(61), chunk(60), chunk(5)], [chunk(62)], [(Row(3), ""), (Row(999), "")])
    updated = searcher.update_incremental(*changes)
    assert updated.update_incremental(*changes) is updated
    assert updated.search("61", 1)[0].row == 61
    assert len(updated) == 49 + 2 - 1  # 60 has no vector yet
    assert searcher.search("3", 1)[0].row == 3  # the old one still answers as of its moment
    assert updated.search("3", 1)[0].row != 3
    gone = updated.update_incremental([], [], [(Row(61), "")])
    assert set(gone.delta) == {62}
    assert gone.update_incremental([chunk(63)], [], [(Row(63), "")]) is gone


def test_a_vector_of_another_width_is_refused():
    with pytest.raises(ValueError, match="16 components"):
        VectorSearcher.open(EMBEDDING, None, delta={Row(1): b"123"})


def test_searching_needs_no_numpy(tmp_path):
    matrix(tmp_path, range(1, 400))
    script = f"""
import sys
from pathlib import Path
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.stores.matrix import Matrix
base = Matrix.open(Path({str(tmp_path / "399.vec")!r}), "m")
searcher = VectorSearcher.open(Embedding({WIDTH}, lambda text: base.vector(9), dict), base)
assert searcher.search("", 3)[0].row == 10
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, env={"PYTHONPATH": ":".join(sys.path)})
