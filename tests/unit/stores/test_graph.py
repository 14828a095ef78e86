"""The graph over vectors: what is written is found, twins included; whatever is torn, foreign or flipped is refused before it is followed."""

import numpy as np
import pytest

from scova.errors import DerivedDamaged
from scova.stores.ann import write as room
from scova.stores.ann.graph import Graph
from scova.stores.ann.write import heads_of, write_graph
from scova.stores.matrix import Matrix, write_matrix

WIDTH = 32


def lines_of(count, seed=1):
    return np.random.default_rng(seed).integers(-127, 128, (count, WIDTH)).astype(np.int8)


def written(folder, lines, *, first=1, store_id="one", **options):
    vectors = ((first + number, line.tobytes()) for number, line in enumerate(lines))
    write_matrix(folder / "5.vec", vectors, width=WIDTH, model="m", applied_seq=5, store_id=store_id)
    write_graph(folder / "5.hnsw", Matrix.open(folder / "5.vec", "m"), **options)
    return folder / "5.hnsw"


def test_what_is_written_is_found(tmp_path):
    lines = lines_of(2000)
    graph = Graph.open(written(tmp_path, lines, first=100), "m", "one")
    assert (graph.vector_count, graph.last_row, graph.applied_seq, graph.width) == (2000, 2099, 5, WIDTH)
    assert graph.file_size == (tmp_path / "5.hnsw").stat().st_size
    assert len(graph) >= 0.98 * 2000  # built by several threads, it may lead to some not at all, and says so
    found = graph.neighbours()
    assert all(row in found.nearest(lines[row - 100].tobytes(), 1, 64) for row in graph.rows)
    graph.verify()


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_it_leads_to_every_row_it_claims_to_know_however_many_threads_built_it(tmp_path, threads):
    """Threads that add at the same time leave some vectors without a way to them; these must not be claimed."""
    lines = lines_of(3000)
    lines[1500:1600] = lines[:100]
    graph = Graph.open(written(tmp_path, lines, threads=threads), "m")
    found = graph.neighbours()
    assert [row for row in graph.rows if row not in found.nearest(lines[row - 1].tobytes(), 1, 64)] == []


def test_what_cannot_be_found_is_not_claimed_nor_are_its_twins(tmp_path, monkeypatch):
    lines = lines_of(300)
    lines[200:210] = lines[7]  # rows 201 to 210 are twins of row 8
    monkeypatch.setattr(room, "finds", lambda index, rows, lines, threads: rows % 5 != 3)
    graph = Graph.open(written(tmp_path, lines, threads=1), "m")
    assert set(graph.rows) == {row for row in range(1, 301) if row % 5 != 3} - set(range(201, 211))
    assert (graph.vector_count, graph.last_row) == (300, 300)
    graph.verify()


def test_it_stays_usable_when_the_file_is_deleted(tmp_path):
    lines = lines_of(300)
    graph = Graph.open(written(tmp_path, lines, threads=1), "m")
    graph.path.unlink()
    assert 8 in graph.neighbours().nearest(lines[7].tobytes(), 3, 300)


def test_equal_vectors_are_in_it_once_and_all_found(tmp_path):
    lines = lines_of(500)
    lines[100:400] = lines[7]
    graph = Graph.open(written(tmp_path, lines, threads=1), "m")
    found = graph.neighbours()
    assert len(found) == 200
    assert {8, *range(101, 401)} <= set(found.nearest(lines[7].tobytes(), 1, 300).tolist())
    assert 9 in found.nearest(lines[8].tobytes(), 1, 300)


@pytest.mark.parametrize("piece", [3, 4096])
def test_the_first_equal_line_is_found_whatever_the_hashes(monkeypatch, piece):
    monkeypatch.setattr(room, "_PIECE", piece)
    lines = np.random.default_rng(3).integers(-1, 2, (400, 4)).astype(np.int8)
    first = {}
    expected = [first.setdefault(line.tobytes(), number) for number, line in enumerate(lines)]
    assert heads_of(lines).tolist() == expected


def test_equal_hashes_do_not_make_equal_vectors(monkeypatch):
    class Same:
        def integers(self, low, high, size, kind):
            return np.zeros(size, kind)  # with odd weights of 1, any two lines with the same sum collide

    monkeypatch.setattr(np.random, "default_rng", lambda seed: Same())
    lines = np.array([[1, 2], [2, 1], [1, 2], [3, 0]], np.int8)
    assert heads_of(lines).tolist() == [0, 1, 0, 3]


def test_an_empty_one_can_be_written_and_asked(tmp_path):
    graph = Graph.open(written(tmp_path, lines_of(0)), "m")
    assert (len(graph), graph.last_row) == (0, 0)
    assert graph.neighbours().nearest(bytes([1] * WIDTH), 3, 64).tolist() == []


def test_progress_ends_with_everything(tmp_path):
    told = []
    written(tmp_path, lines_of(100), tell=lambda done, total: told.append((done, total)))
    assert told[-1] == (200, 200)  # each is added, and asked for


def test_another_model_or_store_is_refused_by_name(tmp_path):
    path = written(tmp_path, lines_of(20))
    with pytest.raises(DerivedDamaged, match=r"5\.hnsw: holds vectors of m, not of n"):
        Graph.open(path, "n")
    with pytest.raises(DerivedDamaged, match=r"5\.hnsw: belongs to another store"):
        Graph.open(path, "m", "two")
    with pytest.raises(DerivedDamaged, match="not a file of this kind"):
        Graph.open(tmp_path / "5.vec", "m")


def test_a_torn_file_is_refused(tmp_path):
    path = written(tmp_path, lines_of(200))
    whole = path.read_bytes()
    for size in (0, 50, 4096, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(DerivedDamaged, match=r"5\.hnsw"):
            Graph.open(path, "m")


def test_one_flipped_bit_anywhere_is_refused_before_the_graph_is_followed(tmp_path):
    path = written(tmp_path, lines_of(200)[np.arange(200) % 190])
    whole = path.read_bytes()
    spots = Graph.open(path, "m").sections.spots
    assert set(spots) == {"rows", "heads", "twins", "graph"}
    for offset, length, _ in spots.values():
        for place in {offset, offset + length // 2, offset + length - 1}:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
            graph = Graph.open(path, "m")  # it is quick to open, so it cannot notice
            for _ in range(2):
                with pytest.raises(DerivedDamaged, match="checksum"):
                    graph.neighbours()
            assert graph.is_refused
            with pytest.raises(DerivedDamaged, match="checksum"):
                graph.verify()


def test_a_flipped_bit_in_the_header_is_refused_when_it_is_opened(tmp_path):
    path = written(tmp_path, lines_of(50))
    whole = path.read_bytes()
    for place in (0, 9, 13, 17, 40, 200):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DerivedDamaged, match=r"5\.hnsw"):
            Graph.open(path, "m")


def test_writing_leaves_nothing_beside_and_a_failure_leaves_nothing_at_all(tmp_path):
    written(tmp_path, lines_of(50))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["5.hnsw", "5.vec"]

    def stop(done, total):
        raise KeyboardInterrupt

    (tmp_path / "5.hnsw").unlink()
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path, lines_of(50), tell=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["5.vec"]
