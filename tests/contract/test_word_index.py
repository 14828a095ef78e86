"""What every vector index does that holds words too: BM25 with the statistics of one tenant, together with the vectors, and gone with them."""

import math
import random
import threading
from collections import Counter

import pytest

from scova.protocols.vectors import Near, Point, Worded
from scova.record import replace
from scova.search.searchers.deltas import Live
from scova.search.searchers.text import Bm25, TextQuery, TextSearcher
from scova.search.searchers.vocabulary import Vocabulary
from scova.stores.invert import EXACT
from scova.stores.postings import Segment
from scova.stores.vectors import words as words_room
from scova.stores.vectors.qdrant.points import Points
from scova.stores.vectors.words import AVERAGE_LENGTH, weighed
from scova.types import Chunk, ChunkType, Filters, Light, Row
from until import until
from vector_indexes import indexes

WIDTH = 16
WORDS = ["lock", "key", "door", "naïve", "\x02=open_door", "parsehttpconfig", "設定", *map(str, range(60))]


@pytest.fixture(params=["memory", "qdrant"])
def opening(request):
    with indexes(request.param, request) as made:
        yield made


@pytest.fixture
def index(opening):
    return opening()


def words_of(row):
    chance = random.Random(row)
    return {word: round(chance.uniform(0.2, 2.0), 4) for word in WORDS if chance.random() < 0.2}


def point(row, words=None):
    chance = random.Random(row)
    language, kind = ("python", "go", "rust")[row % 3], ("function", "")[row % 2]
    tags = ("test",) if row % 5 == 0 else ()
    light = Light(Row(row), f"{row}.py", list(ChunkType)[row % 4], language, "", kind, 1, 2, tags, (), b"")
    vector = bytes(chance.randrange(256) for _ in range(WIDTH))
    return Point(Row(row), vector, light, words_of(row) if words is None else words)


def expected(rows, terms, among=None):
    """BM25 as it should be: `rows` are all that the tenant has."""
    frequencies = Counter(term for row in rows for term in words_of(row))
    rarity = {
        term: math.log(1 + (len(rows) - frequencies[term] + 0.5) / (frequencies[term] + 0.5)) for term in set(terms)
    }
    scores = {
        row: sum(weight * rarity[term] for term, weight in words_of(row).items() if term in rarity)
        for row in (rows if among is None else among)
    }
    return dict(sorted(((row, score) for row, score in scores.items() if score), key=lambda item: -item[1]))


def is_like(found, wanted, limit):
    """The same scores in the same order; equals may change places."""
    best = [*wanted.values()][:limit]
    assert list(found.values()) == pytest.approx(best, rel=1e-4)
    assert found == pytest.approx({row: wanted[row] for row in found}, rel=1e-4)
    return True


def test_nothing_is_found_before_anything_was_applied_and_by_no_word_at_all(index):
    assert index.words.ask([Worded(("lock",), 5), Worded((), 5)]) == ([{}, {}], {}, 0)
    assert index.words.ask([]) == ([], {}, 0)
    index.apply([point(1), point(2)], [], upto=1)
    assert index.words.ask([Worded((), 5), Worded(("nowhere",), 5), Worded(("lock",), 0)]) == ([{}, {}, {}], {}, 1)


def test_several_questions_in_words_and_one_for_a_vector_are_answered_at_once(index):
    rows = range(1, 700)
    index.apply(map(point, rows), [], upto=3)
    asked = [("lock", "key"), ("door",), ("設定", "naïve", "nowhere"), ("\x02=open_door",), tuple(WORDS)]
    near = Near(point(5).vector, 4)
    heard = index.words.ask([Worded(terms, 40) for terms in asked], near)
    assert heard.reflects == 3
    for terms, found in zip(asked, heard.by_words, strict=True):
        assert is_like(found, expected(rows, terms), 40), terms
    assert heard.nearest == index.nearest(near.vector, near.limit).vectors and heard.nearest[5] == near.vector


def test_filters_and_named_rows_restrict_what_is_found_and_not_how_rare_a_word_is(index):
    rows = range(1, 400)
    index.apply(map(point, rows), [], upto=1)
    terms = ("lock", "key", "7")
    for filters, passes in [
        (Filters(languages=("go",)), lambda row: row % 3 == 1),
        (Filters(kinds=("function",), tags=("test",)), lambda row: row % 2 == 0 and row % 5 == 0),
        (Filters(chunk_types=(ChunkType.DATA, ChunkType.SYMBOLS)), lambda row: row % 4 in (0, 2)),
        (Filters(languages=("perl",)), lambda row: False),
    ]:
        (found,) = index.words.ask([Worded(terms, 30, filters)]).by_words
        passing = [row for row in rows if passes(row)]
        assert is_like(found, expected(rows, terms, passing), 30), filters
    some = list(range(100, 300, 7))
    found, none = index.words.ask([Worded(terms, 30, among=[*some, 9999]), Worded(terms, 30, among=[])]).by_words
    assert is_like(found, expected(rows, terms, some), 30) and none == {}


def test_what_others_hold_is_not_found_and_does_not_change_what_a_word_weighs(opening):
    ours, theirs = opening("ours"), opening("theirs")
    rows = range(1, 200)
    ours.apply(map(point, rows), [], upto=4)
    (before,) = ours.words.ask([Worded(("lock", "key"), 20)]).by_words
    theirs.apply([point(row, {"lock": 9.0, "only-theirs": 1.0}) for row in range(150, 900)], [], upto=9)
    heard = ours.words.ask([Worded(("lock", "key"), 20), Worded(("only-theirs",), 20)])
    assert heard.by_words[0] == pytest.approx(before, rel=1e-5) and heard.by_words[1] == {} and heard.reflects == 4
    (found,) = theirs.words.ask([Worded(("only-theirs", "key"), 5)]).by_words
    assert len(found) == 5 and set(found) <= set(range(150, 900))


def test_words_come_and_go_with_their_points_and_the_change_says_so(index, opening):
    index.apply([point(row) for row in range(1, 60)], [], upto=1)
    reader = opening()
    index.apply([point(row) for row in range(60, 90)], [Row(row) for row in range(1, 30)], upto=2)
    heard = reader.words.ask([Worded(tuple(WORDS), 200)])
    assert (set(heard.by_words[0]), heard.reflects) == (set(reader.rows()), 2) == (set(range(30, 90)), 2)
    assert is_like(heard.by_words[0], expected(range(30, 90), WORDS), 200), "the dead do not count as having a word"
    index.drop()
    assert reader.words.ask([Worded(("lock",), 5)], Near(point(1).vector, 3)) == ([{}], {}, 0)


def test_who_hears_of_no_newer_change_has_found_all_there_was(index, opening):
    """At change n only row 1000 + n is alive beside the others: by words and by its vector it is found, or the change is another one."""
    index.apply([point(row) for row in range(1, 300)], [], upto=1)
    index.apply([point(1002, {"moving": 1.0})], [], upto=2)
    reader, done, heard = opening(), threading.Event(), []
    vector = point(1).vector

    def ask():
        while not done.is_set():
            before = reader.applied_seq()
            heard.append((before, reader.words.ask([Worded(("moving",), 50)], Near(vector, 1000))))

    asking = threading.Thread(target=ask)
    asking.start()
    for change in range(3, 60):
        seen = len(heard)
        index.apply([point(1000 + change, {"moving": 1.0})], [Row(999 + change)], upto=change)
        until(lambda: len(heard) > seen, "an answer")  # noqa: B023 - it has been called before the next
    until(lambda: heard and heard[-1][0] == heard[-1][1].reflects == 59, "an answer of the last change")
    done.set()
    asking.join()
    of_one = [each for before, each in heard if before == each.reflects]
    assert all(1000 + each.reflects in each.by_words[0] and 1000 + each.reflects in each.nearest for each in of_one)


class Killed(Exception):
    """As if the process had died here."""


def test_who_dies_between_the_steps_leaves_words_and_vectors_together(index, opening):
    def dying():
        yield from (point(row) for row in range(3, 1200))
        raise Killed

    index.apply([point(1), point(2)], [], upto=1)
    with pytest.raises(Killed):
        index.apply(dying(), [Row(1)], upto=5)
    after = opening()
    heard = after.words.ask([Worded(tuple(WORDS), 2000)])
    assert heard.reflects == 1 and set(heard.by_words[0]) == set(after.rows()) >= {1, 2}
    after.apply(map(point, range(2, 1200)), [Row(1)], upto=6)
    heard = after.words.ask([Worded(tuple(WORDS), 2000)])
    assert (set(heard.by_words[0]), heard.reflects) == (set(range(2, 1200)), 6)


def test_a_point_without_words_is_found_by_its_vector_alone(index):
    index.apply([point(1, {}), point(2, {"lock": 1.0})], [], upto=1)
    heard = index.words.ask([Worded(("lock",), 5)], Near(point(1).vector, 5))
    assert set(heard.by_words[0]) == {2} and set(heard.nearest) == {1, 2}


def test_a_lone_surrogate_in_a_name_is_a_word_like_any_other(index):
    index.apply([point(1, {"\x02=\udc80": 1.0})], [], upto=1)
    assert set(index.words.ask([Worded(("\x02=\udc80",), 5)]).by_words[0]) == {1}


def chunk(row, text, symbol=""):
    kind = ChunkType.DEFINITIONS if symbol else ChunkType.DATA
    made = Chunk(f"c{row}", "", text, kind, f"{row}.py", 1, 1, "python", "", symbol, names=(symbol,) if symbol else ())
    return replace(made, row=Row(row))


def test_weights_are_those_of_the_text_index_but_for_the_average_length(index):
    assert Bm25(words_room.K1, words_room.B) == Bm25()
    texts = [
        "def parse_config(path): return open(path)",
        "parsing of configs",
        "locks and keys",
        "open the door, open it",
    ]
    named = {1: "parse_config"}
    chunks = [chunk(row, text * (1 + row % 3), named.get(row, "")) for row, text in enumerate(texts * 9, 1)]
    index.apply([point(one.row, weighed(one)) for one in chunks], [], upto=1)
    lives = (Live(Segment.of(chunks)),)
    exact = TextSearcher(lives, Vocabulary(lives, len(chunks), AVERAGE_LENGTH), Bm25())
    for question in ("parse config", "open door", "parsed", "keys it path"):
        asked = TextQuery.any_of(question)
        (found,) = index.words.ask([Worded(asked.terms, 100)]).by_words
        assert found == pytest.approx({hit.row: hit.score for hit in exact.run(asked, 100)}, rel=1e-3), question
    (found,) = index.words.ask([Worded((EXACT + "parse_config",), 100)]).by_words
    assert set(found) == {1}


def test_the_numbers_of_terms_stay_the_same_for_ever_and_are_not_those_of_another_store():
    """What was written is asked for by whoever comes later; and an older Qdrant counts a term's chunks over all tenants."""
    ours = Points("ours", WIDTH).sparse({"lock": 1.5, "naïve": 1.0, "\x02=open": 0.5})
    assert ours == {"indices": [2364203061, 778751375, 3689573582], "values": [1.5, 1.0, 0.5]}
    theirs = Points("theirs", WIDTH).sparse({word: 1.0 for word in WORDS})
    assert not set(theirs["indices"]) & set(Points("ours", WIDTH).sparse({word: 1.0 for word in WORDS})["indices"])


def test_the_official_client_reads_the_sparse_vector_and_what_scova_wrote_before_there_was_one_is_gone(request):
    client_room = pytest.importorskip("qdrant_client")
    with indexes("qdrant", request) as opening:
        index, other = opening(), opening("another")
        client = client_room.QdrantClient(url=opening.url, check_compatibility=False)
        models = client_room.models
        earlier = index.collection.removesuffix("_v2")
        try:
            old = models.VectorParams(size=WIDTH, distance=models.Distance.COSINE)
            client.create_collection(earlier, vectors_config=old)
            for each in (index, other):
                mine = {"store_id": each.store_id, "row": 1, "code": ""}
                client.upsert(
                    earlier, [models.PointStruct(id=each._points.id(Row(1)), vector=[1.0] * WIDTH, payload=mine)]
                )
            index.apply([point(1, {"lock": 1.5, "key": 0.25})], [], upto=1)
            left, _ = client.scroll(earlier)
            assert [one.payload["store_id"] for one in left] == [other.store_id]
            (kept,) = client.retrieve(index.collection, [index._points.id(Row(1))], with_vectors=True)
            assert sorted(kept.vector["text"].values) == [0.25, 1.5] and len(kept.vector["dense"]) == WIDTH
        finally:
            client.delete_collection(earlier)
            client.close()
