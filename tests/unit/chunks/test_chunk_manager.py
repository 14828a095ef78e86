"""ChunkSet and ChunkManager: one moment, loaded once, swapped as one reference, and no change ever missed."""

import gc
import random
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from parsed import chunk, function, parsed
from scova.chunks.cache import ChunkCache
from scova.chunks.chunkset import ChunkSet
from scova.chunks.manager import ChunkManager
from scova.stores.memory import MemoryStore
from scova.stores.sqlite import SqliteStore
from scova.types import Changes, ChunkType, Filters, Row


@pytest.fixture(params=["sqlite", "memory"])
def store(request, tmp_path):
    made = SqliteStore.open(tmp_path / "store.db", "shop") if request.param == "sqlite" else MemoryStore("shop")
    yield made
    made.close()


@pytest.fixture
def manager(store):
    return ChunkManager(store.reader)


def reload(manager, time=1.0):
    """What a coordinator does."""
    chunk_set = manager.load()
    changes = manager.detect_changes(chunk_set)
    manager.update(chunk_set, time)
    return changes


def rows_of(chunks):
    return [piece.row for piece in chunks]


# --- ChunkSet


def test_a_set_answers_by_id_by_file_and_as_a_whole(store, manager):
    rows = store.put([parsed("a.py", "one", "two"), parsed("b.py", "three", symbols=[function("f")])])
    chunk_set = manager.load()
    assert len(chunk_set) == 3 and chunk_set.change_seq == 1
    assert [piece.text for piece in chunk_set.all()] == ["one", "two", "three"]
    assert [piece.text for piece in chunk_set.by_file("a.py")] == ["one", "two"] and chunk_set.by_file("x.py") == ()
    assert chunk_set.by_id(chunk("b.py", "three").id).text == "three" and chunk_set.by_id("x") is None
    assert rows_of(chunk_set.chunks(rows[::-1])) == rows[::-1] == rows_of(chunk_set.chunks(rows[::-1]))
    assert chunk_set.lights(rows) == [piece.light for piece in chunk_set.chunks(rows)]
    assert chunk_set.select(Filters(paths=("a.py",))) == set(rows[:2])
    assert chunk_set.select(Filters(paths=("a.py",))) is chunk_set.select(Filters(paths=("a.py",)))
    assert len(chunk_set.reader.symbols("f")) == 1


def test_a_set_stays_as_it_is(store, manager):
    rows = store.put([parsed("a.py", "one")])
    chunk_set = manager.load()
    store.put([parsed("a.py", "two"), parsed("b.py", "new")])
    assert [piece.text for piece in chunk_set.all()] == ["one"] and len(chunk_set) == 1
    assert chunk_set.select(Filters()) == set(rows)


def test_a_set_can_be_made_of_chunks_in_memory():
    chunks = [chunk("a.py", "one"), chunk("a.py", "two", 1), chunk("b.py", "three", language="go")]
    chunk_set = ChunkSet.of(chunks, 5)
    assert (len(chunk_set), chunk_set.change_seq, list(chunk_set.all())) == (3, 5, chunks)
    assert rows_of(chunk_set.all()) == [1, 2, 3] and chunk_set.by_file("a.py") == tuple(chunks[:2])
    assert chunk_set.by_id(chunks[2].id) == chunks[2] and chunk_set.by_id("x") is None
    assert chunk_set.select(Filters(languages=("go",))) == {3} and chunk_set.removed(5) == []
    assert chunk_set.select(Filters(chunk_types=(ChunkType.DEFINITIONS,))) == {2}


def test_a_set_lets_its_reader_go_with_the_last_reference(tmp_path):
    store = SqliteStore.open(tmp_path / "store.db", "shop")
    store.put([parsed("a.py", "one")])
    manager = ChunkManager(store.reader)
    closed = []

    class Watched:
        def __init__(self, reader):
            self.reader = reader

        def __getattr__(self, name):
            return getattr(self.reader, name)

        def close(self):
            closed.append(self.reader.change_seq)
            self.reader.close()

    manager = ChunkManager(lambda: Watched(store.reader()))
    first = manager.load()
    manager.update(first, 1.0)
    store.put([parsed("a.py", "two")])
    manager.update(manager.load(), 2.0)
    assert closed == [], "a query in flight still holds it"
    assert [piece.text for piece in first.all()] == ["one"]
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None and closed == [1]
    manager.current.close()
    assert closed == [1, 2]
    store.close()


# --- ChunkManager


def test_the_swap_is_one_reference_and_the_time_goes_with_it(store, manager):
    assert (len(manager.current), manager.last_reload_time, manager.loads) == (0, 0.0, 0)
    store.put([parsed("a.py", "one")])
    chunk_set = manager.load()
    assert len(manager.current) == 0, "loading does not swap"
    manager.update(chunk_set, 12.5)
    assert manager.current is chunk_set and manager.last_reload_time == 12.5 and manager.loads == 1


def test_changes_are_added_updated_and_deleted(store, manager):
    rows = store.put([parsed("a.py", "one", "two"), parsed("b.py", "bye"), parsed("c.py", "stays")])
    first = reload(manager)
    assert rows_of(first.added) == rows and not first.updated and not first.deleted
    new = store.put([parsed("a.py", "one", "2", "three"), parsed("d.py", "new")], removed=["b.py"])
    changes = reload(manager)
    assert rows_of(changes.updated) == new[:2] and rows_of(changes.added) == new[2:]
    assert [row for row, _ in changes.deleted] == rows[:3]
    assert {chunk_id for _, chunk_id in changes.deleted} >= {piece.id for piece in changes.updated}
    assert not reload(manager) and manager.detect_changes(manager.current) == Changes()


def test_what_came_and_went_between_two_reloads_is_no_change(store, manager):
    store.put([parsed("a.py", "one")])
    reload(manager)
    store.put([parsed("b.py", "brief")])
    store.put([], removed=["b.py"])
    assert not reload(manager)


def test_nothing_written_during_a_reload_is_missed(store, manager):
    """The mark is the pinned moment: what is written between loading and swapping comes with the next reload."""
    seen = {}
    for n in range(30):
        store.put([parsed("a.py", f"before {n}")])
        chunk_set = manager.load()
        store.put([parsed("b.py", f"meanwhile {n}")], removed=["c.py"])
        changes = manager.detect_changes(chunk_set)
        store.put([parsed("c.py", f"late {n}")])
        manager.update(chunk_set, float(n))
        for row, _ in changes.deleted:
            del seen[row]
        seen.update((piece.row, piece.text) for piece in (*changes.added, *changes.updated))
        assert seen == {piece.row: piece.text for piece in chunk_set.all()}
    assert manager.loads == 30


def test_changes_applied_in_turn_always_give_the_current_set(store, manager):
    draw, seen = random.Random(5), {}
    paths = [f"{n}.py" for n in range(12)]
    for _ in range(60):
        for _ in range(draw.randint(0, 3)):
            written = draw.sample(paths, draw.randint(0, 3))
            files = [parsed(path, *(str(draw.random()) for _ in range(draw.randint(0, 3)))) for path in written]
            store.put(files, removed=draw.sample(paths, 2))
        changes = reload(manager)
        for row, _ in changes.deleted:
            del seen[row]
        seen.update((piece.row, piece.text) for piece in (*changes.added, *changes.updated))
        assert seen == {piece.row: piece.text for piece in manager.current.all()}


def test_a_shortened_log_is_made_up_for_by_comparing(tmp_path):
    with SqliteStore.open(tmp_path / "store.db", "shop") as store:
        manager = ChunkManager(store.reader)
        rows = store.put([parsed("a.py", "one"), parsed("b.py", "two")])
        reload(manager)
        manager.current.chunks(rows)
        new = store.put([parsed("a.py", "1")])
        store.prune_removed(2)
        changes = reload(manager)
        assert rows_of(changes.updated) == new and [row for row, _ in changes.deleted] == rows[:1] and not changes.added
        assert manager.current.chunks(rows) == manager.current.chunks(rows[1:])


def test_a_store_built_anew_means_everything_anew(tmp_path):
    first = SqliteStore.open(tmp_path / "1.db", "shop")
    second = SqliteStore.open(tmp_path / "2.db", "shop")
    readers = (store.reader() for store in (first, second))
    manager = ChunkManager(lambda: next(readers))
    first.put([parsed("x.py", "x"), parsed("a.py", "one")])
    reload(manager)
    manager.current.chunks([Row(1), Row(2)])
    second.put([parsed("a.py", "other"), parsed("b.py", "new")])
    changes = reload(manager)
    assert [piece.text for piece in changes.updated] == ["other"] and [piece.text for piece in changes.added] == ["new"]
    assert [row for row, _ in changes.deleted] == [1, 2]
    assert [piece.text for piece in manager.current.chunks([Row(1), Row(2)])] == ["other", "new"], (
        "rows mean other things now"
    )
    first.close(), second.close()


def test_lists_of_chunks_are_compared_by_content():
    one, two, three = chunk("a.py", "one"), chunk("b.py", "two"), chunk("c.py", "three")
    lists = [[one, two], [one, chunk("b.py", "2"), three]]
    sets = iter([ChunkSet.of(chunks, seq).reader for seq, chunks in enumerate(lists, 1)])
    manager = ChunkManager(lambda: next(sets))
    assert rows_of(reload(manager).added) == [1, 2]
    changes = reload(manager)
    assert ([p.text for p in changes.updated], [p.text for p in changes.added]) == (["2"], ["three"])
    assert changes.deleted == ((2, two.id),)


def test_eight_threads_reading_through_two_hundred_swaps_always_see_one_set(tmp_path):
    store = SqliteStore.open(tmp_path / "store.db", "shop")
    manager = ChunkManager(store.reader)
    files = 12

    def put(number):
        store.put([parsed(f"{n}.py", f"mark {number}", f"mark {number}") for n in range(files)])

    put(0)
    reload(manager)
    done, looks = threading.Event(), []

    def read(seed):
        draw = random.Random(seed)
        while not done.is_set():
            chunk_set = manager.current
            rows = chunk_set.since(0)
            texts = {piece.text for piece in chunk_set.chunks(draw.sample(rows, len(rows)))}
            texts |= {piece.text for piece in chunk_set.by_file(f"{draw.randrange(files)}.py")}
            texts |= {piece.text for piece in chunk_set.all()}
            assert len(rows) == len(chunk_set) == files * 2 and len(texts) == 1, texts
            assert chunk_set.by_id(chunk("3.py", "").id).text in texts
            looks.append(texts.pop())

    with ThreadPoolExecutor(8) as threads:
        readers = [threads.submit(read, seed) for seed in range(8)]
        try:
            for number in range(1, 201):
                put(number)
                changes = reload(manager, float(number))
                assert len(changes.updated) == len(changes.deleted) == files * 2
        finally:
            done.set()
        for reader in readers:
            reader.result()
    assert len(set(looks)) > 3 and manager.loads == 201
    assert store.audit() == []
    store.close()


# --- the cache between sets


def test_the_cache_is_shared_by_sets_but_never_shows_what_a_set_does_not_have(store, manager):
    old = store.put([parsed("a.py", "one"), parsed("b.py", "kept")])
    first = manager.load()
    assert len(first.chunks(old)) == 2
    new = store.put([parsed("a.py", "two")])
    second = manager.load()
    assert second.chunks([*old, *new]) == second.reader.chunks([old[1], new[0]])
    assert first.chunks([*old, *new]) == first.reader.chunks(old), "the older set neither sees what is newer ..."
    assert second.chunks(old) == second.reader.chunks(old[1:]), "... nor shows the newer one what is gone"
    assert second.chunks(old[1:])[0] is first.chunks(old[1:])[0], "and what both have is read once"


def test_the_cache_is_bounded_and_keeps_what_is_used():
    reader = ChunkSet.of([chunk("a.py", str(n), n) for n in range(10)], 1, "s").reader
    cache = ChunkCache("s", size=4)
    cache.follow(reader)
    everything = reader.chunks(reader.rows())
    cache.put(everything[:4], 1)
    cache.get([Row(1)], 1)
    cache.put(everything[4:6], 1)
    assert len(cache) == 4 and set(cache.get(reader.rows(), 1)) == {1, 4, 5, 6}
