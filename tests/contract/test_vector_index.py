"""What every vector index beside a store does: the same as an exact comparison, for one tenant, and healed after any crash."""

import math
import random
import re
from typing import Union
from uuid import NAMESPACE_URL, uuid4, uuid5

import pytest
from pydantic import TypeAdapter

from scova.errors import DerivedDamaged, IndexState, UsageError, VectorsAway
from scova.protocols.vectors import Near, Point, Worded
from scova.stores.vectors import open_vectors
from scova.types import ChunkType, Filters, Light, Row
from vector_indexes import KINDS, indexes

WIDTH = 16


@pytest.fixture(params=KINDS)
def opening(request):
    with indexes(request.param, request) as made:
        yield made


@pytest.fixture
def index(opening):
    return opening()


def vector(number, width=WIDTH):
    chance = random.Random(number)
    return bytes(chance.randrange(256) for _ in range(width))


def point(row, width=WIDTH):
    language, kind = ("python", "go", "rust")[row % 3], ("function", "")[row % 2]
    tags = ("test",) if row % 5 == 0 else ("doc", "naïve \0 tag") if row % 7 == 0 else ()
    light = Light(Row(row), f"{row}.py", list(ChunkType)[row % 4], language, "", kind, 1, 2, tags, (), b"")
    return Point(Row(row), vector(row, width), light)


def points(*rows):
    return [point(row) for row in rows]


def cosine(one, other):
    a, b = memoryview(one).cast("b"), memoryview(other).cast("b")
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


def nearest_of(rows, asked, count):
    return sorted(rows, key=lambda row: -cosine(vector(row), asked))[:count]


def test_nothing_is_there_before_anything_was_applied(index):
    assert (index.applied_seq(), index.count(), list(index.rows())) == (0, 0, [])
    assert index.nearest(vector(1), 5) == index.vectors([Row(1)]) == ({}, 0)
    index.drop()


def test_the_nearest_are_those_of_an_exact_comparison_and_vectors_come_back_as_they_were_put(index):
    index.apply(points(*range(1, 700)), [], upto=3)
    assert (index.applied_seq(), index.count(), sorted(index.rows())) == (3, 699, list(range(1, 700)))
    for asked in map(vector, range(9000, 9020)):
        found = index.nearest(asked, 40)
        assert found.reflects == 3
        # An engine may compare with less precision: whoever asks for twice as many has all of the nearest among them.
        assert len(found.vectors) == 40 and set(nearest_of(range(1, 700), asked, 20)) <= set(found.vectors)
        assert all(found.vectors[row] == vector(row) for row in found.vectors)
    assert index.vectors([Row(5), Row(8000), Row(699)]) == ({5: vector(5), 699: vector(699)}, 3)


def test_filters_are_applied_before_the_nearest_are_chosen(index):
    index.apply(points(*range(1, 400)), [], upto=1)
    asked = vector(5000)
    for filters, passes in [
        (Filters(languages=("go",)), lambda row: row % 3 == 1),
        (Filters(languages=("go", "rust")), lambda row: row % 3 > 0),
        (Filters(kinds=("function",)), lambda row: row % 2 == 0),
        (Filters(chunk_types=(ChunkType.DATA, ChunkType.SYMBOLS)), lambda row: row % 4 in (0, 2)),
        (Filters(tags=("test", "other")), lambda row: row % 5 == 0),
        (Filters(tags=("naïve \0 tag",)), lambda row: row % 7 == 0 and row % 5),
        (Filters(languages=("go",), tags=("test",)), lambda row: row % 3 == 1 and row % 5 == 0),
        (Filters(languages=("perl",)), lambda row: False),
        (Filters(paths=("src/**",)), lambda row: True),
    ]:  # fmt: skip
        passing = [row for row in range(1, 400) if passes(row)]
        found = set(index.nearest(asked, 30, filters=filters).vectors)
        assert set(nearest_of(passing, asked, 15)) <= found <= set(passing), filters
        assert len(found) == min(30, len(passing))
    some = [Row(row) for row in range(100, 300, 7)]
    assert list(index.nearest(asked, 10, among=[*some, Row(9999)]).vectors) == nearest_of(some, asked, 10)
    assert index.nearest(asked, 10, among=[]).vectors == {}


def test_applying_twice_is_applying_once(index, opening):
    for _ in range(2):
        index.apply(points(1, 2, 3), [], upto=1)
    for _ in range(2):
        index.apply(points(4, 3), [Row(1), Row(77)], upto=2)
    other = opening()
    assert (other.applied_seq(), other.count(), sorted(other.rows())) == (2, 3, [2, 3, 4])
    other.apply([], [], upto=7)
    assert (index.applied_seq(), index.count()) == (7, 3)


class Killed(Exception):
    """As if the process had died here."""


def dying(some):
    yield from some
    raise Killed


class Deadly(list):
    """Rows that kill whoever looks at them."""

    def __iter__(self):
        raise Killed


def test_who_dies_while_points_are_written_leaves_the_old_change_and_the_next_one_mends_it(index, opening):
    index.apply(points(1, 2), [], upto=1)
    with pytest.raises(Killed):
        index.apply(dying(points(*range(3, 1200))), [Row(1)], upto=5)
    after = opening()
    assert after.applied_seq() == 1 and {1, 2} <= set(after.rows())
    after.apply(points(*range(2, 1200)), [Row(1)], upto=6)
    assert (after.applied_seq(), sorted(after.rows())) == (6, list(range(2, 1200)))


def test_who_dies_while_dead_rows_go_leaves_a_change_that_can_be_applied_again(index, opening):
    index.apply(points(1, 2), [], upto=1)
    with pytest.raises(Killed):
        index.apply(points(3), Deadly([Row(1)]), upto=2)
    after = opening()
    held = set(after.rows())
    assert (after.applied_seq(), held) in [(1, {1, 2}), (2, {1, 2, 3})], "all that is alive at the change is there"
    after.apply(points(3), [Row(1)], upto=2)
    assert (after.applied_seq(), set(after.rows())) == (2, {2, 3})


def test_stores_and_models_do_not_see_each_other(opening):
    ours, theirs, other_model = opening("ours"), opening("theirs"), opening("ours", model="other")
    ours.apply(points(1, 2, 3), [], upto=4)
    theirs.apply(points(2, 5), [], upto=9)
    other_model.apply(points(7), [], upto=1)
    assert [sorted(each.rows()) for each in (ours, theirs, other_model)] == [[1, 2, 3], [2, 5], [7]]
    assert set(ours.nearest(vector(5), 10).vectors) == {1, 2, 3}
    assert theirs.vectors([Row(1), Row(2)]).vectors == {2: vector(2)}
    assert theirs.nearest(vector(5), 10, among=[Row(1), Row(2)]).vectors == {2: vector(2)}
    theirs.apply([], [Row(2)], upto=10)
    ours.drop()
    assert (ours.applied_seq(), ours.count(), list(ours.rows())) == (0, 0, [])
    assert (theirs.applied_seq(), theirs.count(), other_model.count()) == (10, 1, 1)


def test_who_has_an_index_open_that_is_dropped_sees_that_it_reflects_nothing(index, opening):
    index.apply(points(1, 2, 3), [], upto=4)
    reader = opening()
    assert reader.nearest(vector(1), 3).reflects == 4
    index.drop()
    assert reader.nearest(vector(1), 3) == reader.vectors([Row(1)]) == ({}, 0)
    index.apply(points(1), [], upto=5)
    assert reader.nearest(vector(1), 3).reflects in (0, 5)  # what was dropped is not what was opened
    assert reader.nearest(vector(1), 3) == ({1: vector(1)}, 5)


@pytest.mark.parametrize("kind", KINDS)
def test_what_other_models_made_of_a_store_goes_with_it_and_nothing_else_does(kind, request):
    """Of vectors in memory nobody else's are there."""
    with indexes(kind, request) as opening:
        mine, earlier = opening(), opening(model="earlier", width=8)
        others = opening(store_id="another")
        mine.apply(points(1, 2), [], upto=4)
        others.apply(points(1), [], upto=2)
        if kind != "memory":
            earlier.apply([point._replace(vector=point.vector[:8]) for point in points(3)], [], upto=3)
        mine.drop_all()
        for one in (opening(), opening(model="earlier", width=8), mine):
            assert (one.applied_seq(), one.count(), [*one.rows()]) == (0, 0, [])
        assert (others.applied_seq(), others.count()) == (2, 1)


def test_an_older_change_is_refused(index):
    index.apply(points(1), [], upto=4)
    with pytest.raises(DerivedDamaged, match="newer change"):
        index.apply(points(2), [], upto=3)
    assert index.applied_seq() == 4


def test_a_vector_of_another_width_is_refused(index):
    with pytest.raises(ValueError, match="16 components"):
        index.apply([point(1, width=8)], [], upto=1)
    assert index.applied_seq() == 0


def test_the_zero_vector_and_the_outermost_values_are_kept(index):
    extremes = [point(1)._replace(vector=bytes(WIDTH)), point(2)._replace(vector=b"\x80\x7f" * 8)]
    index.apply(extremes, [], upto=1)
    assert index.vectors([Row(1), Row(2)]).vectors == {1: bytes(WIDTH), 2: b"\x80\x7f" * 8}
    assert next(iter(index.nearest(b"\x80\x7f" * 8, 2).vectors)) == 2


def test_a_graph_finds_the_same_and_filters_leave_enough(request):
    """pgvector alone builds one while somebody watches: with filters, it goes on looking until there are as many as were asked for."""
    with indexes("pgvector", request) as opening:
        index = opening()
        index.graph_from = 1000
        index.apply(points(*range(1, 3000)), [], upto=1)
        sql = "SELECT count(*) FROM pg_indexes WHERE position('hnsw' in indexdef) > 0"
        assert index._all(sql) == [(1,)]
        found = wanted = 0
        for asked in map(vector, range(9000, 9030)):
            expected = nearest_of(range(1, 3000), asked, 20)
            found += len(set(expected) & set(list(index.nearest(asked, 40).vectors)[:20]))
            wanted += 20
            assert len(index.nearest(asked, 40, filters=Filters(tags=("test",), languages=("go",))).vectors) == 40
        assert found / wanted > 0.97
        index.drop()
        assert index._all(sql) == [(0,)]


def test_what_is_in_qdrant_is_what_its_official_client_reads(request):
    client_room = pytest.importorskip("qdrant_client")
    with indexes("qdrant", request) as opening:
        index = opening()
        index.apply(points(*range(1, 60)), [], upto=8)
        opening("another").apply(points(*range(1, 60)), [], upto=1)
        client = client_room.QdrantClient(url=opening.url, check_compatibility=False)
        try:
            models = client_room.models
            mine = models.FieldCondition(key="store_id", match=models.MatchValue(value=index.store_id))
            go = models.FieldCondition(key="language", match=models.MatchAny(any=["go"]))
            asked = [float(value) for value in memoryview(vector(7000)).cast("b")]
            found = client.query_points(
                index.collection, query=asked, using="dense", limit=10, query_filter={"must": [mine, go]}
            ).points
            assert [one.payload["row"] for one in found] == nearest_of(range(1, 60, 3), vector(7000), 10)
            space = uuid5(NAMESPACE_URL, f"scova:{index.store_id}")
            assert [one.id for one in found] == [str(uuid5(space, str(one.payload["row"]))) for one in found]
            assert found[0].score == pytest.approx(cosine(vector(found[0].payload["row"]), vector(7000)), abs=1e-3)
            filters = models.Filter(must=[mine])
            assert client.count(index.collection, count_filter=filters, exact=True).count == 59
            records, _ = client.scroll(index.collection, scroll_filter=filters, limit=100)
            assert sorted(record.payload["row"] for record in records) == list(range(1, 60))
            schema = client.get_collection(index.collection).payload_schema
            assert set(schema) == {"store_id", "language", "chunk_type", "kind", "tags"}
            assert schema["store_id"].params.is_tenant
        finally:
            client.close()


def test_whatever_is_sent_to_qdrant_is_what_its_official_models_accept(request, monkeypatch):
    """Of the interface as Qdrant describes it, field by field: the process that the tests run against is more forgiving."""
    models = pytest.importorskip("qdrant_client").models
    from scova.stores.vectors.qdrant.wire import Wire

    accepted = [
        ("PUT", r"/collections/[^/]+", models.CreateCollection),
        ("PUT", r"/collections/[^/]+/index", models.CreateFieldIndex),
        ("PUT", r"/collections/[^/]+/points", models.PointsList),
        ("POST", r"/collections/[^/]+/points", models.PointRequest),
        ("POST", r"/collections/[^/]+/points/query", models.QueryRequest),
        ("POST", r"/collections/[^/]+/points/query/batch", models.QueryRequestBatch),
        ("POST", r"/collections/[^/]+/points/scroll", models.ScrollRequest),
        ("POST", r"/collections/[^/]+/points/count", models.CountRequest),
        ("POST", r"/collections/[^/]+/points/delete", (models.PointIdsList, models.FilterSelector)),
    ]
    seen, call = [], Wire._called

    def checked(self, method, path, body, patience):
        for known, pattern, model in accepted:
            if body is not None and method == known and re.fullmatch(pattern, path.partition("?")[0]):
                kinds = model if isinstance(model, tuple) else (model,)
                TypeAdapter(Union[kinds]).validate_python(body)  # noqa: UP007 - made of a tuple
                seen.append(pattern)
                break
        else:
            assert body is None and method == "GET"
        return call(self, method, path, body, patience)

    monkeypatch.setattr(Wire, "_called", checked)
    with indexes("qdrant", request) as opening:
        index = opening()
        index.apply([each._replace(words={"lock": 1.5}) for each in points(*range(1, 50))], [Row(7)], upto=1)
        filters = Filters(languages=("go",), tags=("test",), kinds=("function",), chunk_types=(ChunkType.DATA,))
        index.nearest(vector(1), 5, filters=filters)
        index.nearest(vector(1), 5, among=[Row(1)])
        worded = [Worded(("lock", "key"), 5, filters), Worded(("lock",), 5, among=[Row(1)])]
        assert index.words.ask(worded, Near(vector(1), 5, filters)).by_words[1]
        assert index.vectors([Row(1)]).vectors and list(index.rows()) and index.count()
        index.drop()
    assert {pattern for _, pattern, _ in accepted} == set(seen)


def test_a_collection_that_was_lost_in_qdrant_is_an_index_that_reflects_nothing_and_comes_back(request):
    with indexes("qdrant", request) as opening:
        index = opening()
        index.apply(points(1, 2), [], upto=8)
        index._wire.write("DELETE", f"/collections/{index.collection}")
        assert (index.applied_seq(), index.count(), list(index.rows()), index.nearest(vector(1), 3)) == (
            0,
            0,
            [],
            ({}, 0),
        )
        index.apply(points(1, 2), [], upto=8)
        assert index.nearest(vector(1), 3).reflects == 8 and index.count() == 2


def test_a_qdrant_that_is_away_says_so_at_once_the_second_time_and_is_used_again_when_it_is_back(tmp_path):
    pytest.importorskip("qdrant_edge")
    from qdrant_server import Server

    server = Server(tmp_path)
    server.start()
    try:
        index = open_vectors(server.url, store_id="s", model="m", width=WIDTH)
        index.apply(points(1, 2, 3), [], upto=4)
        server.stop()
        for _ in range(3):
            with pytest.raises(VectorsAway, match="does not answer"):
                index.nearest(vector(1), 2)
        server.start()  # at the same port, with what was acknowledged
        index.apply(points(4), [Row(1)], upto=5)
        assert (set(index.nearest(vector(1), 9).vectors), index.applied_seq()) == ({2, 3, 4}, 5)
        index.close()
    finally:
        server.stop()


def test_a_key_is_sent_and_shown_to_nobody(tmp_path):
    pytest.importorskip("qdrant_edge")
    from qdrant_server import Server

    server = Server(tmp_path, "sesame")
    server.start()
    try:
        for key, said in [("", "wants a key"), ("wrong-key", "refuses the key")]:
            address = server.url.replace("http://", f"http://:{key}@") if key else server.url
            with pytest.raises(VectorsAway, match=said) as caught:
                open_vectors(address, store_id="s", model="m", width=WIDTH).applied_seq()
            assert "wrong-key" not in f"{caught.value.message} {caught.value.hint}"
        address = server.url.replace("http://", "http://:sesame@")
        assert open_vectors(address, store_id="s", model="m", width=WIDTH).applied_seq() == 0
    finally:
        server.stop()


@pytest.mark.parametrize("url", ["redis://here", "pgvector:", "http://", "http://host:port", "nothing"])
def test_an_address_that_means_nothing_is_refused_with_a_hint(url):
    with pytest.raises(UsageError) as caught:
        open_vectors(url, store_id="s", model="m", width=WIDTH)
    assert caught.value.hint


def test_a_database_without_pgvector_says_what_to_do(postgres_url, monkeypatch):
    from scova.stores.vectors import pgvector

    monkeypatch.setattr(pgvector, "_OFFERED", "SELECT 1 WHERE false")
    with pytest.raises(IndexState, match="does not have the extension") as caught:
        open_vectors(f"pgvector:{postgres_url}", store_id="s", model="m", width=WIDTH)
    assert "CREATE EXTENSION vector" in caught.value.hint


def test_a_role_that_may_not_install_pgvector_is_told_who_may(postgres_url):
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP EXTENSION IF EXISTS vector")
        role = f"r{uuid4().hex}"
        connection.execute(f"CREATE ROLE {role} LOGIN")
    try:
        with pytest.raises(IndexState, match="pgvector") as caught:
            _as_role(postgres_url, role)
        assert "CREATE EXTENSION vector" in caught.value.hint
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


def _as_role(url, role):
    from psycopg.conninfo import make_conninfo

    return open_vectors(f"pgvector:{make_conninfo(url, user=role)}", store_id="s", model="m", width=WIDTH)
