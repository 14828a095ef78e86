"""The n-gram index: what it holds is what the texts hold; what it does not know is let through."""

import random

import pytest

from scova.errors import DerivedDamaged
from scova.stores.grams import write
from scova.stores.grams.alphabet import SYMBOLS, folded
from scova.stores.grams.reader import Grams
from scova.stores.grams.write import Indexed, write_grams


def written(path, files, **options):
    write_grams(path, files, spill=path.with_suffix(".spill"), applied_seq=7, store_id="s", **options)
    return Grams.open(path, "s")


def candidates(grams, text: str) -> set[int]:
    """Files that may hold a text."""
    data, blocks = folded(text), grams.everything
    for at in range(len(data) - 2):
        blocks &= grams.having(data[at : at + 3])
    return set(grams.files_in(blocks))


@pytest.fixture(params=[1, 50, 4000], ids=lambda size: f"blocks of {size}")
def block_size(request, monkeypatch):
    monkeypatch.setattr(write, "BLOCK_BYTES", request.param)


@pytest.mark.parametrize("many", [False, True], ids=["one range", "many ranges"])
def test_every_file_is_found_by_every_piece_of_it(tmp_path, block_size, many, monkeypatch):
    if many:
        monkeypatch.setattr(write, "_RANGE", 100)
    chance = random.Random(3)
    letters = "abcXYZ_ ()\n\té日ſ\u212a{}&*\0\x7f"
    files = [Indexed(n * 3, "".join(chance.choices(letters, k=chance.randint(0, 120)))) for n in range(300)]
    grams = written(tmp_path / "1.gram", files)
    grams.verify()
    assert list(grams.files) == [file.file_id for file in files]
    for file in files:
        for line in file.text.split("\n"):
            assert file.file_id in candidates(grams, line)
            assert file.file_id in candidates(grams, line.upper().replace("É", "é")) or "ſ" in line


def test_a_text_that_is_nowhere_has_no_candidates(tmp_path):
    grams = written(tmp_path / "1.gram", [Indexed(1, "some text"), Indexed(2, "another")])
    assert candidates(grams, "missing") == set()
    assert candidates(grams, "text") == {1, 2} or candidates(grams, "text") == {1}


def test_dense_and_sparse_grams_are_both_read_back(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "BLOCK_BYTES", 1)
    files = [Indexed(n, "common" + (" rare" if n in (3, 1999) else "")) for n in range(2000)]
    grams = written(tmp_path / "1.gram", files)
    assert grams.size(b"com") == 250
    assert grams.size(b"rar") < 10
    assert candidates(grams, "common") == set(range(2000))
    assert candidates(grams, "rare") == {3, 1999}


def test_what_is_not_known_is_always_a_candidate(tmp_path):
    grams = written(tmp_path / "1.gram", [Indexed(1, "text"), Indexed(2, None)])
    assert candidates(grams, "missing") == {2}
    assert len(grams) == 2


def test_grams_do_not_reach_over_lines_or_files(tmp_path):
    grams = written(tmp_path / "1.gram", [Indexed(1, "ab\ncd"), Indexed(2, "ef")])
    assert not any(grams.having(gram) for gram in (b"bcd", b"def", b"cde"))


def test_nothing_at_all(tmp_path):
    grams = written(tmp_path / "1.gram", [])
    grams.verify()
    assert candidates(grams, "abc") == set()
    assert grams.everything == 0


def test_equal_texts_give_equal_files(tmp_path):
    files = [Indexed(n, f"file {n} says {n * n}") for n in range(100)]
    one, other = tmp_path / "1.gram", tmp_path / "2.gram"
    written(one, files)
    written(other, files)
    assert one.read_bytes() == other.read_bytes()


def test_a_torn_or_foreign_file_is_not_opened(tmp_path):
    path = tmp_path / "1.gram"
    written(path, [Indexed(1, "text")])
    with pytest.raises(DerivedDamaged, match="another store"):
        Grams.open(path, "other")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DerivedDamaged):
        Grams.open(path, "s")
    assert not list(tmp_path.glob("*.spill"))


def test_case_is_folded_and_only_line_feeds_have_symbol_zero():
    assert folded("ſ\u212a") == b"sk"
    assert [byte for byte in range(256) if SYMBOLS[byte] == 0] == [10]
    assert all(SYMBOLS[ord(letter)] == SYMBOLS[ord(letter.lower())] for letter in "ABCXYZ")
    assert max(SYMBOLS) < 64
