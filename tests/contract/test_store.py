"""What every Store does. Run on each implementation."""

from dataclasses import replace
from itertools import count
from zlib import crc32

import pytest

from parsed import call, chunk, function, parsed, texts_of
from scova.filters import chunk_passes
from scova.stores.memory import MemoryStore
from scova.stores.postgres import PostgresStore
from scova.stores.sqlite import SqliteStore
from scova.types import Binding, ChunkType, Filters, Mark, Move, Row, Skip


def opened(kind, request):
    """An empty store of this kind, for the project `shop`."""
    if kind == "postgres":
        return PostgresStore.open(request.getfixturevalue("postgres_url"), "shop")
    if kind == "sqlite":
        return SqliteStore.open(request.getfixturevalue("tmp_path") / "store.db", "shop")
    return MemoryStore("shop")


@pytest.fixture(params=["sqlite", "memory", "postgres"])
def store(request):
    made = opened(request.param, request)
    yield made
    assert made.audit() == [], "whatever a test did, the store agrees with itself"
    made.close()


@pytest.fixture
def pin(store):
    """Readers that are closed when the test ends."""
    opened = []

    def reader():
        opened.append(store.reader())
        return opened[-1]

    yield reader
    for one in opened:
        one.close()


def test_a_new_store_is_empty(store, pin):
    reader = pin()
    assert (store.files(), store.skips(), reader.count(), reader.rows(), reader.change_seq) == ({}, [], 0, [], 0)
    assert reader.removed(0) == [] and reader.symbols("x") == [] and reader.calls("x") == []
    assert reader.chunk_by_id("x") is None and reader.chunks_of("a.py") == [] and reader.chunks([Row(1)]) == []


def test_put_gives_back_rows_in_order_and_chunks_come_back_as_they_were(store, pin):
    files = [parsed("a.py", "one", "two", "three"), parsed("b.py", "four", tags=("test", "docs"))]
    rows = store.put(files)
    reader = pin()
    assert rows == sorted(rows) == reader.rows() and len(set(rows)) == 4 and reader.count() == 4
    given = [piece for file in files for piece in file.chunks]
    for row, was, stored in zip(rows, given, reader.chunks(rows), strict=True):
        assert (stored.row, stored.project, stored.generation, stored.change_seq) == (row, "shop", 1, 1)
        assert stored.created_at == stored.updated_at > "2020"
        assert stored == replace(
            was, project="shop", generation=1, change_seq=1, created_at=stored.created_at, updated_at=stored.updated_at
        )


def test_chunks_come_in_the_order_asked_and_lights_say_the_same(store, pin):
    rows = store.put([parsed("a.py", *(f"text {n}" for n in range(1200)))])
    reader = pin()
    asked = [rows[7], Row(10**9), rows[0], rows[1100], rows[7]]
    assert [piece.row for piece in reader.chunks(asked)] == [rows[7], rows[0], rows[1100], rows[7]]
    assert reader.lights(asked) == [piece.light for piece in reader.chunks(asked)]
    places = {piece.row: (piece.file_path, piece.start_line, piece.row) for piece in reader.chunks(asked)}
    assert reader.first(list(places), 3) == sorted(places, key=places.__getitem__)[:3]
    assert len(reader.chunks(rows)) == 1200


def test_a_changed_file_is_replaced_whole_by_its_next_generation(store, pin):
    old = store.put(
        [parsed("a.py", "one", "two", symbols=[function("gone")], calls=[call("lost")]), parsed("b.py", "b")]
    )
    new = store.put([parsed("a.py", "one", "2", "three", symbols=[function("come")], calls=[call("found")])])
    reader = pin()
    assert texts_of(reader) == {"a.py": ["one", "2", "three"], "b.py": ["b"]}
    assert not set(old) & set(new) and reader.chunks(old[:2]) == []
    assert [piece.generation for piece in reader.chunks_of("a.py")] == [2, 2, 2]
    assert store.files()["a.py"].generation == 2 and store.files()["b.py"].generation == 1
    assert reader.symbols("gone") == [] and reader.calls("lost") == []
    assert len(reader.symbols("come")) == 1 and len(reader.calls("found")) == 1
    assert [row for row, _ in reader.removed(1)] == old[:2] and reader.rows(since=1) == new


def test_a_removed_file_leaves_nothing_behind(store, pin):
    store.put([parsed("a.py", "one", symbols=[function("f")], calls=[call("g")]), parsed("b.py", "two")])
    store.put([], removed=["a.py", "never/was.py"])
    reader = pin()
    assert texts_of(reader) == {"b.py": ["two"]} and set(store.files()) == {"b.py"} and reader.count() == 1
    assert reader.symbols("f") == [] and reader.calls("g") == [] and reader.chunks_of("a.py") == []
    assert reader.chunk_by_id(chunk("a.py", "one").id) is None
    store.put([parsed("a.py", "again")])
    assert store.files()["a.py"].generation == 1


def test_nothing_to_do_is_no_change(store, pin):
    store.put([parsed("a.py", "one")])
    assert store.put([]) == [] and store.put([], removed=["other.py"], moves=[Move("x", "y")]) == []
    assert pin().change_seq == 1


def test_each_put_is_one_step_of_the_change_sequence(store, pin):
    for n in range(5):
        store.put([parsed("a.py", f"{n}"), parsed(f"{n}.py", "new")], removed=[f"{n - 1}.py"])
        assert pin().change_seq == n + 1


def test_a_file_cannot_be_put_twice_at_once(store):
    with pytest.raises(ValueError, match="once"):
        store.put([parsed("a.py", "one"), parsed("a.py", "two")])


def test_what_is_both_put_and_removed_is_there(store, pin):
    store.put([parsed("a.py", "one")])
    store.put([parsed("a.py", "two")], removed=["a.py"])
    assert texts_of(pin()) == {"a.py": ["two"]}


def test_times_stay_while_the_content_does(store, pin):
    store.put([parsed("a.py", "same", "before")])
    first = pin().chunks_of("a.py")
    for n in count():  # until the clock moves on
        store.put([parsed("a.py", "same", f"after {n}")])
        same, changed = pin().chunks_of("a.py")
        if changed.updated_at > first[1].updated_at:
            break
    assert (same.created_at, same.updated_at) == (first[0].created_at, first[0].updated_at)
    assert changed.created_at == first[1].created_at


def test_a_moved_file_keeps_the_times_of_its_chunks(store, pin):
    store.put([parsed("old.py", "one", "two")])
    before = pin().chunks_of("old.py")
    for n in count():  # until the clock moves on
        store.put([parsed("clock.py", f"tick {n}")])
        if pin().chunks_of("clock.py")[0].updated_at > before[0].updated_at:
            break
    store.put([parsed("new.py", "one", "2")], moves=[Move("old.py", "new.py")])
    reader = pin()
    assert reader.chunks_of("old.py") == [] and "old.py" not in store.files()
    one, two = reader.chunks_of("new.py")
    assert (one.created_at, one.updated_at) == (before[0].created_at, before[0].updated_at)
    assert two.created_at > before[1].created_at


def test_times_and_generation_that_come_along_are_kept(store, pin):
    """What was exported keeps its history; and a file never goes back to a generation it has had."""
    created, updated = "2001-02-03T04:05:06.007Z", "2011-02-03T04:05:06.789Z"
    given = replace(parsed("a.py", "one", created_at=created, updated_at=updated), generation=7)
    store.put([given])
    (one,) = pin().chunks_of("a.py")
    assert (one.created_at, one.updated_at, one.generation) == (created, updated, 7)
    assert store.files()["a.py"].generation == 7
    store.put([given])
    assert pin().chunks_of("a.py")[0].generation == 8
    store.put([parsed("a.py", "one", "two")])
    one, two = pin().chunks_of("a.py")
    assert (one.created_at, one.updated_at, one.generation) == (created, updated, 9) and two.created_at > updated


def test_two_files_can_swap_places(store, pin):
    store.put([parsed("a.py", "aaa"), parsed("b.py", "bbb")])
    store.put([parsed("a.py", "bbb"), parsed("b.py", "aaa")], moves=[Move("a.py", "b.py"), Move("b.py", "a.py")])
    assert texts_of(pin()) == {"a.py": ["bbb"], "b.py": ["aaa"]}


def test_a_pinned_reader_does_not_see_what_comes_later(store, pin):
    store.put([parsed("a.py", "first", symbols=[function("f")], calls=[call("g")]), parsed("b.py", "kept")])
    reader = pin()
    before = (texts_of(reader), reader.rows(), reader.symbols("f"), reader.calls("g"), reader.count())
    for n in range(100):
        store.put([parsed("a.py", f"later {n}"), parsed(f"c{n}.py", "more")], removed=["b.py"])
    assert (texts_of(reader), reader.rows(), reader.symbols("f"), reader.calls("g"), reader.count()) == before
    assert reader.change_seq == 1 and pin().change_seq == 101
    assert texts_of(pin())["a.py"] == ["later 99"]


def test_removed_tells_what_was_there_then_and_is_not_now(store, pin):
    (first,) = store.put([parsed("a.py", "one")])
    (second,) = store.put([parsed("a.py", "two")])
    store.put([parsed("a.py", "three")])
    reader = pin()
    assert [row for row, _ in reader.removed(0)] == []
    assert [row for row, _ in reader.removed(1)] == [first]
    assert [row for row, _ in reader.removed(2)] == [second]
    assert reader.removed(3) == []


FILTERS = [
    Filters(),
    Filters(paths=("src/**",)),
    Filters(paths=("*.py",), not_paths=("src/deep",)),
    Filters(languages=("go", "rust")),
    Filters(chunk_types=(ChunkType.DATA, ChunkType.SYMBOLS)),
    Filters(tags=("test",)),
    Filters(tags=("docs", "none")),
    Filters(kinds=("class",), languages=("python",)),
    Filters(paths=("nothing/here",)),
    Filters(languages=("cobol",)),
]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_filters_mean_the_same_in_every_store(store, pin, filters):
    store.put([parsed("src/a.py", "1", "2", "3", "4", "5", tags=("test",)), parsed("src/deep/b.py", "1", kind="class")])
    store.put(
        [parsed("c.go", "1", "2", language="go", tags=("docs", "test")), parsed("d.rs", "1", language="rust", kind="")]
    )
    reader = pin()
    passes = chunk_passes(filters)
    everything = reader.chunks(reader.rows())
    assert len(everything) == 9
    assert reader.rows(filters) == [piece.row for piece in everything if passes(piece)]
    assert reader.rows(filters, since=1) == [
        piece.row for piece in everything if passes(piece) and piece.change_seq > 1
    ]


def test_symbols_and_calls_are_found_by_exact_name(store, pin):
    methods = [
        function(
            "Cart", line=1, bases=("Base", "Mixin"), decorators=("@x",), doc="A cart.", signature="class Cart(Base)"
        ),
        function("add", parent="Cart", line=3),
        function("odd", parent="Cart", line=9, qualified="Cart<T>.odd"),
    ]
    calls = [
        call("push", 4, "Cart.add", "self.items"),
        call("push", 20),
        call("add", 21, "nobody", "cart"),
        call("push", 5, "0"),
    ]
    store.put([parsed("b.py", "text", symbols=methods, calls=calls), parsed("a.py", "text", symbols=[function("add")])])
    reader = pin()
    assert reader.symbols("Cart") == [("b.py", methods[0])]
    assert reader.symbols("add") == [("a.py", function("add")), ("b.py", methods[1])]
    assert reader.symbols("Cart.add") == [("b.py", methods[1])]
    assert reader.symbols("Cart<T>.odd") == reader.symbols("odd") == [("b.py", methods[2])]
    assert reader.symbols("Cart.odd") == reader.symbols("cart") == reader.symbols("") == []
    assert reader.calls("push") == [("b.py", calls[0]), ("b.py", calls[1]), ("b.py", calls[3])]
    assert reader.calls("add") == [("b.py", calls[2])] and reader.calls("pus") == []


def test_strange_strings_survive(store, pin):
    names = ("", "a\nb", "ü\u2028", "'; DROP TABLE chunks; --", "\x00")
    file = parsed(
        "dir with space/ä \n.py", "text\x00with\r\nall\ttorts \U0001f600", names=names, tags=("a\nb", ""), symbol="\n"
    )
    rows = store.put([file])
    (stored,) = pin().chunks(rows)
    assert (stored.text, stored.names, stored.tags, stored.symbol) == (
        file.chunks[0].text, names, ("a\nb", ""), "\n",
    )  # fmt: skip
    assert pin().chunks_of(file.path) == [stored] == [pin().chunk_by_id(file.chunks[0].id)]


def test_a_file_without_chunks_is_known_all_the_same(store, pin):
    assert store.put([parsed("empty.py")]) == []
    assert set(store.files()) == {"empty.py"} and pin().change_seq == 1
    store.put([parsed("empty.py", "something")])
    store.put([], removed=["empty.py"])
    assert store.files() == {}


def test_touch_remembers_marks_and_changes_nothing_else(store, pin):
    store.put([replace(parsed("a.py", "one"), read_ns=5)])
    assert store.files()["a.py"].indexed_ns == 5
    store.touch({"a.py": Mark(7, 8), "unknown.py": Mark(1, 1)}, read_ns=9)
    file = store.files()["a.py"]
    assert (file.mark, file.indexed_ns, file.generation) == (Mark(7, 8), 9, 1) and set(store.files()) == {"a.py"}
    store.touch({"a.py": Mark(7, 8)})
    assert store.files()["a.py"].indexed_ns > 10**18
    assert pin().change_seq == 1


def test_skips_are_replaced_as_a_list(store):
    skips = [Skip("b.bin", "binary", "has NUL"), Skip("a.min.js", "minified")]
    store.put_skips(skips)
    assert store.skips() == skips
    store.put_skips(iter(skips[:1]))
    assert store.skips() == skips[:1]


def test_two_stores_have_two_identities_and_a_store_keeps_its_own(store, pin, tmp_path):
    assert pin().store_id == pin().store_id != MemoryStore("shop").reader().store_id
    assert pin().store_id


def test_definitions_are_found_by_every_ending_of_their_qualified_name(store, pin):
    deep = function("d", "a.b.c", qualified="a.b.c.d")
    store.put(
        [parsed("a.py", "one", symbols=[deep, function("d")]), parsed("b.py", "two", symbols=[function("d", "xb.c")])]
    )
    reader = pin()
    assert [path for path, _ in reader.symbols("d")] == ["a.py", "a.py", "b.py"]
    for name in ("c.d", "b.c.d", "a.b.c.d"):
        assert ("a.py", deep) in reader.symbols(name), name
    assert [path for path, _ in reader.symbols("b.c.d")] == ["a.py"] and reader.symbols("x.a.b.c.d") == []
    assert reader.names() == ["d"]
    store.put([parsed("c.ex", "three", symbols=[function("Shop.Cart", qualified="Shop.Cart")])])
    assert [path for path, _ in pin().symbols("Cart")] == ["c.ex"]


def test_what_names_stand_for_comes_back_as_it_was_and_goes_with_its_file(store, pin):
    bindings = (
        Binding("np", "numpy", "import", line=1),
        Binding("load", "app.db", "import", line=2, member="connect"),
        Binding("self.client", 'Client["x"]', "constructor", "Session", 9),
    )
    symbols = (function("f"), function("g", "F"))
    store.put(
        [
            parsed("a.py", "one", "two", symbols=symbols, bindings=bindings),
            parsed("notes.md", "hi", language="markdown"),
        ]
    )
    reader = pin()
    found = reader.outline("a.py")
    assert (found.path, found.language, found.lines) == ("a.py", "python", 19)
    assert found.outline.symbols == symbols and found.outline.bindings == bindings
    assert reader.aliases("connect") == [("a.py", bindings[1])] and reader.aliases("numpy") == []
    assert reader.files() == {"a.py": "python", "notes.md": "markdown"} and reader.outline("b.py") is None
    store.put([parsed("a.py", "one")])
    assert pin().aliases("connect") == [] and pin().outline("a.py").outline.bindings == ()
    assert reader.outline("a.py").outline.bindings == bindings
    store.put([], removed=["a.py"])
    assert pin().outline("a.py") is None and pin().files() == {"notes.md": "markdown"}


def test_heirs_of_a_class_are_found_by_its_name_however_the_base_is_written(store, pin):
    written = ["Base", "ns.Base", "ns::Base<T>", "Base[int]", "\\\\App\\\\Base", "Other", "BaseOne", "Reader<Base>"]
    heirs = [function(f"h{n}", bases=(base,)) for n, base in enumerate(written)]
    store.put([parsed("a.py", "one", symbols=heirs[:4]), parsed("b.py", "two", symbols=heirs[4:])])
    assert [symbol.name for _, symbol in pin().heirs("Base")] == ["h0", "h1", "h2", "h3", "h4"]
    assert [path for path, _ in pin().heirs("Reader")] == ["b.py"]
    store.put([parsed("a.py", "one")])
    assert [symbol.name for _, symbol in pin().heirs("Base")] == ["h4"]


def test_files_say_which_names_they_define_and_use(store, pin):
    """By hashes; a name that a file uses of its own is not among those it uses, and a short one is nowhere."""
    bindings = [Binding("Client", ".net.client", "import"), Binding("n", "lib.names", "import", member="spelled")]
    store.put(
        [
            parsed("a.py", "one", symbols=[function("serve"), function("id")], calls=[call("serve"), call("dial")]),
            parsed("b.py", "two", symbols=[function("dial")], bindings=bindings),
        ]
    )

    def names(*given):
        return {crc32(name.encode()) for name in given}

    before = pin()
    ties = before.ties(["a.py", "b.py", "nowhere.py"])
    assert ties == {
        "a.py": (names("serve"), names("dial")),
        "b.py": (names("dial"), names("Client", "client", "names", "spelled")),
    }
    store.put([parsed("a.py", "one")], removed=["b.py"])
    assert pin().ties(["a.py", "b.py"]) == {"a.py": (set(), set())} and before.ties(["b.py"]) == {"b.py": ties["b.py"]}
