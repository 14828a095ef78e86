"""A store is asked nothing before it is known to be one that scova made."""

import gzip
import sqlite3
import time
from pathlib import Path

import pytest

from scova.errors import StoreDamaged
from scova.index import Index
from scova.stores.sqlite import SqliteStore
from scova.stores.sqlite.schema import SCHEMA_VERSION
from scova.types import Query
from unit.sources.trees import write

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
FORGERIES = {
    "a view in place of a table": f"""ALTER TABLE meta RENAME TO kept;
        CREATE VIEW meta AS {ENDLESS} SELECT k.key, k.value FROM kept k, n WHERE n.x > 0""",
    "a view beside the tables": f"CREATE VIEW more AS {ENDLESS} SELECT x FROM n",
    "a trigger": f"""CREATE TRIGGER grow AFTER UPDATE ON meta BEGIN
        INSERT INTO skips (path, reason, detail) {ENDLESS} SELECT hex(zeroblob(1000)), 'a', 'b' FROM n; END""",
    "an index": "CREATE INDEX slow ON chunk_texts (text)",
    "a table": "CREATE TABLE more (a)",
    "a column": "ALTER TABLE skips ADD COLUMN more TEXT DEFAULT 'x'",
    "a missing table": "DROP TABLE file_moves",
    "a generated column": """DROP TABLE skips;
        CREATE TABLE skips (ordinal INTEGER PRIMARY KEY, path TEXT NOT NULL, reason TEXT NOT NULL,
            detail TEXT AS (hex(zeroblob(100000000))) NOT NULL)""",
    "another virtual table": "DROP TABLE lookup; CREATE VIRTUAL TABLE lookup USING fts5 (tokens)",
}


@pytest.fixture
def forged(tmp_path):
    """An index in a folder elsewhere, whose store somebody has changed."""
    tree = write(tmp_path / "tree", {"a.py": "def first():\n    return 1\n"})
    data = tmp_path / "data"
    with Index.open(tree, data=str(data)) as index:
        index.refresh()

    def forge(statements):
        connection = sqlite3.connect(data / "store.db")
        connection.executescript(statements)
        connection.close()
        return tree, data

    return forge


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_store_is_refused_at_once_and_built_anew_by_repair(forged, kind, scova):
    tree, data = forged(FORGERIES[kind])
    size = (data / "store.db").stat().st_size
    began = time.process_time()
    for ask in (lambda index: index.search(Query("first")), lambda index: index.refresh(), lambda index: index.audit()):
        with (
            Index.open(tree, data=str(data)) as index,
            pytest.raises(StoreDamaged, match="not made by scova") as caught,
        ):
            ask(index)
        assert "repair" in caught.value.hint
    assert time.process_time() - began < 5
    assert (data / "store.db").stat().st_size == size
    assert scova("repair", tree, "--data", data).code == 0
    assert "a.py" in scova("search", "first", tree, "--data", data).out


def test_stores_of_every_version_are_known(tmp_path):
    old = tmp_path / "store.db"
    old.write_bytes(gzip.decompress((Path(__file__).parents[2] / "crash" / "store-1.db.gz").read_bytes()))
    for _ in range(2):  # migrated, and then as it was made
        with SqliteStore.open(old, "p") as store:
            assert store.files()
    connection = sqlite3.connect(old)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    connection.close()


def test_a_store_of_an_older_version_with_a_trigger_is_not_migrated(tmp_path):
    old = tmp_path / "store.db"
    old.write_bytes(gzip.decompress((Path(__file__).parents[2] / "crash" / "store-1.db.gz").read_bytes()))
    connection = sqlite3.connect(old)
    connection.executescript(FORGERIES["a trigger"])
    connection.close()
    with pytest.raises(StoreDamaged, match="trigger `grow`"):
        SqliteStore.open(old, "p")


def test_a_pinned_moment_is_looked_at_as_well(forged):
    tree, data = forged("SELECT 1")
    with Index.open(tree, data=str(data)) as index:
        index.search(Query("first"))
        forged(FORGERIES["a view beside the tables"])
        with pytest.raises(StoreDamaged, match="view `more`"):
            SqliteStore.reader(index._opened())


def test_tables_without_number_are_not_read_to_the_end(tmp_path):
    path = tmp_path / "store.db"
    SqliteStore.open(path, "p").close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    connection.executescript("".join(f"CREATE TABLE t{number} (a);" for number in range(3000)))
    connection.close()
    with pytest.raises(StoreDamaged):
        SqliteStore.open(path, "p")
