"""What only the cache of vectors on PostgreSQL has to do: forget what no project uses, and survive damage in a table."""

from datetime import timedelta

import pytest

from parsed import parsed
from scova.stores.postgres import Connections, PostgresEmbeddings, PostgresStore, remove_project
from scova.stores.postgres.embeddings import _of_this_process

NOW = timedelta(0)


@pytest.fixture
def connections(postgres_url):
    made = Connections(postgres_url)
    yield made
    made.close()


@pytest.fixture
def store(postgres_url, connections):
    with PostgresStore.open(postgres_url, "shop", connections=connections) as made:
        yield made


@pytest.fixture
def cache(store, connections):
    return PostgresEmbeddings(connections)


def do(connections, sql, values=()):
    with connections.lent() as connection:
        return connection.execute(sql, values)


def keys_of(store):
    with store.reader() as reader:
        return {light.file_path: light.embed_key for light in reader.lights(reader.rows())}


def later(connections, days):
    do(connections, "UPDATE embeddings SET unused_since = unused_since - %s", (days,))


def test_vectors_that_no_chunk_of_any_project_uses_are_forgotten_after_a_while(postgres_url, connections, store, cache):
    other = PostgresStore.open(postgres_url, "bakery", connections=connections)
    store.put([parsed("a.py", "one"), parsed("b.py", "two")])
    other.put([parsed("c.py", "three")])
    keys = keys_of(store) | keys_of(other)
    cache.put("model", {**dict.fromkeys(keys.values(), b"12345678"), b"never": b"12345678"})
    cache.put("second", {keys["a.py"]: b"1234"})
    assert cache.forget_unused() == 0
    store.put([], removed=["b.py"])
    remove_project(connections, "bakery")
    later(connections, 29)
    assert cache.forget_unused() == 0, "all of them were used lately"
    later(connections, 1)
    assert cache.forget_unused() == 1 and cache.get("model", [b"never"]) == {}
    later(connections, 30)
    assert cache.forget_unused() == 2
    assert cache.counts() == {"model": 1, "second": 1}
    assert cache.get("model", keys.values()) == {keys["a.py"]: b"12345678"}


def test_a_vector_that_someone_wants_again_is_kept(connections, store, cache):
    """Who looked it up may be about to commit the chunk."""
    store.put([parsed("a.py", "one")])
    mine = keys_of(store)["a.py"]
    cache.put("model", {b"looked up": b"1234", mine: b"1234", b"gone": b"1234"})
    cache.forget_unused()
    do(connections, "UPDATE embeddings SET unused_since = current_date WHERE key = %b", (mine,))
    later(connections, 40)
    assert len(cache.get("model", [b"looked up"])) == 1
    assert cache.forget_unused() == 1
    assert cache.get("model", [b"looked up", mine, b"gone"]).keys() == {b"looked up", mine}


def test_a_vector_is_not_forgotten_while_it_is_written(connections, cache):
    cache.put("model", {b"a": b"1234", b"b": b"1234"})
    with connections.lent() as writer, writer.transaction():
        writer.execute("SELECT 1 FROM embeddings WHERE key = 'a' FOR UPDATE")
        assert cache.forget_unused(NOW) == 1, "and nobody waits"
    assert cache.forget_unused(NOW) == 1 and cache.counts() == {"model": 0}


def test_a_damaged_vector_counts_as_unknown_and_is_replaced(connections, cache):
    cache.put("model", {b"a": b"1234", b"b": b"1234", b"c": b"1234"})
    do(connections, "UPDATE embeddings SET vector = set_byte(vector, 1, 0) WHERE key = 'a'")
    do(connections, "UPDATE embeddings SET vector = '' WHERE key = 'b'")
    assert cache.get("model", [b"a", b"b", b"c"]) == {b"c": b"1234"}
    cache.put("model", {b"a": b"1234", b"b": b"1234"})
    assert cache.get("model", [b"a", b"b", b"c"]) == dict.fromkeys([b"a", b"b", b"c"], b"1234")


def test_a_worker_has_one_connection_for_all_it_does_and_its_opener_shows_no_password(connections, cache):
    opener = cache.opener()
    count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scova' AND datname = current_database()"
    before = do(connections, count).fetchone()[0]
    try:
        for _ in range(5):
            with opener() as mine:
                assert mine.get("model", [b"a"]) == {}
        assert do(connections, count).fetchone()[0] == before + 1
    finally:
        _of_this_process(opener.url).close()
        _of_this_process.cache_clear()
    assert opener.url not in repr(opener)


def test_looking_up_goes_by_the_index(connections, cache):
    from scova.stores.postgres import embeddings

    cache.put("model", {n.to_bytes(32, "big"): b"1234" for n in range(3000)})
    do(connections, "ANALYZE embeddings")
    plan = do(connections, f"EXPLAIN {embeddings._GET}", ("model", [b"a", b"b"])).fetchall()
    assert "embeddings_pkey" in str(plan) and "Seq Scan on embeddings " not in str(plan)
