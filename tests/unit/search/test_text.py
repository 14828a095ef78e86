"""BM25: the formula, exact statistics whatever the history, the pieces of a query, and both kernels."""

import math
import random
import sys
import threading
from collections import Counter

import pytest

from scova.search.searchers import kernels, vocabulary
from scova.search.searchers.text import EXACT, NAME, Bm25, TextQuery, TextSearcher
from scova.stores.invert import document_terms
from scova.stores.merge import write_segment
from scova.stores.postings import Segment
from scova.types import Chunk, ChunkId, ChunkType, Row


def chunk(row, text, *, symbol="", names=()):
    return Chunk(
        ChunkId(f"c{row}"),
        "",
        text,
        ChunkType.DEFINITIONS,
        "a.py",
        1,
        2,
        "python",
        "",
        symbol=symbol,
        names=names,
        row=Row(row),
    )


FRUIT = [
    chunk(1, "nut pear nut"),
    chunk(2, "pear plum"),
    chunk(3, "plum plum plum fig"),
    chunk(4, "fig nutmeg walnut"),
    chunk(5, "nothing here"),
]


def rows(hits):
    return [hit.row for hit in hits]


@pytest.fixture(params=["python", "numpy"])
def kernel(request, monkeypatch):
    """Run with one kernel and then with the other, whatever the size."""
    monkeypatch.setattr(kernels, "has_numpy", lambda: request.param == "numpy")
    monkeypatch.setattr(kernels, "_FEW", 0)


def test_scores_are_bm25_by_the_book(kernel):
    searcher = TextSearcher.open(Segment.of(FRUIT))
    average = (3 + 2 + 4 + 3 + 2) / 5

    def share(count, length, frequency):
        rarity = math.log(1 + (5 - frequency + 0.5) / (frequency + 0.5))
        return rarity * count * 2.2 / (count + 1.2 * (0.6 + 0.4 * length / average))

    found = {hit.row: hit.score for hit in searcher.search("nut pear", 10)}
    assert found == {1: pytest.approx(share(2, 3, 1) + share(1, 3, 2)), 2: pytest.approx(share(1, 2, 2))}


def test_other_constants_give_other_scores(kernel):
    flat = TextSearcher.open(Segment.of(FRUIT), bm25=Bm25(k1=0.0)).search("plum", 10)
    assert flat[0].score == flat[1].score


def test_the_limit_keeps_all_that_are_as_good_as_the_last(kernel):
    searcher = TextSearcher.open(
        Segment.of([chunk(row, "same words") for row in range(1, 40)]), [chunk(99, "same words")]
    )
    assert len(searcher.search("same", 3)) == 40
    assert searcher.search("same", 0) == searcher.search("same", -1) == []
    assert rows(TextSearcher.open(Segment.of(FRUIT)).search("plum", 1)) == [3]


def test_allowed_rows_are_chosen_before_the_best(kernel):
    """A good match that is not allowed must not take the place of a worse one that is."""
    many = [chunk(row, "needle " * (row % 7 + 1) + "hay " * row) for row in range(1, 200)]
    searcher = TextSearcher.open(Segment.of(many))
    everything = searcher.search("needle", 1000)
    for allowed in ({Row(150), Row(17)}, set(map(Row, range(100, 140))), set()):
        expected = [hit for hit in everything if hit.row in allowed]
        assert searcher.search("needle", 5, allowed) == expected[:5]
        assert searcher.total(TextQuery(("needle",)), allowed) == len(allowed)


QUERIES = [
    (TextQuery(("nut", "plum")), {1, 2, 3}),
    (TextQuery(required=("pear", "plum")), {2}),
    (TextQuery(("nut",), required=("pear",)), {1, 2}),
    (TextQuery(required=("pear", "nowhere")), set()),
    (TextQuery(either=(("nut", "fig"), ("pear", "plum"))), {1, 3}),
    (TextQuery(either=(("nut", "nowhere"),)), {1}),
    (TextQuery(required=("nut*",)), {1, 4}),
    (TextQuery(required=("*nut*",)), {1, 4}),
    (TextQuery(required=("*lnu*",)), {4}),
    (TextQuery(required=("pl*", "fig")), {3}),
    (TextQuery(either=(("*lnu*", "pl*"), ("fig",))), {3, 4}),
    (TextQuery(required=("none*",)), set()),
    (TextQuery(), set()),
    (TextQuery(("nowhere",)), set()),
]


@pytest.mark.parametrize(("query", "expected"), QUERIES)
def test_pieces_decide_what_matches(kernel, query, expected):
    """The same with everything in the base, everything new, and half of each with dead rows between."""
    dead = [chunk(row, "nut pear plum fig") for row in range(10, 20)]
    searchers = [
        TextSearcher.open(Segment.of(FRUIT)),
        TextSearcher.open(None, FRUIT),
        TextSearcher.open(Segment.of([*FRUIT[:2], *dead]), FRUIT[2:], [each.row for each in dead]),
    ]
    answers = [searcher.run(query, 10) for searcher in searchers]
    assert set(rows(answers[0])) == expected
    assert answers[0] == answers[1] == answers[2]
    assert {searcher.total(query) for searcher in searchers} == {len(expected)}


def test_required_terms_order_by_all_terms(kernel):
    searcher = TextSearcher.open(Segment.of(FRUIT))
    assert rows(searcher.run(TextQuery(("nut",), required=("pear",)), 10)) == [1, 2]


def test_prefixes_stand_for_the_most_frequent_live_terms(kernel):
    """They are chosen by what is alive: a term of dead chunks only must not push out a living one."""
    living = [chunk(row, f"pre{row % 64:03} pre{row % 64:03}x") for row in range(1, 129)]
    dead = [chunk(row, "predead") for row in range(1000, 1100)]
    fresh = TextSearcher.open(Segment.of(living))
    aged = TextSearcher.open(Segment.of([*living, *dead]), (), [each.row for each in dead])
    assert aged.run(TextQuery(required=("pre*",)), 200) == fresh.run(TextQuery(required=("pre*",)), 200) != []
    assert aged.vocabulary.expanded("pre*", 64) == fresh.vocabulary.expanded("pre*", 64)
    assert "predead" not in aged.vocabulary.expanded("pre*", 4096)


@pytest.mark.parametrize("common", [3, 4096])
@pytest.mark.parametrize("history", ["fresh", "newer", "dead", "both"])
def test_what_a_star_stands_for_is_what_counting_every_term_finds(history, common, monkeypatch):
    """Whether a segment is gone through, or its most frequent words are looked at first."""
    monkeypatch.setattr(vocabulary, "COMMON", common)
    chance = random.Random(7)
    words = ["".join(chance.choices("abcx", k=chance.randint(1, 4))) for _ in range(200)]
    texts = [" ".join(chance.choices(words, k=12)) for _ in range(120)]
    chunks = [chunk(row, text, names=(words[row],)) for row, text in enumerate(texts, 1)]
    dead = {each.row for each in chunks if history in ("dead", "both") and each.row % 5 == 0}
    begun = 80 if history in ("newer", "both") else len(chunks)
    searcher = TextSearcher.open(Segment.of(chunks[:begun]), chunks[begun:], sorted(dead))
    counts = Counter(term for each in chunks if each.row not in dead for term in document_terms(each)[0])
    for pattern in ("a*", "ab*", "*a*", "*b*", "*ab*", "*cab*", "*zz*", "**", f"{EXACT}a*", f"{EXACT}*b*"):
        before, _, part = pattern.removesuffix("*").partition("*")
        fits = [
            term
            for term in counts
            if (before or part)
            and term.startswith(before)
            and part in term[len(before) :]
            and (before or term >= "\x03")
        ]
        ordered = sorted(fits, key=lambda term: (-counts[term], term))
        for limit in (1, 2, 8, 500):
            assert searcher.vocabulary.expanded(pattern, limit) == tuple(ordered[:limit]), (pattern, limit)


def test_common_terms_are_left_out_only_where_documents_are_many(kernel):
    few = TextSearcher.open(Segment.of(FRUIT), bm25=Bm25(common_from=5))
    many = TextSearcher.open(Segment.of(FRUIT), bm25=Bm25(common_from=4))
    assert set(rows(few.search("nut pear", 10))) == {1, 2}
    assert set(rows(many.search("nut pear", 10))) == {1}  # two of five is more than a quarter
    assert set(rows(many.search("pear", 10))) == {1, 2}  # nothing rarer was asked
    assert set(rows(many.run(TextQuery(("nut",), required=("pear",)), 10))) == {1, 2}


def test_names_are_found_by_the_share_of_the_question_they_have(kernel):
    searcher = TextSearcher.open(
        Segment.of([
            chunk(1, "x", symbol="Parser.parseFile", names=("Parser.parseFile", "helper")),
            chunk(2, "x", symbol="parse"),
            chunk(3, "parse file helper"),
        ])
    )  # fmt: skip
    hits = searcher.field_search(NAME, ["pars", "fil"], 10)
    assert rows(hits) == [1, 2]  # what only mentions the words is not called so
    assert hits[0].score == pytest.approx(1.0)
    assert 0 < hits[1].score < 1
    assert rows(searcher.field_search(NAME, ["pars", "fil"], 1)) == [1]
    assert rows(searcher.field_search(NAME, ["pars", "fil"], 1, {Row(2)})) == [2]
    assert [(hit.row, hit.score) for hit in searcher.field_search(EXACT, ["parse"], 10)] == [(2, 1.0)]
    assert rows(searcher.field_search(EXACT, ["helper"], 10)) == [1]
    assert searcher.field_search(EXACT, ["pars"], 10) == searcher.field_search(NAME, [], 10) == []
    assert TextSearcher.open(None).field_search(NAME, ["pars"], 10) == []


def test_given_rows_get_the_scores_a_search_would_give(kernel):
    searcher = TextSearcher.open(Segment.of(FRUIT[:3]), FRUIT[3:], [Row(2)])
    found = {hit.row: hit.score for hit in searcher.search("plum fig nut", 10)}
    assert searcher.score_rows(TextQuery(("fig", "plum", "nut")), [Row(row) for row in range(9)]) == found
    assert searcher.score_rows(TextQuery(("fig", "plum", "nut")), [Row(4)]) == {4: found[4]}
    assert searcher.score_rows(TextQuery(), [Row(4)]) == {}
    assert TextSearcher.open(None).score_rows(TextQuery(("fig",)), [Row(4)]) == {}


def test_the_asked_terms_of_some_chunks_in_whatever_segment_they_lie(kernel):
    searcher = TextSearcher.open(Segment.of(FRUIT[:3]), FRUIT[3:])
    found = searcher.terms_of([Row(4), Row(1), Row(5), Row(777), Row(4)], {"nut": 0.5, "fig": 0.2, "kiwi": 0.3})
    assert found == {4: ["fig"], 1: ["nut"], 5: [], 777: []}
    assert TextSearcher.open(None).terms_of([Row(4)], ["fig"]) == {4: []}


def test_updates_add_replace_and_remove_and_twice_is_once(kernel):
    searcher = TextSearcher.open(Segment.of(FRUIT))
    updated = searcher.update_incremental([chunk(6, "kiwi")], [chunk(7, "nut kiwi")], [(Row(1), "c1"), (Row(4), "c4")])
    again = updated.update_incremental([chunk(6, "kiwi")], [chunk(7, "nut kiwi")], [(Row(1), "c1"), (Row(4), "c4")])
    assert again is updated
    assert rows(updated.search("nut", 10)) == [7]
    assert set(rows(updated.search("kiwi", 10))) == {6, 7}
    assert len(updated) == 5
    assert rows(searcher.search("nut", 10)) == [1]  # the old one still answers as of its moment
    assert searcher.update_incremental([], [], [(Row(777), "unknown")]) is searcher
    assert len(searcher.update_incremental([chunk(8, "a b")], [], [(Row(8), "c8")])) == 5


def test_many_updates_leave_few_segments(kernel):
    searcher = TextSearcher.open(Segment.of(FRUIT))
    for row in range(100, 300):
        searcher = searcher.update_incremental([chunk(row, f"word{row} common")], [], [(Row(row - 20), "")])
    assert len(searcher.lives) <= 8
    assert len(searcher) == 5 + 20
    rebuilt = TextSearcher.open(Segment.of([*FRUIT, *(chunk(row, f"word{row} common") for row in range(280, 300))]))
    assert searcher.search("common word299 nut", 100) == rebuilt.search("common word299 nut", 100)


def test_python_and_numpy_agree_to_the_last_bit(monkeypatch, tmp_path):
    """Thousands of documents, so that blocks, sparse matches and large ties are met."""
    chance = random.Random(7)
    words = [f"w{number}" for number in range(300)]
    weights = [1 / (place + 1) for place in range(300)]
    many = [chunk(row, " ".join(chance.choices(words, weights, k=chance.randrange(1, 60)))) for row in range(1, 3000)]
    write_segment(tmp_path / "1.seg", [Segment.of(many[:2500])], applied_seq=1)
    dead = [each.row for each in chance.sample(many, 200)]
    queries = [
        TextQuery(tuple(chance.sample(words, size)), required=tuple(chance.sample(words[:20], size % 2)), either=either)
        for size in range(1, 9)
        for either in ((), (("w1*", "w20"),))
    ]  # fmt: skip
    allowed = set(map(Row, range(1, 3000, 3)))
    answers = []
    for numpy in (False, True):
        monkeypatch.setattr(kernels, "has_numpy", lambda numpy=numpy: numpy)
        searcher = TextSearcher.open(Segment.open(tmp_path / "1.seg"), many[2500:], dead)
        answers.append([
            (searcher.run(query, limit, among), searcher.total(query, among), searcher.score_rows(query, range(1, 900)))
            for query in queries for limit in (1, 10, 500) for among in (None, allowed)
        ])  # fmt: skip
    assert answers[0] == answers[1]
    assert "numpy" in sys.modules
    assert sum(len(hits) for hits, _, _ in answers[0]) > 1000


def test_threads_share_one_searcher():
    searcher = TextSearcher.open(Segment.of(FRUIT))
    queries = [query for query, _ in QUERIES]
    expected = [(searcher.run(query, 10), searcher.total(query)) for query in queries]
    wrong = []

    def ask():
        for _ in range(50):
            wrong.extend(
                query
                for query, answer in zip(queries, expected, strict=True)
                if (searcher.run(query, 10), searcher.total(query)) != answer
            )

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
