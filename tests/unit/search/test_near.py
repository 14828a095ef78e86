"""Searching through a graph: the same as comparing everything, whatever came and went since it was built; and exact when in doubt."""

import threading

import numpy as np
import pytest

from scova.search.searchers import near as room
from scova.search.searchers.near import expansion
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.stores.ann import write
from scova.stores.ann.graph import Graph
from scova.stores.ann.write import write_graph
from scova.stores.matrix import Matrix, write_matrix
from scova.types import Row

WIDTH, COUNT = 64, 4000
EMBEDDING = Embedding(WIDTH, of_query=lambda text: b"", of_chunks=lambda chunks: {})


def clustered(count, seed):
    """Vectors in clusters, as those of code are: functions of one file are alike."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(60, WIDTH))
    around = centres[chance.integers(0, 60, count)] + 0.6 * chance.normal(size=(count, WIDTH))
    return np.round(around / np.abs(around).max(axis=1, keepdims=True) * 127).astype(np.int8)


VECTORS = {Row(row): line.tobytes() for row, line in enumerate(clustered(2 * COUNT, 1), 1)}
QUESTIONS = [line.tobytes() for line in clustered(100, 2)]


def matrix(path, rows, vectors=VECTORS):
    write_matrix(path, ((row, vectors[row]) for row in sorted(rows)), width=WIDTH, model="m", applied_seq=len(rows))
    return Matrix.open(path, "m")


def graph_over(base):
    path = base.sections.path.with_suffix(".hnsw")
    write_graph(path, base)
    return Graph.open(path, "m")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return matrix(tmp_path_factory.mktemp("base") / "1.vec", range(1, COUNT + 1))


@pytest.fixture(scope="module")
def graph(base):
    return graph_over(base)


def opened(base, graph, **rest):
    """A searcher whose graph is ready, and one without any."""
    searcher = VectorSearcher.open(EMBEDDING, base, graph=graph, **rest)
    searcher.near.prepare()
    return searcher, VectorSearcher.open(EMBEDDING, base, **rest)


def asked_graph(searcher, question, limit):
    """The answer, which must have come by way of the graph."""
    assert searcher._by_graph(question, limit)
    return searcher.search_vector(question, limit)


def recall(searcher, exact, limit=10):
    found = wanted = 0
    for question in QUESTIONS:
        best = {hit.row: hit.score for hit in exact.search_vector(question, limit)}
        hits = asked_graph(searcher, question, limit)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.row))
        everything = searcher.score_rows(question, [hit.row for hit in hits])
        assert all(everything[hit.row] == hit.score for hit in hits)
        found += len(best.keys() & {hit.row for hit in hits})
        wanted += len(best)
    return found / wanted


def test_the_ten_nearest_are_found(base, graph):
    assert recall(*opened(base, graph)) >= 0.99


@pytest.mark.parametrize("seed", range(4))
def test_after_random_adds_and_deletes_the_same_ten_are_found(tmp_path, base, graph, seed):
    """A graph of long ago, a matrix of later, a delta newer still, and rows that died in each of them."""
    chance = np.random.default_rng(seed)
    later = {row for row in range(1, COUNT + 500) if chance.random() > 0.1}
    newer = set(range(COUNT + 500, COUNT + 600))
    dead = {row for row in later if chance.random() < 0.1}
    now = matrix(tmp_path / "2.vec", later)
    rest = {"delta": {Row(row): VECTORS[row] for row in newer}, "dead": dead}
    searcher, exact = opened(now, graph, **rest)
    assert recall(searcher, exact) >= 0.99
    for question in QUESTIONS[:20]:
        rows = {hit.row for hit in searcher.search_vector(question, 20)}
        assert rows <= (later | newer) - dead
    for row in (COUNT + 10, COUNT + 550):
        if row in (later | newer) - dead:
            assert searcher.search_vector(VECTORS[row], 1)[0].row == row


def test_a_row_that_was_embedded_late_is_found_though_it_is_older_than_the_graph(tmp_path):
    """Rows that a matrix lacked, because their vectors were not ready, lie among those the graph knows."""
    early = matrix(tmp_path / "1.vec", set(range(1, 1000)) - {5, 500, 501})
    searcher, exact = opened(matrix(tmp_path / "2.vec", range(1, 1000)), graph_over(early), dead=[Row(501)])
    for row in (5, 500):
        assert asked_graph(searcher, VECTORS[row], 3)[0].row == row
    assert searcher.search_vector(VECTORS[501], 3) == exact.search_vector(VECTORS[501], 3)


def test_what_the_graph_does_not_lead_to_is_found_and_found_once(tmp_path, monkeypatch):
    """Every vector is found by itself: by way of the graph, or because the graph does not claim it."""
    base = matrix(tmp_path / "1.vec", range(1, 1200))
    finds = write.finds
    monkeypatch.setattr(write, "finds", lambda index, rows, *rest: finds(index, rows, *rest) & (rows % 3 != 0))
    searcher, exact = opened(base, graph_over(base), dead=[Row(9)])
    assert len(searcher.near.at_hand().rest) >= 399
    for row in range(1, 1200, 10):
        hits = asked_graph(searcher, VECTORS[row], 10)
        assert hits[0].row == row
        assert len({hit.row for hit in hits}) == len(hits)
    assert recall(searcher, exact) >= 0.99
    assert searcher.search_vector(VECTORS[9], 5) == exact.search_vector(VECTORS[9], 5)


def test_every_vector_of_a_graph_that_many_threads_built_is_found_by_itself(tmp_path):
    """Recall of the nearest ten would not notice a handful that can never be found."""
    base = matrix(tmp_path / "1.vec", range(1, 2500))
    write_graph(tmp_path / "1.hnsw", base, threads=4)
    searcher, _ = opened(base, Graph.open(tmp_path / "1.hnsw", "m"))
    assert [row for row in range(1, 2500) if asked_graph(searcher, VECTORS[row], 3)[0].row != row] == []


def test_equals_are_all_returned_even_beyond_the_limit(tmp_path):
    vectors = {row: VECTORS[7] if 100 <= row < 400 else VECTORS[row] for row in range(1, 1500)}
    base = matrix(tmp_path / "1.vec", vectors, vectors)
    searcher, exact = opened(base, graph_over(base), dead=[Row(150)])
    hits = searcher.search_vector(VECTORS[7], 10)
    assert {hit.row for hit in hits} == {7, *range(100, 150), *range(151, 400)}
    assert hits == exact.search_vector(VECTORS[7], 10)


def test_where_all_near_ones_are_dead_the_living_are_found(base, graph):
    """A folder that was replaced: the graph leads to nothing but tombstones."""
    question = QUESTIONS[3]
    exact = VectorSearcher.open(EMBEDDING, base)
    dead = [hit.row for hit in exact.search_vector(question, 3000)]
    searcher, exact = opened(base, graph, dead=dead)
    assert searcher.search_vector(question, 10) == exact.search_vector(question, 10)
    searcher, exact = opened(base, graph, dead=dead[:200])
    assert asked_graph(searcher, question, 10) == exact.search_vector(question, 10)


def test_filters_are_answered_exactly(base, graph):
    searcher, exact = opened(base, graph)
    for allowed in ({Row(3), Row(9)}, set(map(Row, range(1, 3000))), set()):
        assert searcher.search_vector(QUESTIONS[0], 10, allowed) == exact.search_vector(QUESTIONS[0], 10, allowed)


def test_a_long_list_is_answered_exactly(base, graph):
    searcher, exact = opened(base, graph)
    assert searcher._by_graph(QUESTIONS[0], 1000) == []
    assert searcher.search_vector(QUESTIONS[0], 1000) == exact.search_vector(QUESTIONS[0], 1000)


def test_updates_keep_the_graph(base, graph):
    searcher, _ = opened(base, graph)
    later = searcher.update_incremental([], [], [(Row(5), "")])
    assert later.near is searcher.near
    assert asked_graph(later, VECTORS[5], 3)[0].row != 5
    assert asked_graph(searcher, VECTORS[5], 3)[0].row == 5


def test_the_first_question_does_not_wait_nor_start_anything_and_later_ones_do_not_wait(base):
    """A process that asks once must not read a large file for it."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Graph):
        def neighbours(self):
            begun.set()
            assert go_on.wait(120)
            return super().neighbours()

    graph = graph_over(base)
    searcher = VectorSearcher.open(EMBEDDING, base, graph=Slow(graph.sections))
    exact = VectorSearcher.open(EMBEDDING, base)
    assert searcher.search_vector(QUESTIONS[0], 10) == exact.search_vector(QUESTIONS[0], 10)
    assert not begun.is_set()
    for question in QUESTIONS[:3]:
        assert searcher.search_vector(question, 10) == exact.search_vector(question, 10)
    assert begun.wait(120)
    assert searcher.near.at_hand() is None
    go_on.set()
    searcher.near._thread.join(120)
    assert asked_graph(searcher, QUESTIONS[0], 10)


def test_a_flipped_graph_is_never_asked_and_answers_stay_exact(tmp_path, caplog):
    base = matrix(tmp_path / "1.vec", range(1, 500))
    graph = graph_over(base)
    offset, length, _ = graph.sections.spots["graph"]
    content = bytearray(graph.path.read_bytes())
    content[offset + length // 2] ^= 255
    graph.path.write_bytes(content)
    searcher = VectorSearcher.open(EMBEDDING, base, graph=Graph.open(graph.path, "m"))
    exact = VectorSearcher.open(EMBEDDING, base)
    for question in QUESTIONS[:2]:
        searcher.search_vector(question, 10)
    searcher.near._thread.join(120)
    assert searcher.near.graph.is_refused
    assert "compared exactly" in caplog.text
    for question in QUESTIONS[:10]:
        assert searcher.search_vector(question, 10) == exact.search_vector(question, 10)


def test_the_graph_before_serves_until_the_next_is_ready(tmp_path, base, graph):
    searcher, _ = opened(base, graph)
    second = Graph.open(graph.path, "m")
    follower = searcher.beside(second)
    assert searcher.beside(graph) is searcher
    assert follower.near.graph is second
    assert follower.near.at_hand() is searcher.near.at_hand()
    ready = follower.near.prepare()
    assert follower.near.at_hand() is ready
    assert follower.beside(None).near is None


def test_without_numpy_nothing_is_asked_of_a_graph(base, graph, monkeypatch):
    from scova.search.searchers import vector

    searcher, exact = opened(base, graph)
    monkeypatch.setattr(vector, "has_numpy", lambda: False)
    assert searcher._by_graph(QUESTIONS[0], 10) == []
    assert searcher.search_vector(QUESTIONS[0], 5) == exact.search_vector(QUESTIONS[0], 5)


def test_threads_may_ask_at_once(base, graph):
    searcher, _ = opened(base, graph)
    expected = [searcher.search_vector(question, 10) for question in QUESTIONS]
    found = [None] * 4

    def ask(place):
        found[place] = [searcher.search_vector(question, 10) for question in QUESTIONS]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_more_vectors_are_searched_more_widely():
    assert expansion(1_000_000) > expansion(200_000) > expansion(100_000) == room.EXPANSION == expansion(0)


def test_graphs_that_nobody_asked_before_the_next_one_came_are_let_go(base, graph):
    """A process that only follows, and is asked nothing, would otherwise hold every graph there ever was."""
    searcher = VectorSearcher.open(EMBEDDING, base, graph=graph)
    first = searcher.near
    for _ in range(3):
        searcher = searcher.beside(graph_over(base))
    assert searcher.near._before is None

    first.prepare()
    held = VectorSearcher.open(EMBEDDING, base, graph=graph)
    held.near.prepare()
    ready = held.near
    for _ in range(3):
        held = held.beside(graph_over(base))
        assert held.near._before is ready, "what is ready answers until the next one is"
