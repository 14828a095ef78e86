"""Whatever happens to them, the embedded store and PostgreSQL hold the same, row by row."""

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsed import call, function, parsed
from scova.stores.postgres import Connections, PostgresStore
from scova.stores.sqlite import SqliteStore
from scova.types import Binding, Filters, Move

PATHS = ["a.py", "b.py", "src/a.py", "src/ü.py", "src/deep/c.go", "src/deep/x\x1a\0y"]
# Also what a database may take for something else: its escape, NUL, patterns, quotes. No name holds NUL: functions of SQLite end a
# text there, so that it would not find what PostgreSQL does.
NAMES = ["alpha", "beta", "Thing.alpha", "", "a%b_", "'", "\x1a", "\x1a0", "\x1a1", "Ä.ö", "a..b", ".c"]
TEXTS = ["one\n", "two\r\n", "", "\0\x1a", "\\x00 \\N \\.", "\t\\\n", "ü😀\u2028", "{}[]"]

names = st.sampled_from(NAMES)
symbols = st.builds(
    lambda name, parent, qualified, bases: function(
        name, parent, bases=bases, **({"qualified": qualified} if qualified else {})
    ),
    names,
    st.sampled_from(["", "Thing", "a.b"]),
    st.none() | names,
    st.lists(names, max_size=2).map(tuple),
)
bindings = st.builds(lambda name, member: Binding(name, "module", "import", line=1, member=member), names, names)


@st.composite
def files(draw):
    written = {}
    for path in draw(st.lists(st.sampled_from(PATHS), max_size=3, unique=True)):
        found = draw(st.lists(symbols, max_size=3))
        callers = ["", "nobody", *(symbol.qualified for symbol in found)]
        calls = draw(st.lists(st.builds(call, names, st.integers(1, 9), st.sampled_from(callers), names), max_size=4))
        written[path] = parsed(
            path, *draw(st.lists(st.sampled_from(TEXTS), max_size=4)), symbols=found, calls=calls,
            bindings=draw(st.lists(bindings, max_size=2)), tags=draw(st.sampled_from([(), ("test",), ("docs", "\0")])),
            names=draw(st.sampled_from([(), ("", "x"), ("a\nb",)])), symbol=draw(st.sampled_from(["", "\0", "a.b", "\x1a0"])),
            language=draw(st.sampled_from(["python", "go"])),
        )  # fmt: skip
    return written


@st.composite
def steps(draw):
    written = draw(files())
    removed = draw(st.sets(st.sampled_from(PATHS), max_size=2))
    moves = []
    if written and draw(st.booleans()):
        moves = [Move(draw(st.sampled_from(PATHS)), draw(st.sampled_from(sorted(written))))]
    return list(written.values()), removed, [move for move in moves if move.old_path != move.new_path]


def content(chunk):
    """A chunk without the moment at which it was put."""
    return (chunk.row, chunk.id, chunk.title, chunk.text, chunk.chunk_type, chunk.file_path, chunk.language, chunk.symbol,
            chunk.kind, chunk.ordinal, chunk.tags, chunk.names, chunk.generation, chunk.change_seq, chunk.content_hash)  # fmt: skip


def everything(store):
    """All that can be asked of a store and of its newest moment, but for times."""
    with store.reader() as reader:
        seqs = range(reader.change_seq + 1)
        yield "rows", reader.rows(), reader.count(), [reader.rows(since=seq) for seq in seqs]
        yield "chunks", [content(chunk) for chunk in reader.chunks(reader.rows())]
        yield "lights", reader.lights(reader.rows())
        yield "removed", [reader.removed(seq) for seq in seqs]
        yield "symbols", {name: reader.symbols(name) for name in [*NAMES, "Thing.beta", "b.alpha", "c", "ö", "b"]}
        yield "calls", {name: reader.calls(name) for name in NAMES}, {path: reader.calls(path=path) for path in PATHS}
        yield "heirs", {name: reader.heirs(name) for name in NAMES}
        yield "aliases", {name: reader.aliases(name) for name in NAMES}
        yield "outlines", [reader.outline(path) for path in PATHS], reader.names(), list(reader.files().items())
        yield "by path", [[content(chunk) for chunk in reader.chunks_of(path)] for path in PATHS]
        filters = [Filters(tags=("\0",)), Filters(languages=("go",)), Filters(paths=("src/**",)), Filters(kinds=("x",))]
        yield "filters", [reader.rows(one) for one in filters]
        stored = reader.stored_files()
        yield "files", stored, list(reader.stored_texts(stored)), [reader.stored_files(since=seq) for seq in seqs]
        yield "first", reader.first(reader.rows()[::-1], 5)
    yield "known", {path: (file.digest, file.generation, file.mark) for path, file in store.files().items()}


@pytest.fixture(scope="module")
def databases(postgres):
    with postgres.database() as url:
        connections = Connections(url)
        yield url, connections, count()
        connections.close()


@given(st.lists(steps(), max_size=8))
@settings(max_examples=40)
def test_any_history_leaves_the_same_in_both(databases, history):
    url, connections, number = databases
    with TemporaryDirectory() as folder:
        one = SqliteStore.open(Path(folder) / "store.db", "p")
        other = PostgresStore.open(url, f"p{next(number)}", connections=connections)
        for written, removed, moves in history:
            assert one.put(written, removed=removed, moves=moves) == other.put(written, removed=removed, moves=moves)
        for left, right in zip(everything(one), everything(other), strict=True):
            assert left == right
        assert one.audit() == other.audit() == []
        one.close()
