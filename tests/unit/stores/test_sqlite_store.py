"""The embedded store as a file: made, moved forward, damaged, shared by threads and processes, killed."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from parsed import call, function, parsed, sha, texts_of
from scova.core.own_folder import MARKER
from scova.errors import DerivedDamaged, IndexMissing, IndexState, Overtaken, StoreDamaged, StoreTooNew
from scova.stores import database
from scova.stores.database import connect
from scova.stores.layout import set_aside
from scova.stores.sqlite import SqliteReader, SqliteStore, pinned, schema
from scova.types import CLOCK_GRAIN_NS, Binding, Filters, Mark, Move, Share

TESTS = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index" / "store.db"


@pytest.fixture
def store(path):
    with SqliteStore.open(path, "shop") as opened:
        yield opened


def filled(path, files=40):
    with SqliteStore.open(path, "shop") as opened:
        for n in range(files):
            file = parsed(
                f"f{n}.py", *(f"{n} {m} " * 100 for m in range(5)), symbols=[function("f")], calls=[call("g")]
            )
            opened.put([file])
    return path


def raw(path, *statements):
    """Change a store behind its back."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


# --- as a file


def test_what_was_put_is_there_after_opening_again(path):
    with SqliteStore.open(path, "shop") as first:
        first.put([parsed("a.py", "one")])
        first.put_settings({"model": "x", "other": "y"})
        store_id = first.reader().store_id
    with SqliteStore.open(path, "shop") as again, again.reader() as reader:
        assert texts_of(reader) == {"a.py": ["one"]}
        assert (again.setting("model"), again.setting("other"), again.setting("none")) == ("x", "y", None)
        assert reader.store_id == store_id
    assert {entry.name for entry in path.parent.iterdir()} == {"store.db", MARKER}, (
        "nothing is left beside a closed store"
    )


def test_a_project_keeps_the_name_it_was_made_with(path):
    SqliteStore.open(path, "shop").close()
    with SqliteStore.open(path, "bakery") as store:
        assert store.project == "shop"


def test_a_log_left_by_a_deleted_store_is_not_replayed_into_the_next(path):
    filled(path, files=2)
    lingering = SqliteStore.open(path, "shop")
    lingering.put([parsed("ghost.py", "boo")])
    wal = path.with_name("store.db-wal").read_bytes()
    lingering.close()
    path.unlink()
    path.with_name("store.db-wal").write_bytes(wal)
    with SqliteStore.open(path, "shop") as fresh:
        assert fresh.files() == {} and fresh.audit() == []


def test_a_reader_of_no_store_says_so(path):
    with pytest.raises(IndexMissing):
        SqliteReader.open(path, "shop")


def test_moves_are_recorded_while_they_lead_to_a_file_that_is_there(store, path):
    def moves():
        return set(store._all("SELECT old_path, new_path FROM file_moves"))

    store.put([parsed("a.py", "text")])
    store.put([parsed("b.py", "text")], moves=[Move("a.py", "b.py")])
    store.put([parsed("c.py", "text")], moves=[Move("b.py", "c.py")])
    assert moves() == {("a.py", "b.py"), ("b.py", "c.py")}
    store.put([parsed("a.py", "text")], moves=[Move("c.py", "a.py")])
    assert moves() == {("a.py", "b.py"), ("b.py", "c.py"), ("c.py", "a.py")}
    store.put([], removed=["a.py"])
    assert moves() == set(), "a deleted file leaves nothing behind, not even where it came from"


def test_the_tables_that_the_requirements_name_are_as_they_say(store):
    store.put([parsed("a.py", "one", "two")])
    store.put([parsed("a.py", "one", "two", "three")])
    sql = "SELECT project_id, file_path, content_hash, generation FROM indexed_files"
    assert store._all(sql) == [("shop", "a.py", sha("onetwothree"), 2)]
    sql = "SELECT project_id, file_path, current_generation, chunks_count FROM chunk_generations"
    assert store._all(sql) == [("shop", "a.py", 2, 3)]


def test_pruning_shortens_the_log_and_readers_know(store):
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
    assert store.audit() == []


def test_tally_counts(store):
    store.put(
        [parsed("a.py", "1", "2", symbols=[function("f")]), parsed("b.go", "1", language="go", calls=[call("f")] * 2)]
    )
    store.put([parsed("c.py", "1")])
    with store.reader() as reader:
        tally = reader.tally()
    assert (tally.files, tally.chunks, tally.symbols, tally.calls) == (3, 4, 1, 2)
    assert tally.languages == {"python": 2, "go": 1}
    assert tally.chunk_types == {"symbols": 3, "definitions": 1, "data": 0, "documentation": 0}
    assert tally.indexed_at > "2020"


def test_unchanged_skips_and_settings_write_nothing(store):
    store.put_settings({"a": "1"})
    before = store._connection.total_changes
    store.put_settings({"a": "1"})
    store.put_skips([])
    assert store._connection.total_changes == before


def test_sync_and_closing_twice_are_harmless(path):
    store = SqliteStore.open(path, "shop")
    store.sync()
    store.put([parsed("a.py", "one")])
    store.sync()
    reader = store.reader()
    reader.close(), reader.close(), store.close(), store.close()
    with pytest.raises(sqlite3.ProgrammingError):
        reader.rows()


# --- other versions


def test_a_store_of_a_newer_scova_is_left_alone(path):
    filled(path, files=1)
    raw(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    for attempt in (lambda: SqliteStore.open(path, "shop"), lambda: SqliteReader.open(path, "shop")):
        with pytest.raises(StoreTooNew, match="99") as caught:
            attempt()
        assert "--data" in caught.value.hint
    assert path.read_bytes() == before


def test_a_process_that_stayed_open_does_not_write_into_a_newer_format(store, path):
    store.put([parsed("a.py", "one")])
    raw(path, "PRAGMA user_version = 99")
    with pytest.raises(StoreTooNew):
        store.put([parsed("a.py", "two")])
    raw(path, f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
    with store.reader() as reader:
        assert texts_of(reader) == {"a.py": ["one"]}


def add_column(connection):
    connection.execute("ALTER TABLE skips ADD COLUMN since TEXT")


def fill_column(connection):
    connection.execute("UPDATE skips SET since = 'long ago'")


def fail(connection):
    connection.execute("UPDATE skips SET since = 'never'")
    raise RuntimeError("power cut")


def test_an_older_store_is_migrated_step_by_step(path, caplog):
    filled(path, files=1)
    raw(path, "PRAGMA user_version = 1")
    raw(path, "INSERT INTO skips (path, reason, detail) VALUES ('a', 'b', 'c')")
    connection = connect(path, cache_kib=100)
    with caplog.at_level("INFO"):
        assert schema.migrate(connection, path, (add_column, fill_column)) == ["add_column", "fill_column"]
    assert "from format 1 to 2 (add_column)" in caplog.text
    assert connection.execute("SELECT since FROM skips").fetchall() == [("long ago",)]
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    assert schema.migrate(connection, path, (add_column, fill_column)) == []
    with pytest.raises(StoreTooNew):
        schema.migrate(connection, path, (add_column,))
    connection.close()


def test_a_step_that_fails_leaves_the_store_as_the_step_before_left_it(path):
    filled(path, files=1)
    raw(path, "PRAGMA user_version = 1")
    raw(path, "INSERT INTO skips (path, reason, detail) VALUES ('a', 'b', 'c')")
    connection = connect(path, cache_kib=100)
    with pytest.raises(RuntimeError):
        schema.migrate(connection, path, (add_column, fail))
    assert connection.execute("SELECT since FROM skips").fetchall() == [(None,)]
    assert schema.migrate(connection, path, (add_column, fill_column)) == ["fill_column"]
    connection.close()


def test_two_processes_may_migrate_at_once(path):
    filled(path, files=1)
    raw(path, "PRAGMA user_version = 1")
    taken, connections = [], [connect(path, cache_kib=100) for _ in range(2)]
    start = threading.Barrier(2)

    def work(connection):
        start.wait()
        taken.extend(schema.migrate(connection, path, (add_column, fill_column)))

    threads = [threading.Thread(target=work, args=(connection,)) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == ["add_column", "fill_column"]
    for connection in connections:
        connection.close()


def test_a_store_of_the_first_format_gets_bindings_and_can_be_looked_up_by_more(path):
    """Nothing of what it held is lost, the audit is clean at once, and every file can be replaced afterwards."""
    nested = function("c", "a.b", qualified="a.b.c")
    with SqliteStore.open(path, "shop") as store:
        store.put([parsed("a.py", "one", symbols=[nested], calls=[call("h")]), parsed("b.py", "two")])
    raw(path, "DROP TABLE bindings")
    raw(path, "INSERT INTO lookup (lookup) VALUES ('delete-all')")
    raw(path, "PRAGMA user_version = 1")
    with SqliteStore.open(path, "shop") as store:
        assert store.audit() == []
        with store.reader() as reader:
            assert reader.symbols("b.c") == [("a.py", nested)] and len(reader.calls("h")) == 1
            assert reader.outline("a.py").outline.bindings == ()
        store.put([parsed("a.py", "three", bindings=[Binding("x", "m", "import", member="y")])], removed=["b.py"])
        assert store.audit() == []
        with store.reader() as reader:
            assert [path for path, _ in reader.aliases("y")] == ["a.py"] and reader.symbols("b.c") == []


def test_a_store_of_the_second_format_learns_which_names_its_files_define_and_use(path):
    file = parsed(
        "a.py", "one", symbols=[function("serve")], calls=[call("dial")], bindings=[Binding("Net", "m", "import")]
    )
    with SqliteStore.open(path, "shop") as store, store.reader() as empty:
        store.put([file, parsed("b.py", "two")])
        assert empty.ties(["a.py"]) == {}
        with store.reader() as reader:
            before = reader.ties(["a.py", "b.py"])
    for column in ("defines", "uses"):
        raw(path, f"ALTER TABLE bindings DROP COLUMN {column}")
    raw(path, "PRAGMA user_version = 2")
    with SqliteStore.open(path, "shop") as store, store.reader() as reader:
        assert len(before["a.py"].uses) == 2 and reader.ties(["a.py", "b.py"]) == before
        assert store.audit() == []


# --- damage


def use_everything(path):
    """Every way into a store; a sound one passes through here without a word."""
    with SqliteStore.open(path, "shop") as store:
        assert len(store.files()) == 40
        store.skips(), store.setting("x")
        with store.reader() as reader:
            assert len(reader.chunks(reader.rows())) == reader.count() == 200
            reader.lights(reader.rows())
            reader.rows(Filters(languages=("python",), paths=("*.py",)))
            assert len(reader.symbols("f")) == len(reader.calls("g")) == 40
            reader.tally()
            for n in range(40):
                assert len(reader.chunks_of(f"f{n}.py")) == 5
        found = store.audit()
        if found:
            raise StoreDamaged(str(found[0]))
        store.put([parsed(f"f{n}.py", "new") for n in range(40)])


def test_a_sound_store_passes(path):
    use_everything(filled(path))


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.5, 0.99])
def test_a_truncated_store_is_damaged(path, share):
    size = filled(path).stat().st_size
    os.truncate(path, int(size * share))
    with pytest.raises(StoreDamaged) as caught:
        use_everything(path)
    assert str(path) in caught.value.message and "scova repair" in caught.value.hint


def test_a_file_that_is_something_else_is_damaged(path):
    path.parent.mkdir()
    path.write_text("I am a poem, " * 1000)
    with pytest.raises(StoreDamaged):
        SqliteStore.open(path, "shop")
    path.unlink()
    raw(path, "CREATE TABLE other (x)")
    with pytest.raises(StoreDamaged, match="not a scova store"):
        SqliteStore.open(path, "shop")


def test_flipped_bytes_end_in_a_clear_word_or_do_no_harm(path, tmp_path):
    """Anything but our own errors, or an assertion about wrong answers, would be a traceback in front of a user."""
    sound = filled(path)
    content = sound.read_bytes()
    draw, named = random.Random(3), 0
    for n in range(60):
        broken = tmp_path / f"broken{n}" / "store.db"
        broken.parent.mkdir()
        flipped = bytearray(content)
        start = draw.choice([0, draw.randrange(len(content))])
        for _ in range(draw.choice([1, 20, 200])):
            flipped[min(start + draw.randrange(400), len(content) - 1)] ^= 1 << draw.randrange(8)
        broken.write_bytes(flipped)
        try:
            use_everything(broken)
        except (IndexState, AssertionError):
            named += 1
        shutil.rmtree(broken.parent)
    assert named > 20


def test_a_damaged_store_can_be_set_aside_and_begun_anew(path):
    filled(path, files=3)
    os.truncate(path, 5000)
    assert set_aside(path).name == "store.db.damaged-1"
    with SqliteStore.open(path, "shop") as fresh:
        assert fresh.files() == {}
    assert set_aside(path).name == "store.db.damaged-2"


# --- threads and processes


def test_threads_share_a_store_and_a_reader(store):
    store.put([parsed(f"f{n}.py", "text") for n in range(20)])

    def work(number):
        with store.reader() as own:
            for _ in range(30):
                assert len(shared.chunks(shared.rows())) == 20
                assert own.count() >= 20
                store.put([parsed(f"t{number}.py", "more")])
                store.files(), store.skips()

    with store.reader() as shared, ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))
    assert store.audit() == [] and len(store.files()) == 26


def test_a_forked_child_leaves_the_parents_reader_alone(store):
    store.put([parsed("a.py", "one")])
    reader = store.reader()
    child = os.fork()
    if child == 0:
        del reader  # the last reference in the child
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    store.put([parsed("a.py", "two")])
    assert texts_of(reader) == {"a.py": ["one"]}
    reader.close()


WRITER = """
import sys
from pathlib import Path
from parsed import parsed, function, call
from scova.stores.sqlite import SqliteStore
path, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = SqliteStore.open(path, "shop")
print("ready", flush=True)
for n in range(rounds):
    mark = f"{name} {n}"
    files = [parsed(f"{name}/{k}.py", *[f"{mark} {k} {m}" for m in range(4)], symbols=[function(f"f{k}")],
                    calls=[call("g", m, f"f{k}") for m in range(5)]) for k in range(20)]
    store.put(files, removed=[f"{name}/extra{n - 1}.py"])
    store.put([parsed(f"{name}/extra{n}.py", mark)])
store.close()
"""


def writer(path, name, rounds):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(rounds)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_that_make_and_write_one_store_take_turns(path):
    processes = [writer(path, name, 15) for name in ("one", "two", "three")]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    with SqliteStore.open(path, "shop") as store, store.reader() as reader:
        assert store.audit() == []
        assert reader.change_seq == 3 * 30 and len(store.files()) == 3 * 21
        assert {text.rsplit(" ", 2)[0] for texts in texts_of(reader).values() for text in texts if text.count(" ") == 3} == {
            "one 14", "two 14", "three 14",
        }  # fmt: skip


def test_a_writer_killed_at_any_moment_leaves_whole_changes_only(path):
    draw = random.Random(11)
    for attempt in range(8):
        process = writer(path, "killed", 10_000)
        process.stdout.readline()
        with SqliteStore.open(path, "shop") as watching:
            start = change = watching.reader().change_seq
            # No sleep: the moment is chosen by how far the other has come, and how often we look.
            for _ in range(draw.randrange(1, 60)):
                with watching.reader() as reader:
                    change = reader.change_seq
            while change < start + 2:
                with watching.reader() as reader:
                    change = reader.change_seq
            process.send_signal(signal.SIGKILL)
            process.communicate()
        with SqliteStore.open(path, "shop") as store, store.reader() as reader:
            assert store.audit() == [], f"attempt {attempt}"
            assert reader.change_seq >= change, "nothing that was seen committed is lost"
            marks = {
                text.split(" ")[1] for file, texts in texts_of(reader).items() if "extra" not in file for text in texts
            }
            assert len(marks) == 1, "all twenty files are of one generation"


def test_a_store_killed_while_being_made_is_made_by_the_next(path):
    script = f"""
import os, signal, sqlite3
from pathlib import Path
from scova.stores.sqlite import schema
os.urandom = lambda size: os.kill(os.getpid(), signal.SIGKILL)
schema.create(Path({str(path)!r}), "shop")
"""
    env = {**os.environ, "PYTHONPATH": str(TESTS.parent / "src")}
    assert subprocess.run([sys.executable, "-c", script], env=env, check=False).returncode == -signal.SIGKILL
    assert not path.exists()
    with SqliteStore.open(path, "shop") as store:
        assert store.files() == {} and store.audit() == []


# --- what files looked like


def test_every_file_is_in_exactly_one_part(path):
    filled(path, files=17)
    with SqliteStore.open(path, "shop") as store:
        store.put([], removed=["f0.py", "f5.py", "f16.py"])
        with store.reader() as reader:
            everything = list(reader.seen())
            assert len(everything) == 14
            for count in (1, 2, 3, 5, 40):
                assert [one for number in range(count) for one in reader.seen(Share(number, count))] == everything


def test_a_mark_that_is_too_young_to_be_trusted_has_no_time(store):
    file = replace(parsed("a.py", "one"), mark=Mark(7, 1_000_000_000), read_ns=1_000_000_000 + CLOCK_GRAIN_NS)
    store.put([file, replace(file, path="b.py", read_ns=file.read_ns - 1)])
    with store.reader() as reader:
        assert list(reader.seen()) == [("a.py", 7, 1_000_000_000), ("b.py", 7, None)]


def test_no_file_has_no_part(store):
    with store.reader() as reader:
        assert list(reader.seen()) == list(reader.seen(Share(1, 2))) == []


# --- readers that nobody holds


def put(store, text):
    return store.put([parsed("f.py", text)])


def test_a_reader_that_was_released_pins_the_same_moment_again_as_long_as_it_is_the_newest(store):
    put(store, "one")
    with store.reader() as reader:
        assert reader.hold()
        reader.release()
        store.put_settings({"a": "b"})  # a commit that changes nothing of what a reader tells
        assert texts_of(reader)["f.py"] == ["one"]
        assert reader.hold()
        put(store, "two")
        assert texts_of(reader)["f.py"] == ["one"], "it is held"
        reader.release()
        with pytest.raises(Overtaken):
            texts_of(reader)
        assert not reader.hold()


def test_a_reader_held_by_two_stays_until_both_have_released_it(store):
    put(store, "one")
    with store.reader() as reader:
        assert reader.hold() and reader.hold()
        reader.release()
        put(store, "two")
        assert texts_of(reader)["f.py"] == ["one"]
        reader.release()
        assert not reader.hold()


def test_a_moment_whose_removals_were_forgotten_meanwhile_is_another_one(store):
    """It would otherwise answer that nothing was removed."""
    put(store, "one")
    put(store, "two")
    with store.reader() as reader:
        reader.hold()
        reader.release()
        store.prune_removed(reader.change_seq)
        assert not reader.hold()


def test_a_reader_that_pins_anew_in_the_middle_never_tells_of_another_moment(store, monkeypatch):
    monkeypatch.setattr(pinned, "RENEW_SECONDS", 0.0)
    monkeypatch.setattr(pinned, "LONG_LOG_BYTES", 0)
    put(store, "text 0")
    for number in range(1, 40):
        with store.reader() as reader:
            assert reader.hold()
            store.put_settings({"n": str(number)})
            assert texts_of(reader)["f.py"] == [f"text {number - 1}"]
            put(store, f"text {number}")
            assert texts_of(reader)["f.py"] == [f"text {number - 1}"]
            reader.release()


def test_a_reader_that_was_closed_cannot_be_held(store):
    put(store, "one")
    reader = store.reader()
    reader.close()
    assert not reader.hold()


def test_an_idle_reader_lets_the_log_begin_anew(store):
    put(store, "one")
    with store.reader() as reader:
        reader.hold()
        reader.release()
        connection = connect(store.path, cache_kib=0)
        connection.execute("PRAGMA busy_timeout = 0")
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        connection.close()
        assert database.log_bytes(store.path) == 0
        assert texts_of(reader)["f.py"] == ["one"]
