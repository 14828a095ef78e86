"""The vector file: written in a stream, merged by copying, refused when damaged or of another model."""

import pytest

from scova.errors import DerivedDamaged
from scova.stores import matrix as room
from scova.stores.matrix import Matrix, merge_matrix, write_matrix
from scova.stores.postings import Segment

WIDTH = 4


def vector(row):
    return bytes((row + place) % 256 for place in range(WIDTH))


def written(path, rows, *, applied_seq=5):
    write_matrix(path, ((row, vector(row)) for row in rows), width=WIDTH, model="m", applied_seq=applied_seq)
    return Matrix.open(path, "m")


def test_what_is_written_is_read(tmp_path):
    matrix = written(tmp_path / "5.vec", [3, 7, 1000])
    assert len(matrix) == 3
    assert (matrix.model, matrix.width, matrix.applied_seq) == ("m", WIDTH, 5)
    assert list(matrix.rows) == [3, 7, 1000]
    assert [matrix.vector(matrix.line_of(row)) for row in (3, 7, 1000)] == [vector(row) for row in (3, 7, 1000)]
    assert [matrix.line_of(row) for row in (0, 4, 1001)] == [-1, -1, -1]
    matrix.verify()


def test_an_empty_matrix_can_be_written_and_read(tmp_path):
    matrix = written(tmp_path / "5.vec", [])
    matrix.verify()
    assert len(matrix) == 0
    assert matrix.line_of(1) == -1


@pytest.mark.parametrize("piece", [1, 2, 3, 4096])
@pytest.mark.parametrize(
    ("old", "new", "dead"),
    [
        (range(1, 20), range(20, 25), {1, 5, 6, 19, 21, 99}),
        (range(1, 20, 3), range(0, 30, 2), {4, 8, 28}),
        (range(1, 9), [], set(range(1, 9))),
        ([], [4, 2, 3], {3}),
        (range(1, 9), [4, 5, 12], set()),
    ],
)
def test_merging_equals_writing_anew(tmp_path, monkeypatch, piece, old, new, dead):
    """Old minus dead plus new, whatever order the new come in and wherever they belong, byte for byte."""
    monkeypatch.setattr(room, "_PIECE", piece)
    base = written(tmp_path / "old", old)
    merge_matrix(tmp_path / "merged", base, ((row, vector(row)) for row in new), dead=dead, applied_seq=8)
    written(tmp_path / "anew", sorted({*old, *new} - dead), applied_seq=8)
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "anew").read_bytes()


def test_vectors_of_the_wrong_width_or_order_are_refused_and_leave_no_file(tmp_path):
    path = tmp_path / "5.vec"
    with pytest.raises(ValueError, match="components"):
        write_matrix(path, [(1, b"123")], width=WIDTH, model="m", applied_seq=1)
    with pytest.raises(ValueError, match="ascending"):
        write_matrix(path, [(2, vector(2)), (1, vector(1))], width=WIDTH, model="m", applied_seq=1)
    assert list(tmp_path.iterdir()) == []


def test_another_model_is_refused_by_name(tmp_path):
    written(tmp_path / "5.vec", [1])
    with pytest.raises(DerivedDamaged, match=r"5\.vec: holds vectors of m, not of n"):
        Matrix.open(tmp_path / "5.vec", "n")


def test_another_store_is_refused_and_merging_keeps_the_store(tmp_path):
    write_matrix(tmp_path / "5.vec", [(1, vector(1))], width=WIDTH, model="m", applied_seq=5, store_id="one")
    merge_matrix(tmp_path / "6.vec", Matrix.open(tmp_path / "5.vec", "m", "one"), [(2, vector(2))], applied_seq=6)
    assert list(Matrix.open(tmp_path / "6.vec", "m", "one").rows) == [1, 2]
    for name in ("5.vec", "6.vec"):
        with pytest.raises(DerivedDamaged, match=f"{name}: belongs to another store"):
            Matrix.open(tmp_path / name, "m", "two")


def test_torn_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "5.vec"
    written(path, range(50))
    whole = path.read_bytes()
    with pytest.raises(DerivedDamaged, match="not a file of this kind"):
        Segment.open(path)
    for size in (0, 50, 4096, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(DerivedDamaged, match=r"5\.vec"):
            Matrix.open(path, "m")


def test_verify_notices_one_changed_bit(tmp_path):
    path = tmp_path / "5.vec"
    written(path, range(50))
    whole = path.read_bytes()
    for offset, length, _ in Matrix.open(path, "m").sections.spots.values():
        place = offset + length // 2
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 128]) + whole[place + 1 :])
        with pytest.raises(DerivedDamaged, match="checksum"):
            Matrix.open(path, "m").verify()
