"""The shared cache of vectors: what goes in comes out, for many processes, and damage costs no more than its content."""

import os
import random
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from scova.errors import EmbedderError
from scova.stores.embeddings import EmbeddingCache

SOURCE = Path(__file__).parents[3] / "src"


def key(n):
    return n.to_bytes(32, "big")


def vectors(numbers, width=8):
    return {key(n): bytes((n + i) % 256 for i in range(width)) for n in numbers}


@pytest.fixture
def cache(tmp_path):
    with EmbeddingCache(tmp_path / "deep" / "embeddings.db") as opened:
        yield opened


def test_what_is_put_is_got_by_model_and_key(cache):
    cache.put("a", vectors(range(5000)))
    cache.put("b", vectors([7], width=4))
    cache.put("b", {})
    assert cache.get("a", [key(n) for n in range(4990, 5010)]) == vectors(range(4990, 5000))
    assert cache.get("b", [key(7), key(8)]) == vectors([7], width=4)
    assert cache.get("c", [key(7)]) == {} == cache.get("a", [])
    assert cache.counts() == {"a": 5000, "b": 1}
    with EmbeddingCache(cache.path) as again:
        assert len(again.get("a", [key(n) for n in range(5000)])) == 5000


def test_vectors_of_another_width_are_refused_whole(cache):
    cache.put("a", vectors([1]))
    for wrong in (vectors([2], width=9), {**vectors([3]), **vectors([4], width=9)}):
        with pytest.raises(EmbedderError, match="8 wide"):
            cache.put("a", wrong)
    with pytest.raises(EmbedderError):
        cache.put("new", {**vectors([3]), **vectors([4], width=9)})
    assert cache.counts() == {"a": 1}


def test_putting_again_changes_nothing(cache):
    cache.put("a", vectors([1, 2]))
    cache.put("a", vectors([2, 3]))
    assert cache.counts() == {"a": 3}


def test_prune_keeps_what_it_is_told(cache):
    cache.put("a", vectors(range(100)))
    cache.put("b", vectors(range(5)))
    assert cache.prune("a", [key(n) for n in range(10)]) == 90 and cache.prune("c", []) == 0
    assert cache.counts() == {"a": 10, "b": 5}


@pytest.mark.parametrize("damage", ["text", "empty pages", "half", "flipped", "other format"])
def test_a_damaged_cache_is_set_aside_and_begun_anew(cache, damage, caplog):
    cache.put("a", vectors(range(3000)))
    cache.close()
    content = bytearray(cache.path.read_bytes())
    if damage == "text":
        content = bytearray(b"no database at all " * 100)
    elif damage == "empty pages":
        content[4096:] = bytes(len(content) - 4096)
    elif damage == "half":
        del content[len(content) // 2 :]
    elif damage == "flipped":
        for page in range(1, len(content) // 4096):
            content[page * 4096] ^= 0xFF
    else:
        content[60:64] = (77).to_bytes(4, "big")
    cache.path.write_bytes(content)
    assert cache.get("a", [key(n) for n in range(3000)]) == {}
    cache.put("a", vectors([1]))
    assert cache.counts() == {"a": 1}
    assert "begun anew" in caplog.text
    assert cache.path.with_name("embeddings.db.damaged-1").read_bytes()[:4000] == content[:4000]


def test_an_emptied_cache_is_just_empty(cache):
    cache.put("a", vectors([1]))
    cache.close()
    os.truncate(cache.path, 0)
    assert cache.get("a", [key(1)]) == {}


def test_who_notices_damage_late_does_not_set_aside_what_others_began(cache, caplog):
    cache.put("a", vectors(range(3000)))
    cache.close()
    with EmbeddingCache(cache.path) as late:
        late.get("a", [key(1)])
        with cache.path.open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(4096)
            file.write(b"\xff" * (size - 4096))
        assert cache.get("a", [key(1)]) == {}
        cache.put("a", vectors([5]))
        assert caplog.text.count("begun anew") == 1
        assert late.get("a", [key(n) for n in range(3000)]) == vectors([5])
        assert caplog.text.count("begun anew") == 1
    assert len(list(cache.path.parent.glob("*.damaged-?"))) == 1


def test_a_cache_that_cannot_be_written_is_an_error_with_a_hint(tmp_path):
    (tmp_path / "embeddings.db").mkdir()
    with pytest.raises(EmbedderError) as caught:
        EmbeddingCache(tmp_path / "embeddings.db").put("a", vectors([1]))
    assert "not a regular file" in caught.value.message and caught.value.hint


def test_threads_may_share_it(cache):
    def work(number):
        for n in range(20):
            cache.put("a", vectors(range(number * 100 + n, number * 100 + n + 5)))
            assert cache.get("a", [key(number * 100 + n)])

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))
    assert cache.counts() == {"a": 6 * 24}


PROCESS = """
import sys
from contextlib import closing
from pathlib import Path
from scova.stores.embeddings import EmbeddingCache
cache, first = EmbeddingCache(Path(sys.argv[1])), int(sys.argv[2])
for n in range(first, first + 300, 10):
    cache.put("a", {k.to_bytes(32, "big"): bytes(8) for k in range(n, n + 20)})
    assert len(cache.get("a", [n.to_bytes(32, "big")])) == 1
cache.close()
"""


def test_processes_may_make_and_fill_it_at_once(tmp_path):
    path = tmp_path / "embeddings.db"
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    firsts = random.Random(1).sample(range(0, 2000, 100), 5)
    processes = [subprocess.Popen([sys.executable, "-c", PROCESS, str(path), str(first)], env=env) for first in firsts]
    assert [process.wait() for process in processes] == [0] * 5
    expected = {n for first in firsts for n in range(first, first + 310)}
    with EmbeddingCache(path) as cache:
        assert cache.counts() == {"a": len(expected)}


def test_a_flipped_bit_costs_that_vector_and_no_more(cache):
    """A wrong vector would go into every index of the user, for good: it counts as unknown, and is replaced by the next."""
    cache.put("model", vectors(range(3)))
    with closing(sqlite3.connect(cache.path)) as connection, connection:
        (stored,) = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key(1),)).fetchone()
        flipped = bytes([stored[0] ^ 1]) + stored[1:]
        connection.execute("UPDATE vectors SET vector = ? WHERE key = ?", (flipped, key(1)))
        connection.execute("UPDATE vectors SET vector = 7 WHERE key = ?", (key(2),))
    assert cache.get("model", [key(0), key(1), key(2)]) == vectors([0])
    cache.put("model", vectors(range(3)))
    assert cache.get("model", [key(0), key(1), key(2)]) == vectors(range(3))


def test_a_cache_without_checksums_is_given_them(tmp_path):
    path = tmp_path / "embeddings.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE models (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, width INTEGER)")
        connection.execute(
            "CREATE TABLE vectors (number INTEGER PRIMARY KEY, model INTEGER, key BLOB, vector BLOB, UNIQUE (model, key))"
        )
        connection.execute("INSERT INTO models VALUES (1, 'model', 8)")
        rows = [(1, one, vector) for one, vector in vectors(range(5)).items()]
        connection.executemany("INSERT INTO vectors (model, key, vector) VALUES (?, ?, ?)", rows)
        connection.execute("PRAGMA user_version = 1")
    with EmbeddingCache(path) as cache:
        assert cache.get("model", [key(n) for n in range(5)]) == vectors(range(5))
    assert [left.name for left in tmp_path.glob("*damaged*")] == []


def test_looking_into_a_cache_that_is_not_there_makes_none(tmp_path):
    with EmbeddingCache(tmp_path / "embeddings.db") as cache:
        assert cache.get("model", [key(1)]) == {}
    assert not list(tmp_path.iterdir())
