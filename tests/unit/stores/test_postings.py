"""Segments: what a chunk is found by, what is written, and what a damaged file does."""

import pickle
import subprocess
import sys

import pytest

from scova.errors import DerivedDamaged
from scova.search.searchers.fitting import documents_of, fitting, frequency_of, terms_of
from scova.stores import invert, merge
from scova.stores.invert import PostingsBuilder, document_terms, inverted
from scova.stores.merge import Spills, write_segment
from scova.stores.postings import Segment
from scova.stores.sections import Kind, SectionWriter
from scova.tokens import terms
from scova.types import Chunk, ChunkId, ChunkType, Row


def chunk(row, text, *, symbol="", names=(), chunk_type=ChunkType.DEFINITIONS):
    return Chunk(
        ChunkId(f"c{row}"), "", text, chunk_type, "a.py", 1, 2, "python", "", symbol=symbol, names=names, row=Row(row)
    )


TEXTS = [
    "def map_config(path): return map(path)",
    "class Zoo: pass",
    "map the zoo",
    "",
    "größe naïve 日本語 map",
]


def chunks():
    return [chunk(10 * (place + 1), text, names=("keeper",)) for place, text in enumerate(TEXTS)]


def frequency(segment, term):
    return len(segment.postings(term)[0])


def contents(segment):
    """term -> [(row, count)] and row -> length."""
    every = bytes(segment.terms).decode().split("\n")[:-1]
    postings = {
        term: [(segment.row_of(doc), count) for doc, count in zip(*segment.postings(term), strict=True)]
        for term in every
    }
    return postings, dict(zip(segment.rows, segment.lengths, strict=True))


def test_body_terms_count_whole_words_and_parts():
    body, length = document_terms(chunk(1, "parseHTTP parseHTTP user_id"))
    assert body == {**dict.fromkeys(terms("parseHTTP"), 2), **dict.fromkeys(terms("user_id"), 1)}
    assert body["parsehttp"] == body["http"] == 2
    assert length == sum(body.values())


def test_counts_fit_a_byte_but_lengths_do_not_stop():
    found, length = document_terms(chunk(1, "x1 " * 1000))
    assert found["x1"] == 255
    assert length == 1000 * len(terms("x1"))


def test_names_are_found_by_their_words_and_whole_and_add_nothing_to_the_length():
    found, length = document_terms(chunk(1, "", symbol="Shop.addItem", names=("Shop.addItem", "helper", "Shop.helper")))
    split = {f"\x02{term}" for name in ("addItem", "helper") for term in terms(name)}
    assert found == dict.fromkeys({*split, "\x02=helper", "\x02=additem"}, 1)
    assert length == 0


def test_a_heading_is_a_name_as_a_whole():
    found, _ = document_terms(chunk(1, "", symbol="Version 1.2 Notes", chunk_type=ChunkType.DOCUMENTATION))
    assert "\x02=version 1.2 notes" in found
    assert "\x02version" in found


def test_strange_names_neither_break_the_dictionary_nor_stop_the_build(tmp_path):
    strange = [chunk(1, "a b", names=("operator\nnew", "\ud800lone", "x" * 500, "<|>")), chunk(2, "\ud800 word")]
    write_segment(tmp_path / "s", [Segment.of(strange)], applied_seq=1)
    segment = Segment.open(tmp_path / "s")
    assert contents(segment) == contents(Segment.of(strange))
    assert frequency(segment, "\x02=operator new") == 1
    assert frequency(segment, "\x02=<|>") == 1


@pytest.fixture(params=["memory", "file"])
def segment(request, tmp_path):
    if request.param == "memory":
        return Segment.of(chunks())
    write_segment(tmp_path / "7.seg", [Segment.of(chunks())], applied_seq=7)
    return Segment.open(tmp_path / "7.seg")


def test_lookups_find_exactly_what_was_written(segment):
    assert [(segment.row_of(doc), count) for doc, count in zip(*segment.postings("map"), strict=True)] == [
        (10, 2), (30, 1), (50, 1),
    ]  # fmt: skip
    assert frequency(segment, "zoo") == 2
    assert frequency(segment, "ma") == frequency(segment, "") == frequency(segment, "zzzz") == 0
    assert segment.find("nothing") == -1
    assert list(segment.postings("nothing")[0]) == []
    assert [segment.doc_of(Row(row)) for row in (10, 20, 50, 0, 15, 60)] == [0, 1, 4, -1, -1, -1]
    assert frequency(segment, "größe") == frequency(segment, "日本") == 1


def test_every_written_term_is_found_where_it_stands(segment):
    every = bytes(segment.terms).decode().split("\n")[:-1]
    assert every == sorted(set(every))
    assert [segment.find(term) for term in every] == list(range(len(every)))


def fits(segment, prefix, part=""):
    numbers = fitting(segment, prefix, part)
    return dict(zip(terms_of(segment, numbers), [frequency_of(segment, number) for number in numbers], strict=True))


def test_prefixes_and_substrings_come_from_the_body_with_frequencies(segment):
    assert fits(segment, "ma") == {"map": 3, "map_config": 1}
    assert fits(segment, "pa") == {"pass": 1, "path": 1}
    assert fits(segment, "\x02k") == {"\x02keep": 5, "\x02keeper": 5}
    assert fits(segment, "", "as") == {"class": 1, "pass": 1}
    assert fits(segment, "", "p_c") == {"map_config": 1}
    assert fits(segment, "", "keeper") == {}  # only in names
    assert fits(segment, "") == fits(segment, "", "e\nc") == {}
    assert fits(segment, "\x02k", "per") == {"\x02keeper": 5}
    assert fits(segment, "ma", "a") == {}  # not behind the beginning
    assert not any(term < "\x03" for term in fits(segment, "", "k"))


def test_what_fits_is_what_a_look_at_every_term_finds(segment):
    every = bytes(segment.terms).decode().split("\n")[:-1]
    for prefix in ("", "m", "ma", "\x02", "\x02=", "zz"):
        for part in ("", "a", "ma", "p", "e", "ß", "本", "_"):
            if prefix or part:
                found = [
                    term
                    for term in every
                    if term.startswith(prefix) and part in term[len(prefix) :] and (prefix or term >= "\x03")
                ]
                assert terms_of(segment, fitting(segment, prefix, part)) == found
                pieces = documents_of(segment, fitting(segment, prefix, part))
                assert {doc for piece in pieces for doc in piece} == {
                    doc for term in found for doc in segment.postings(term)[0]
                }


def test_an_empty_segment_answers_nothing(tmp_path):
    write_segment(tmp_path / "0.seg", [], applied_seq=3)
    for segment in (Segment.open(tmp_path / "0.seg"), Segment.of([])):
        segment.verify()
        assert len(segment) == 0
        assert frequency(segment, "a") == 0
        assert len(fitting(segment, "a")) == len(fitting(segment, "", "a")) == 0


def test_python_and_numpy_invert_to_the_same_bytes():
    builder = PostingsBuilder()
    for each in chunks():
        builder.add(each)
    ranks = invert.array("I", range(len(builder._ids)))
    assert builder._inverted_python(ranks) == builder._inverted_numpy(ranks)


def test_postings_travel_between_processes_and_insist_on_ascending_rows():
    builder = PostingsBuilder()
    for each in chunks():
        builder.add(each)
    postings = pickle.loads(pickle.dumps(builder.finish()))
    assert contents(Segment.of(postings.with_rows([10, 20, 30, 40, 50]))) == contents(Segment.of(chunks()))
    with pytest.raises(ValueError, match="ascend"):
        postings.with_rows([10, 20, 30, 50, 40])
    with pytest.raises(ValueError, match="4 rows for 5"):
        postings.with_rows([1, 2, 3, 4])
    with pytest.raises(ValueError, match="with_rows"):
        Segment.of(postings)


@pytest.mark.parametrize("cost", [1, 40, 4_000_000])
def test_any_partition_into_parts_and_ranges_gives_the_same_bytes(tmp_path, monkeypatch, cost):
    """Contiguous, interleaved, overlapping and single-chunk parts, merged in ranges from one term to all of them."""
    monkeypatch.setattr(merge, "_RANGE", cost)
    every = chunks()
    partitions = [
        [every],
        [every[:2], every[2:]],
        [every[::2], every[1::2]],
        [[c] for c in reversed(every)],
        [every, every[1:3], []],
    ]
    written = []
    for number, partition in enumerate(partitions):
        path = tmp_path / f"{number}.seg"
        write_segment(path, [Segment.of(part) for part in partition], applied_seq=9)
        written.append(path.read_bytes())
    assert set(written) == {written[0]}
    assert contents(Segment.open(tmp_path / "0.seg")) == contents(Segment.of(every))


def test_dead_rows_leave_nothing_behind(tmp_path):
    write_segment(tmp_path / "a", [Segment.of(chunks())], dead={Row(10), Row(30), Row(999)}, applied_seq=9)
    write_segment(tmp_path / "b", [Segment.of([c for c in chunks() if c.row not in (10, 30)])], applied_seq=9)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert Segment.open(tmp_path / "a").find("map_config") == -1


def test_spills_keep_few_files_and_lose_nothing(tmp_path):
    spills = Spills(tmp_path, largest=700)
    for each in chunks():
        spills.add(inverted([each]))
    assert 1 <= len(list(tmp_path.iterdir())) < len(chunks())
    write_segment(tmp_path / "all", spills.parts(), applied_seq=0)
    assert contents(Segment.open(tmp_path / "all")) == contents(Segment.of(chunks()))


def test_every_truncation_is_recognised_and_names_the_file(tmp_path):
    path = tmp_path / "1.seg"
    write_segment(path, [Segment.of(chunks())], applied_seq=1)
    whole = path.read_bytes()
    for size in (0, 1, 19, 20, 100, 4095, 4096, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(DerivedDamaged, match=r"1\.seg") as caught:
            Segment.open(path)
        assert "repair" in caught.value.hint
    path.write_bytes(whole + b"\0")
    with pytest.raises(DerivedDamaged, match="bytes long"):
        Segment.open(path)


def test_foreign_files_other_versions_and_missing_files_are_recognised(tmp_path):
    path = tmp_path / "1.seg"
    for content in (b"x" * 10_000, b"scovatxt" + bytes(10_000)):
        path.write_bytes(content)
        with pytest.raises(DerivedDamaged):
            Segment.open(path)
    with SectionWriter(path, Kind(b"scovatxt", 99)) as writer:
        writer.finish({})
    with pytest.raises(DerivedDamaged, match="version 99"):
        Segment.open(path)
    with SectionWriter(path, merge.KIND) as writer:
        writer.finish({"total_length": 0, "applied_seq": 0})
    with pytest.raises(DerivedDamaged, match="is missing"):
        Segment.open(path)
    with pytest.raises(DerivedDamaged, match="missing"):
        Segment.open(tmp_path / "none.seg")
    with pytest.raises(DerivedDamaged, match="not a regular file"):
        Segment.open(tmp_path)
    path.write_bytes(b"")
    with pytest.raises(DerivedDamaged, match="cannot be mapped"):
        Segment.open(path)


def test_a_segment_of_another_store_is_refused(tmp_path):
    path = tmp_path / "1.seg"
    write_segment(path, [Segment.of(chunks())], applied_seq=1, store_id="one")
    assert Segment.open(path, "one").store_id == Segment.open(path).store_id == "one"
    for other in ("two", ""):
        with pytest.raises(DerivedDamaged, match=r"1\.seg: belongs to another store"):
            Segment.open(path, other)


def test_verify_notices_one_changed_bit_in_any_section(tmp_path):
    path = tmp_path / "1.seg"
    write_segment(path, [Segment.of(chunks())], applied_seq=1)
    whole = path.read_bytes()
    Segment.open(path).verify()
    spots = Segment.open(path).sections.spots
    assert len(spots) == 7
    for offset, length, _ in spots.values():
        for place in (offset, offset + length - 1):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            with pytest.raises(DerivedDamaged, match="checksum"):
                Segment.open(path).verify()


def test_a_header_with_one_changed_bit_is_not_opened(tmp_path):
    path = tmp_path / "1.seg"
    write_segment(path, [Segment.of(chunks())], applied_seq=1)
    whole = path.read_bytes()
    for place in (0, 8, 12, 16, 20, 60, 200):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DerivedDamaged):
            Segment.open(path)


def test_an_interrupted_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "1.seg"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), SectionWriter(path, merge.KIND) as writer:
        writer.begin("rows")
        writer.write("rows", b"12345678")
        raise KeyboardInterrupt
    with pytest.raises(ValueError, match="docs"), SectionWriter(path, merge.KIND) as writer:
        writer.begin("docs", 8)
        writer.write("docs", b"1234")
        writer.finish({})
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_open_segment_outlives_its_file(tmp_path):
    path = tmp_path / "1.seg"
    write_segment(path, [Segment.of(chunks())], applied_seq=1)
    segment = Segment.open(path)
    path.unlink()
    segment.sections.release()
    assert contents(segment) == contents(Segment.of(chunks()))


def test_opening_and_looking_up_needs_no_numpy(tmp_path):
    path = tmp_path / "1.seg"
    write_segment(path, [Segment.of(chunks())], applied_seq=1)
    script = (
        "import sys; from pathlib import Path; from scova.stores.postings import Segment; from scova.search.searchers.text import TextSearcher\n"
        f"s = TextSearcher.open(Segment.open(Path({str(path)!r}))); assert len(s.search('map zoo', 10)) == 4\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env={"PYTHONPATH": ":".join(sys.path)})
