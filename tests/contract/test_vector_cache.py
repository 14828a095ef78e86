"""What every cache of vectors does. Run on each implementation."""

import multiprocessing
import pickle
import threading

import pytest

from scova.errors import EmbedderError
from scova.stores.embeddings import EmbeddingCache
from scova.stores.postgres import Connections, PostgresEmbeddings, migrate


def key(n):
    return (n * 7919 % 65521).to_bytes(2, "big") + n.to_bytes(30, "big")  # not in the order of the numbers


def vectors(numbers, width=8):
    return {key(n): bytes((n + i) % 256 for i in range(width)) for n in numbers}


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request, tmp_path):
    """Opens the cache once more, as another process would."""
    made = []

    def in_file():
        made.append(EmbeddingCache(tmp_path / "embeddings.db"))
        return made[-1]

    def in_database():
        made.append(Connections(url))
        return PostgresEmbeddings(made[-1])

    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    if url:
        made.append(Connections(url))
        migrate(made[0])
    yield in_database if url else in_file
    for one in made:
        one.close()


@pytest.fixture
def cache(opened):
    return opened()


def test_what_one_process_puts_another_gets_by_model_and_key(cache, opened):
    cache.put("a", vectors(range(12_000)))
    cache.put("b", vectors([7], width=4))
    cache.put("b", {})
    other = opened()
    assert other.get("a", [key(n) for n in range(11_990, 12_010)]) == vectors(range(11_990, 12_000))
    assert other.get("a", {key(n) for n in range(12_000)}) == vectors(range(12_000))
    assert other.get("b", [key(7), key(8), key(7)]) == vectors([7], width=4)
    assert other.get("c", [key(7)]) == {} == other.get("a", [])
    assert other.counts() == {"a": 12_000, "b": 1}


def test_any_bytes_are_kept(cache):
    odd = {bytes(range(32)): bytes(range(256)), b"\0" * 32: (b"\\x00'\"" * 64)[:256], b"'": b"\0" * 256}
    cache.put("a\0 ü", odd)
    assert cache.get("a\0 ü", [*odd]) == odd and cache.counts() == {"a\0 ü": 3}


def test_vectors_of_another_width_are_refused_whole(cache, opened):
    cache.put("a", vectors([1]))
    for wrong in (vectors([2], width=9), {**vectors([3]), **vectors([4], width=9)}):
        with pytest.raises(EmbedderError, match="8 wide"):
            opened().put("a", wrong)
    with pytest.raises(EmbedderError):
        cache.put("new", {**vectors([3]), **vectors([4], width=9)})
    assert cache.counts() == {"a": 1}


def test_putting_again_changes_nothing(cache):
    cache.put("a", vectors([1, 2]))
    cache.put("a", vectors([2, 3]))
    assert cache.counts() == {"a": 3} and cache.get("a", [key(2)]) == vectors([2])


def test_many_may_put_the_same_at_once(opened):
    failures, begin = [], threading.Barrier(5)

    def put(n):
        cache = opened()
        begin.wait()
        try:
            for start in range(0, 1000, 100):
                some = vectors(range(start, start + 150))
                cache.put("a", dict(reversed(some.items()) if n % 2 else some.items()))
                assert cache.get("a", some) == some
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=put, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and opened().counts() == {"a": 1050}


def _look(opener, line):
    found = []
    for _ in range(3):
        with opener() as cache:
            found.append(cache.get("a", [key(1), key(2)]))
    line.send(found)


@pytest.mark.parametrize("way", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_worker_process_opens_it_for_itself(cache, way):
    """In whichever way it is made, and while its parent goes on."""
    cache.put("a", vectors([1]))
    opener = pickle.loads(pickle.dumps(cache.opener())) if way == "spawn" else cache.opener()
    context = multiprocessing.get_context(way)
    here, there = context.Pipe()
    worker = context.Process(target=_look, args=(opener, there))
    worker.start()
    assert here.recv() == [vectors([1])] * 3
    worker.join()
    assert cache.get("a", [key(1)]) == vectors([1])


def test_it_can_be_used_after_it_was_closed(cache):
    cache.put("a", vectors([1]))
    with cache:
        pass
    cache.close()
    assert cache.get("a", [key(1)]) == vectors([1])
