"""What a store does that can be built into and searched, beyond what every Store does. Run on each implementation."""

import threading

import pytest

from parsed import call, function, parsed, texts_of
from scova.errors import DerivedDamaged
from scova.protocols import WholeReader
from scova.stores.postgres import PostgresStore
from scova.stores.sqlite import SqliteStore
from scova.types import Binding, Mark, Move, Region, Share, Skip


@pytest.fixture(params=["sqlite", "postgres"])
def opening(request, tmp_path):
    """Opens the same project again and again, as another process would."""
    if request.param == "sqlite":
        return lambda: SqliteStore.open(tmp_path / "store.db", "shop")
    url = request.getfixturevalue("postgres_url")
    return lambda: PostgresStore.open(url, "shop")


@pytest.fixture
def store(opening):
    with opening() as made:
        yield made
        assert made.audit() == []


def seen(store):
    with store.reader() as reader:
        return texts_of(reader), reader.change_seq


def test_what_was_put_is_there_after_opening_again(opening):
    with opening() as store:
        store.put([parsed("a.py", "one")])
        store.put_settings({"key": "value"})
        store.put_skips([Skip("b", "binary")])
        store_id = store.store_id
    with opening() as store:
        assert (store.store_id, store.project, store.change_seq()) == (store_id, "shop", 1)
        assert store.setting("key") == "value" and store.count_skips() == 1 and seen(store) == ({"a.py": ["one"]}, 1)
        with store.reader() as reader:
            assert isinstance(reader, WholeReader) and reader.store_id == store_id


def test_settings_are_kept_and_replaced(store):
    assert store.setting("a") is None
    store.put_settings({"a": "1", "b": "zwei\n\0"})
    store.put_settings({"a": "2"})
    assert (store.setting("a"), store.setting("b")) == ("2", "zwei\n\0") and store.change_seq() == 0


def test_the_pulse_changes_with_every_commit_whoever_makes_it(store, opening):
    with opening() as other:
        pulses = [store.pulse()]
        for act in (
            lambda: store.put_settings({"one": "1"}),
            lambda: other.put_skips([Skip("a", "binary")]),
            lambda: other.put([parsed("a.py", "one")]),
            lambda: store.touch({"a.py": Mark(5, 6)}),
        ):
            assert store.pulse() == pulses[-1], "nothing happened"
            act()
            pulses.append(store.pulse())
        assert len(set(pulses)) == 5
        for nothing in (
            lambda: store.put_settings({"one": "1"}),
            lambda: store.put_skips([Skip("a", "binary")]),
            lambda: store.put([], removed=["never"]),
        ):
            nothing()
            assert store.pulse() == pulses[-1]


def test_the_pulse_does_not_wait_for_a_writer(store):
    before, found = store.pulse(), []
    with store.together():
        store.put([parsed("a.py", "one")])
        reader = threading.Thread(target=lambda: found.append(store.pulse()))
        reader.start()
        reader.join(120)
        assert found == [before]


def test_together_nobody_sees_anything_before_the_end_and_everything_after(store):
    store.put([parsed("old.py", "old")])
    with store.together():
        store.put([parsed("a.py", "one")])
        store.put([parsed("b.py", "two")], removed=["old.py"])
        store.put_settings({"key": "value"})
        assert seen(store) == ({"old.py": ["old"]}, 1)
        assert set(store.files()) == {"a.py", "b.py"} and store.change_seq() == 3, "but to the writer itself"
    assert seen(store) == ({"a.py": ["one"], "b.py": ["two"]}, 3) and store.setting("key") == "value"
    with pytest.raises(RuntimeError), store.together():
        store.put([parsed("a.py", "three")])
        raise RuntimeError("half way")
    assert seen(store) == ({"a.py": ["one"], "b.py": ["two"]}, 3)
    assert store.put([parsed("c.py", "x")]) == [4] and store.change_seq() == 4


def test_together_other_threads_wait_for_their_turn(store):
    entered, done = threading.Event(), threading.Event()

    def other():
        entered.set()
        store.put([parsed("other.py", "theirs")])
        done.set()

    thread = threading.Thread(target=other)
    with pytest.raises(RuntimeError), store.together():
        thread.start()
        entered.wait(120)
        store.put([parsed("mine.py", "mine")])
        assert not done.wait(0.1)
        raise RuntimeError
    thread.join(120)
    assert seen(store)[0] == {"other.py": ["theirs"]}


def test_whole_files_are_told_with_their_texts(store):
    files = [parsed("b.py", "map", "one\n", "two\n"), parsed("a.go", "map", "three", language="go"), parsed("empty.py")]
    store.put(files)
    store.put([parsed("c.py", "map", "four")])
    with store.reader() as reader:
        every = reader.stored_files()
        assert [(file.path, file.language, file.digest, file.size) for file in every] == [
            (file.path, file.language, file.digest, file.mark.size)
            for file in sorted([*files, parsed("c.py", "map", "four")], key=lambda file: file.path)
        ]
        assert {file.path: text for file, text in reader.stored_texts(every)} == {
            "a.go": "three", "b.py": "one\ntwo\n", "c.py": "four", "empty.py": "",
        }  # fmt: skip
        assert [file.path for file in reader.stored_files(since=1)] == ["c.py"]
        ids = [every[1].file_id, every[0].file_id, 999]
        assert [file.path for file in reader.stored_files(ids)] == ["a.go", "b.py"] and reader.stored_files([]) == []
        assert (reader.count_files(), reader.count_files(since=1), reader.count_files(since=2)) == (4, 1, 0)
        assert reader.file("b.py").mark == files[0].mark and reader.file("nope") is None


def test_every_file_is_in_exactly_one_part(store):
    store.put([parsed(f"{n}.py", "text") for n in range(23)])
    store.put([], removed=["0.py", "7.py"])
    store.touch({"1.py": Mark(3, 1_000_000_000_000)}, read_ns=1_000_050_000_000)
    store.touch({"2.py": Mark(4, 1_000_000_000_000)}, read_ns=2_000_000_000_000)
    with store.reader() as reader:
        parts = [path for number in range(4) for path, *_ in reader.seen(Share(number, 4))]
        assert sorted(parts) == sorted(store.files()) == sorted(path for path, *_ in reader.seen())
        marks = {path: (size, changed) for path, size, changed in reader.seen()}
        assert marks["1.py"] == (3, None), "too young to be trusted"
        assert marks["2.py"] == (4, 1_000_000_000_000)


@pytest.mark.parametrize(
    "region",
    [
        Region(),
        Region(trees=frozenset(("src",))),
        Region(folders=frozenset(("",))),
        Region(folders=frozenset(("src", "doc"))),
        Region(files=frozenset(("src/deep/x.py", "none", "a.py"))),
        Region(trees=frozenset(("src/deep",)), folders=frozenset(("",)), files=frozenset(("doc/z.md",))),
        Region(trees=frozenset(("long" * 100,))),
    ],
    ids=["nothing", "tree", "root", "folders", "files", "several", "long"],
)
def test_files_of_a_region_are_those_it_covers(store, region):
    paths = ["a.py", "src/b.py", "src/deep/x.py", "src0/c.py", "src.py", "doc/z.md", "doc/sub/y.md", "sr/q.py"]
    paths += [f"{'long' * 100}/{name}" for name in ("a", "b")] + ["long" * 100 + "0"]
    store.put([parsed(path, "text") for path in paths])
    assert set(store.files(region)) == {path for path in paths if region.covers(path)}
    assert set(store.files()) == set(paths)


def test_tally_counts(store):
    store.put(
        [parsed("a.py", "1", "2", symbols=[function("f")]), parsed("b.go", "1", language="go", calls=[call("f")] * 2)]
    )
    store.put([parsed("c.py", "1", "2", "3", "4", "5")])
    with store.reader() as reader:
        tally = reader.tally()
    assert (tally.files, tally.chunks, tally.symbols, tally.calls) == (3, 8, 1, 2)
    assert dict(tally.languages) == {"python": 2, "go": 1}
    assert dict(tally.chunk_types) == {"symbols": 4, "definitions": 2, "data": 1, "documentation": 1}
    assert tally.indexed_at > "2020"
    with store.reader() as reader:
        census = reader.census()
    assert sum(census.kinds.values()) == tally.symbols
    at, files, chunks = census.growth[-1]
    assert (files, chunks) == (tally.files, tally.chunks)
    assert at > "2020"


def test_tags_are_counted_most_first(store):
    """By chunk, each of its tags; those of chunks that are gone are not."""
    with store.reader() as reader:
        assert reader.census().tags == {}
    store.put([parsed("a.py", "1", "2"), parsed("test_b.py", "1", tags=("test", "with, comma"))])
    store.put([parsed("vendor/c.py", "1", "2", tags=("vendored", "test")), parsed("d.py", "1", tags=("gone",))])
    store.put([], removed=["d.py"])
    with store.reader() as reader:
        found = reader.census().tags
    assert list(found.items()) == [("test", 3), ("vendored", 2), ("with, comma", 1)]


def test_what_is_there_came_step_by_step(store):
    """Growth is of what is there now: cumulated, ascending, in few points, and what is gone is not in it."""
    with store.reader() as reader:
        assert reader.census().growth == ()
    for day, name in enumerate(("a.py", "b.py", "c.py"), start=1):
        when = f"2024-01-0{day}T00:00:00.000Z"
        store.put([parsed(name, "one", "two", created_at=when, updated_at=when)])
    store.put([], removed=["b.py"])
    with store.reader() as reader:
        growth, count = reader.census().growth, reader.count()
    assert [(files, at[:10]) for at, files, _ in growth] == [(1, "2024-01-01"), (2, "2024-01-03")]
    assert growth[-1][2] == count


def test_pruning_shortens_the_log_and_readers_know(store):
    if isinstance(store, PostgresStore):
        store.remembered = store.remembered * 0  # others need no time to catch up, here
    for n in range(5):
        store.put([parsed("a.py", f"{n}")])
    with store.reader() as before:
        store.prune_removed(3)
        assert len(before.removed(1)) == 1, "a pinned moment keeps its log"
    with store.reader() as reader:
        assert len(reader.removed(3)) == len(reader.removed(4)) == 1
        with pytest.raises(DerivedDamaged):
            reader.removed(2)
    store.prune_removed(1)
    with store.reader() as reader, pytest.raises(DerivedDamaged):
        reader.removed(2)


def test_names_of_any_length_are_kept_and_found(store):
    """Longer than what a database takes into an index."""
    long = "".join(chr(0x4E00 + n * 7 % 20000) for n in range(6000))
    symbols = [function(long, parent="P"), function("heir", bases=(long,)), function("x", qualified=f"Q.{long}")]
    bindings = [Binding("short", "module", "import", line=1, member=long)]
    path = f"dir/{long}"
    store.put([parsed(path, "text", symbols=symbols, calls=[call(long, 1, "heir")], bindings=bindings, symbol=long)])
    store.put([parsed(f"{path}.py", "other")], moves=[Move(f"{path}.old", f"{path}.py")])
    with store.reader() as reader:
        assert [symbol for _, symbol in reader.symbols(long)] == [symbols[0], symbols[2]]
        assert [symbol for _, symbol in reader.symbols(f"P.{long}")] == symbols[:1]
        assert reader.calls(long) == [(path, call(long, 1, "heir"))] == reader.calls(path=path)
        assert reader.heirs(long) == [(path, symbols[1])] and reader.aliases(long) == [(path, bindings[0])]
        assert [piece.text for piece in reader.chunks_of(path)] == ["text"]
        assert set(store.files(Region(files=frozenset((path,))))) == {path}
    store.put([], removed=[path])
    assert set(store.files()) == {f"{path}.py"}


def test_threads_share_a_store_and_a_reader(store):
    store.put([parsed("a.py", *map(str, range(50)))])
    failures = []
    with store.reader() as reader:
        rows = reader.rows()

        def work(number):
            try:
                for n in range(15):
                    assert len(reader.chunks(rows)) == 50
                    store.put([parsed(f"{number}.py", f"{n}")])
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == [] and store.change_seq() == 61
