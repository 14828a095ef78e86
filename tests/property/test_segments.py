"""Refreshing equals rebuilding, for the text index: any history of puts, removals, merges and updates answers alike."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from scova.search.searchers import kernels
from scova.search.searchers.text import EXACT, NAME, TextQuery, TextSearcher
from scova.stores import merge
from scova.stores.merge import write_segment
from scova.stores.postings import Segment
from scova.types import Chunk, ChunkId, ChunkType, Row

WORDS = ["parse", "parseFile", "read_config", "file", "x", "größe", "日本語", "HTTPServer", "config", "a1"]
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
names = st.lists(st.sampled_from(WORDS), max_size=2).map(tuple)
paths = st.sampled_from(["src/config.py", "src/parse/file.go", "docs/read_config.md", "a"])
contents = st.lists(st.tuples(texts, names, paths), min_size=1, max_size=12)
queries = st.builds(
    TextQuery,
    terms=st.lists(st.sampled_from(["parse", "file", "config", "readme", "日本", "größe"]), max_size=4).map(tuple),
    required=st.lists(st.sampled_from(["parse", "con*", "*il*", "x"]), max_size=1).map(tuple),
    either=st.lists(st.sampled_from([("http", "x"), ("re*", "*_c*"), ("*e*",)]), max_size=1).map(tuple),
)


def chunk(key, row, content):
    text, defined, path = content
    symbol = defined[0] if defined else ""
    return Chunk(
        ChunkId(key), "", text, ChunkType.DEFINITIONS, path, 1, 2, "", "", symbol=symbol, names=defined, row=Row(row)
    )


def by_key(segment, keys):
    """term -> [(chunk key, count)], which does not depend on rows."""
    terms = bytes(segment.terms).decode().split("\n")[:-1]
    return {
        term: sorted((keys[segment.row_of(doc)], count) for doc, count in zip(*segment.postings(term), strict=True))
        for term in terms
    }


def answers(searcher, query, keys):
    """Everything a searcher can say about a query, by chunk key instead of row."""
    hits = [(keys[hit.row], hit.score) for hit in searcher.run(query, 1000)]
    few = searcher.run(query, 2)
    fields = [searcher.field_search(field, query.terms, 1000) for field in (NAME, EXACT)]
    scores = searcher.score_rows(query, keys)
    return (
        sorted(hits),
        sorted((keys[hit.row], hit.score) for hit in few),
        searcher.total(query),
        [sorted((keys[hit.row], hit.score) for hit in each) for each in fields],
        {keys[row]: score for row, score in scores.items()},
    )


@settings(max_examples=150)
@given(
    initial=contents,
    steps=st.lists(
        st.tuples(st.sampled_from(["put", "remove", "merge", "again"]), st.integers(0, 30), contents), max_size=6
    ),
    query=queries,
    cost=st.sampled_from([1, 30, 4_000_000]),
)
def test_any_history_answers_as_if_built_from_nothing(initial, steps, query, cost):
    """Replace chunks, remove chunks, merge into a new base (with small ranges), apply changes twice: the live chunks decide."""
    live, keys, next_row = {}, {}, 1

    def put(some, offset):
        nonlocal next_row
        made = []
        for place, content in enumerate(some):
            key = f"k{(place + offset) % 40}"
            made.append(chunk(key, next_row, content))
            keys[Row(next_row)] = key
            next_row += 1
        latest = {each.id: each for each in made}
        gone = [(live[each.id].row, each.id) for each in latest.values() if each.id in live]
        live.update(latest)
        return list(latest.values()), gone

    with tempfile.TemporaryDirectory() as folder:
        original, merge._RANGE = merge._RANGE, cost
        try:
            added, _ = put(initial, 0)
            searcher = TextSearcher.open(None, added)
            last = (added, (), ())
            for number, (step, offset, some) in enumerate(steps):
                if step == "put":
                    added, gone = put(some, offset)
                    last = (added, (), gone)
                    searcher = searcher.update_incremental(*last)
                elif step == "remove":
                    gone = [(each.row, key) for key, each in list(live.items())[:: offset + 1]]
                    for _, key in gone:
                        del live[key]
                    last = ((), (), gone)
                    searcher = searcher.update_incremental(*last)
                elif step == "merge":
                    path = Path(folder, f"{number}.seg")
                    dead = {part.segment.row_of(doc) for part in searcher.lives for doc in part.dead}
                    write_segment(path, [part.segment for part in searcher.lives], dead=dead, applied_seq=number)
                    base = Segment.open(path)
                    base.verify()
                    assert by_key(base, keys) == by_key(Segment.of(live.values()), keys)
                    searcher = TextSearcher.open(base)
                else:
                    again = searcher.update_incremental(*last)
                    assert len(again) == len(searcher)
                    searcher = again
        finally:
            merge._RANGE = original

    rebuilt_keys = {Row(place + 1): key for place, key in enumerate(sorted(live))}
    rebuilt = TextSearcher.open(
        Segment.of(
            [
                chunk(key, place + 1, (live[key].text, live[key].names, live[key].file_path))
                for place, key in enumerate(sorted(live))
            ]
        )
    )
    assert len(searcher) == len(rebuilt)
    assert answers(searcher, query, keys) == answers(rebuilt, query, rebuilt_keys)


@settings(max_examples=60)
@given(initial=contents, cuts=st.lists(st.integers(0, 3), min_size=12, max_size=12), dead=st.sets(st.integers(1, 12)))
def test_bytes_do_not_depend_on_the_partition(initial, cuts, dead):
    """Each chunk goes to any of four parts; the file is the same as of one part without the dead."""
    every = [chunk(f"k{row}", row, content) for row, content in enumerate(initial, 1)]
    parts = [[each for each, cut in zip(every, cuts, strict=False) if cut == part] for part in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        write_segment(Path(folder, "a"), [Segment.of(part) for part in parts], dead=dead, applied_seq=1)
        write_segment(Path(folder, "b"), [Segment.of(each for each in every if each.row not in dead)], applied_seq=1)
        assert Path(folder, "a").read_bytes() == Path(folder, "b").read_bytes()


@settings(max_examples=100)
@given(values=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 3.5]), max_size=900), limit=st.integers(0, 1000))
def test_both_ways_of_choosing_find_the_best_and_all_their_equals(values, limit):
    import array

    import numpy as np

    kept = sorted(values)[:limit]
    expected = [place for place, value in enumerate(values) if kept and value <= kept[-1]]
    assert kernels.smallest(array.array("d", values), limit) == expected
    assert sorted(kernels.largest(-np.array(values, float), min(limit, len(values))).tolist()) == expected
