"""However a store came to hold its files, it holds the same as one that was built from nothing."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from parsed import call, function, parsed
from scova.stores.memory import MemoryStore
from scova.stores.sqlite import SqliteStore
from scova.types import Move

PATHS = [f"{folder}{name}.py" for folder in ("", "src/", "src/deep/") for name in "abc"]
WORDS = ["alpha", "beta", "gamma", "delta"]


def file_of(path, seed):
    draw = random.Random(seed)
    texts = [draw.choice(WORDS) * draw.randint(1, 3) for _ in range(draw.randint(0, 4))]
    symbols = [function(draw.choice(WORDS), parent=draw.choice(["", "Thing"])) for _ in range(draw.randint(0, 3))]
    callers = ["", "nobody", *(symbol.qualified for symbol in symbols)]
    calls = [call(draw.choice(WORDS), line, draw.choice(callers)) for line in range(draw.randint(0, 5))]
    return parsed(path, *texts, symbols=symbols, calls=calls, tags=draw.choice([(), ("test",), ("docs", "test")]))


def contents(store, paths):
    """Everything that can be read, without what depends on the history: rows, sequence, generation, times."""
    with store.reader() as reader:
        assert reader.count() == len(reader.rows())
        stored = {
            path: [
                (c.id, c.text, c.ordinal, c.chunk_type, c.names, c.tags, c.symbol, c.kind)
                for c in reader.chunks_of(path)
            ]
            for path in paths
        }
        for path in paths:
            for chunk in reader.chunks_of(path):
                assert reader.chunk_by_id(chunk.id) == chunk
        symbols = {name: reader.symbols(name) for word in WORDS for name in (word, f"Thing.{word}")}
        calls = {word: reader.calls(word) for word in WORDS}
    return stored, symbols, calls, {path: file.digest for path, file in store.files().items()}


operations = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(PATHS), st.integers(0, 50), max_size=3),
        st.sets(st.sampled_from(PATHS), max_size=2),
        st.none() | st.tuples(st.sampled_from(PATHS), st.sampled_from(PATHS)),
    ),
    max_size=12,
)


def play(stores, truth, operation):
    """One put on every store; `truth` holds the seed of each file that should be there."""
    written, removed, move = operation
    moves = []
    if move and move[0] in truth and move[0] != move[1]:
        written = {**written, move[1]: truth[move[0]]}
        moves = [Move(*move)]
    for path in {*removed, *(m.old_path for m in moves)}:
        truth.pop(path, None)
    truth.update(written)
    files = [file_of(path, seed) for path, seed in written.items()]
    rows = [store.put(files, removed=removed, moves=moves) for store in stores]
    assert all(given_rows == rows[0] for given_rows in rows)


@given(operations)
@settings(max_examples=25)
def test_any_history_ends_as_if_built_from_nothing(history):
    with TemporaryDirectory() as folder:
        lived = SqliteStore.open(Path(folder) / "lived.db", "p")
        fake, truth = MemoryStore("p"), {}
        for operation in history:
            play([lived, fake], truth, operation)
        fresh = SqliteStore.open(Path(folder) / "fresh.db", "p")
        fresh.put([file_of(path, seed) for path, seed in truth.items()])
        assert lived.audit() == [] == fresh.audit()
        assert contents(lived, PATHS) == contents(fresh, PATHS) == contents(fake, PATHS)
        assert set(lived.files()) == set(truth)
        with lived.reader() as one, fake.reader() as other:
            for since in range(one.change_seq + 1):
                assert one.removed(since) == other.removed(since)
                assert one.rows(since=since) == other.rows(since=since)
        lived.close(), fresh.close()


def test_a_hundred_random_changes_leave_no_orphan(tmp_path):
    draw = random.Random(7)
    paths = [f"dir{n % 5}/file{n}.py" for n in range(40)]
    store, truth = SqliteStore.open(tmp_path / "lived.db", "p"), {}
    for _ in range(100):
        written = {draw.choice(paths): draw.randint(0, 10**6) for _ in range(draw.randint(0, 5))}
        removed = set(draw.sample(paths, draw.randint(0, 3))) - set(written)
        known = sorted(set(truth) - set(written) - removed)
        move = (draw.choice(known), draw.choice(paths)) if known and draw.random() < 0.4 else None
        play([store], truth, (written, removed, move))
    assert store.audit() == []
    fresh = SqliteStore.open(tmp_path / "fresh.db", "p")
    fresh.put([file_of(path, seed) for path, seed in sorted(truth.items())])
    assert contents(store, paths) == contents(fresh, paths)
    store.close(), fresh.close()
