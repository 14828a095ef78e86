"""What only the store on PostgreSQL has to do: many projects in one database, formats, plans, moments that are let go."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest

from parsed import call, function, parsed, texts_of
from scova.errors import IndexBusy, IndexMissing, IndexState, ScovaError, StoreDamaged, StoreTooNew, UsageError
from scova.stores.postgres import (
    Connections,
    PostgresEmbeddings,
    PostgresJobs,
    PostgresStore,
    PostgresTokens,
    create_project,
    project_names,
    remove_project,
    schema,
)
from scova.stores.postgres.reading import outlines, reader
from scova.types import Binding, Skip

psycopg = pytest.importorskip("psycopg", reason="no driver for PostgreSQL: pip install 'psycopg[binary]'")


@pytest.fixture
def connections(postgres_url):
    made = Connections(postgres_url)
    yield made
    made.close()


@pytest.fixture
def store(postgres_url, connections):
    with PostgresStore.open(postgres_url, "shop", connections=connections) as made:
        yield made


def sql(url, *statements):
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_projects_in_one_database_do_not_see_each_other(postgres_url, connections, store):
    file = parsed("a.py", "one", symbols=[function("f", bases=("B",))], calls=[call("g")],
                  bindings=[Binding("x", "m", "import", line=1, member="y")])  # fmt: skip
    store.put([file])
    store.put_skips([Skip("s", "binary")])
    store.put_settings({"key": "mine"})
    with PostgresStore.open(postgres_url, "bakery", connections=connections) as other, other.reader() as empty:
        assert other.store_id != store.store_id and (other.files(), other.skips(), other.setting("key")) == (
            {},
            [],
            None,
        )
        assert (empty.count(), empty.rows(), empty.files(), empty.names(), empty.stored_files()) == (0, [], {}, [], [])
        assert empty.symbols("f") == empty.calls("g") == empty.heirs("B") == empty.aliases("y") == []
        assert (
            empty.chunk_by_id(file.chunks[0].id) is None and empty.chunks([1]) == [] and empty.outline("a.py") is None
        )
        assert other.put([parsed("a.py", "theirs")]) == [1], "rows are counted within a project"
        other.put([], removed=["a.py"])
        assert other.audit() == store.audit() == []
    with store.reader() as mine:
        assert texts_of(mine) == {"a.py": ["one"]} and mine.change_seq == 1


def test_a_removed_project_is_gone_whole_and_one_of_its_name_is_another(postgres_url, connections, store):
    store.put([parsed("a.py", "one", symbols=[function("f")], calls=[call("g")])])
    store.put([parsed("a.py", "two")])
    PostgresStore.open(postgres_url, "bakery", connections=connections).put([parsed("b.py", "bread")])
    assert project_names(connections) == ["bakery", "shop"]
    assert remove_project(connections, "shop") and not remove_project(connections, "shop")
    assert project_names(connections) == ["bakery"]
    for table in schema.TABLES:
        left = sql(postgres_url, f"SELECT count(*) FROM scova.{table} JOIN scova.projects USING (project_id)")
        assert left == sql(postgres_url, f"SELECT count(*) FROM scova.{table}"), table
    for act in (lambda: store.put([parsed("a.py", "x")]), store.reader, store.pulse, store.change_seq):
        with pytest.raises(IndexMissing, match="shop"):
            act()
    with PostgresStore.open(postgres_url, "shop", connections=connections) as anew:
        assert anew.store_id != store.store_id and anew.files() == {} and anew.change_seq() == 0
        with pytest.raises(IndexMissing):
            store.put([parsed("a.py", "x")])


def test_a_project_is_made_once_and_opened_only_where_it_is(postgres_url, connections):
    with pytest.raises(IndexMissing, match="shop"):
        PostgresStore.open(postgres_url, "shop", create=False)
    assert create_project(connections, "shop") and not create_project(connections, "shop")
    with PostgresStore.open(postgres_url, "shop", create=False) as store:
        assert store.files() == {}


def test_one_process_builds_a_project_at_a_time(postgres_url, connections, store):
    code = (
        "import sys, os; from scova.stores.postgres import PostgresStore; store = PostgresStore.open(sys.argv[1], 'shop')\n"
        "with store.exclusive(): print('mine', flush=True); sys.stdin.read(); os.kill(os.getpid(), 9)\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    other = subprocess.Popen([sys.executable, "-c", code, postgres_url], **pipes)
    assert other.stdout.readline() == b"mine\n"
    for wait in (0.0, 0.05):
        with pytest.raises(IndexBusy), store.exclusive(wait_seconds=wait):
            pytest.fail("two at a time")
    store.put([parsed("a.py", "one")])
    with PostgresStore.open(postgres_url, "bakery", connections=connections) as free, free.exclusive():
        pass
    other.communicate()
    assert other.returncode == -9
    with store.exclusive(wait_seconds=10):
        assert texts_of(store.reader()) == {"a.py": ["one"]}
    with store.exclusive():
        pass


def test_the_tables_that_the_requirements_name_are_as_they_say(postgres_url, store):
    store.put([parsed("a.py", "one", "two")])
    store.put([parsed("a.py", "one", "two", "three")])
    found = sql(postgres_url, "SELECT file_path, length(content_hash), generation FROM scova.indexed_files")
    assert found == [("a.py", 64, 2)]
    found = sql(postgres_url, "SELECT file_path, current_generation, chunks_count FROM scova.chunk_generations")
    assert found == [("a.py", 2, 3)]


def test_tables_are_made_once_whoever_else_tries(postgres_url):
    code = "import sys; from scova.stores.postgres import PostgresStore; PostgresStore.open(sys.argv[1], 'p').close()"
    running = [subprocess.Popen([sys.executable, "-c", code, postgres_url], stderr=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate(timeout=120)[1] for process in running] == [b""] * 4
    assert sql(postgres_url, "SELECT version FROM scova.format") == [(schema.SCHEMA_VERSION,)]
    assert sql(postgres_url, "SELECT name FROM scova.projects") == [("p",)]


def test_an_older_database_is_migrated_step_by_step(postgres_url, connections, store):
    store.put([parsed("a.py", "one")])

    def add_colour(connection):
        connection.execute("ALTER TABLE chunks ADD COLUMN colour text")

    def fail(connection):
        connection.execute("ALTER TABLE chunks DROP COLUMN colour")
        raise RuntimeError("half way")

    steps = (*schema.MIGRATIONS, add_colour)
    assert schema.migrate(connections, steps) == ["add_colour"] and schema.migrate(connections, steps) == []
    with pytest.raises(RuntimeError):
        schema.migrate(connections, (*steps, fail))
    assert sql(postgres_url, "SELECT version FROM scova.format") == [(len(steps),)]
    assert sql(postgres_url, "SELECT colour FROM scova.chunks") == [(None,)], "a step that fails leaves all as it was"
    with pytest.raises(StoreTooNew, match="newer"):
        PostgresStore.open(postgres_url, "shop")


def test_a_database_of_the_first_version_gets_what_came_later_by_itself(postgres_url, connections, tmp_path):
    """With what it holds; and once, whichever processes come first."""
    assert schema.migrate(connections, schema.MIGRATIONS[:1]) == ["_first_version"]
    create_project(connections, "shop")
    sql(postgres_url, "INSERT INTO scova.settings SELECT project_id, 'key', 'kept' FROM scova.projects")
    code = (
        "import sys; from scova.stores.postgres import PostgresStore; PostgresStore.open(sys.argv[1], 'shop').close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, postgres_url], stderr=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate(timeout=120)[1] for process in running] == [b""] * 4
    with PostgresStore.open(postgres_url, "shop", connections=connections) as store:
        assert store.setting("key") == "kept"
    assert PostgresEmbeddings(connections).counts() == {} and PostgresTokens(connections).version() == 0
    assert PostgresJobs(connections, tmp_path).list(5) == []
    assert sql(postgres_url, "SELECT version FROM scova.format") == [(schema.SCHEMA_VERSION,)]


def test_a_database_that_cannot_hold_every_character_is_refused(postgres):
    with postgres.database(encoding="SQL_ASCII") as url, pytest.raises(IndexState, match="UTF8"):
        PostgresStore.open(url, "shop")


def test_errors_say_what_to_do_and_no_password(postgres_url, store):
    cases = {
        "postgresql://someone:sesame@127.0.0.1:1/none": IndexState,
        f"{postgres_url}&dbname=not_there&password=sesame": IndexState,
        "postgresql://%zz:sesame": UsageError,
    }
    for url, kind in cases.items():
        with pytest.raises(kind) as raised:
            PostgresStore.open(url, "shop")
        assert raised.value.hint and "sesame" not in str(raised.value) + raised.value.hint
    sql(postgres_url, "DROP TABLE scova.symbols")
    with store.reader() as pinned, pytest.raises(StoreDamaged, match="symbols"):
        pinned.symbols("x")


def test_without_the_driver_it_says_what_to_install():
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from scova.stores.postgres import PostgresStore; from scova.errors import UsageError\n"
        "try: PostgresStore.open('postgresql://x', 'p')\n"
        "except UsageError as error: print(error.hint)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "pip install 'scova[postgres]'", done.stderr


def test_a_moment_that_was_let_go_is_pinned_anew_while_nothing_changed(postgres_url, store):
    """The database ends sessions that are idle for too long, and when it is started anew."""
    store.put([parsed("a.py", "one")])
    pinned = store.reader()
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    for _ in range(2):
        sql(postgres_url, others)
        store.touch({})
        assert texts_of(pinned) == {"a.py": ["one"]}
    store.put([parsed("a.py", "two")])
    assert texts_of(pinned) == {"a.py": ["one"]}, "still pinned, so nothing else shows"
    sql(postgres_url, others)
    for _ in range(2):
        with pytest.raises(IndexState, match="has changed") as raised:
            pinned.rows()
        assert "ask again" in raised.value.hint
    pinned.close(), pinned.close()
    with store.reader() as fresh:
        assert texts_of(fresh) == {"a.py": ["two"]}


def test_an_idle_moment_is_let_go_by_the_database_itself(postgres_url, store, monkeypatch):
    from scova.stores.postgres.reading import pinned as module

    monkeypatch.setattr(module, "_BEGIN", module._BEGIN.replace(f"{module.READER_IDLE_SECONDS}s", "20ms"))
    store.put([parsed("a.py", "one")])
    count = (
        "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()"
    )
    with store.reader() as pinned:
        for _ in range(1000):
            if sql(postgres_url, count) == [(0,)]:
                break
        else:
            pytest.fail("the moment is held for ever")
        assert texts_of(pinned) == {"a.py": ["one"]}


def test_readers_give_their_connections_back(postgres_url, store):
    store.put([parsed("a.py", "one")])
    for _ in range(50):
        with store.reader() as one:
            assert one.count() == 1
        assert store.reader().count() == 1, "one that nobody holds any more lets go by itself"
    count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scova' AND datname = current_database()"
    assert sql(postgres_url, count)[0][0] <= 3


def test_a_closed_reader_does_not_answer(store):
    pinned = store.reader()
    pinned.close()
    with pytest.raises(ValueError, match="closed"):
        pinned.rows()


def test_a_forked_child_leaves_the_parents_connections_alone(store):
    store.put([parsed("a.py", "one")])
    pinned = store.reader()
    child = os.fork()
    if child == 0:
        try:
            del pinned
            with store.reader() as own:
                good = texts_of(own) == {"a.py": ["one"]}
            store.put([parsed("b.py", "of the child")])
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert texts_of(pinned) == {"a.py": ["one"]} and set(store.files()) == {"a.py", "b.py"}
    pinned.close()


def test_removals_are_remembered_for_others_to_catch_up(postgres_url, store):
    for n in range(4):
        store.put([parsed("a.py", f"{n}")])
    store.prune_removed(3)
    with store.reader() as pinned:
        assert len(pinned.removed(1)) == 1, "a process whose derived files are older needs it"
    sql(
        postgres_url, "UPDATE scova.removed_chunks SET removed_at = removed_at - interval '2 days' WHERE change_seq = 2"
    )
    store.prune_removed(3)
    assert sql(postgres_url, "SELECT change_seq FROM scova.removed_chunks ORDER BY 1") == [(3,), (4,)]
    with store.reader() as pinned, pytest.raises(ScovaError):
        pinned.removed(1)
    assert store.remembered == timedelta(days=1)


@pytest.mark.parametrize(
    "question, index",
    [
        ((outlines._SYMBOL, {"project": 1, "name": "f1", "last": "f1", "ending": ".f1"}), "symbols_by_name"),
        ((outlines._SYMBOL, {"project": 1, "name": "f1", "last": "f1", "ending": ".f1"}), "symbols_by_ending"),
        ((outlines._CALL_OF, (1, "g1", "g1")), "calls_by_name"),
        ((outlines._CALL_IN, (1, 1, "1.py", "1.py")), "files_by_path"),
        ((outlines._HEIR, (1, 1, 7)), "lookup_pkey"),
        ((outlines._BOUND, (1, 1, 7)), "lookup_pkey"),
        ((reader._CHUNK + reader._BY_ID, (1, "x", "x")), "chunks_by_id"),
        ((reader._CHUNK + reader._BY_ROW, (1, [1, 2])), "chunks_pkey"),
        ((reader._CHUNK + reader._BY_ROW, (1, [1, 2])), "chunk_texts_pkey"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("known", [False, True], ids=["before it knows the tables", "after"])
def test_questions_are_answered_from_an_index(postgres_url, connections, store, question, index, known):
    store.put([
        parsed(f"{n}.py", *map(str, range(5)), symbols=[function(f"f{n}_{k}", bases=(f"B{k}",)) for k in range(10)],
               calls=[call(f"g{k}") for k in range(20)]) for n in range(300)
    ])  # fmt: skip
    text, values = question
    with connections.lent() as connection:
        if known:
            connection.execute("ANALYZE")
        plan = "\n".join(line for (line,) in psycopg.ClientCursor(connection).execute(f"EXPLAIN {text}", values))
        assert index in plan, plan


def test_a_database_of_the_second_version_learns_which_names_its_files_define_and_use(postgres_url, connections, store):
    file = parsed("a.py", "one", symbols=[function("serve")], calls=[call("dial")])
    store.put([file, parsed("b.py", "two")])
    with store.reader() as reader:
        before = reader.ties(["a.py", "b.py"])
    sql(postgres_url, "ALTER TABLE scova.bindings DROP COLUMN defines, DROP COLUMN uses")
    sql(postgres_url, "UPDATE scova.format SET version = 2")
    assert schema.migrate(connections) == ["_names_of_files"]
    with store.reader() as reader:
        assert len(before["a.py"].uses) == 1 and reader.ties(["a.py", "b.py"]) == before
    assert store.audit() == []
