"""An audit finds every kind of disagreement, and a repair leaves none; damage is made behind the store's back."""

import sqlite3

import pytest

from parsed import call, function, parsed, texts_of
from scova.errors import StoreDamaged
from scova.stores.audit import compare_rows
from scova.stores.sqlite import SqliteStore
from scova.types import Finding, Row

FILES = [
    parsed("a.py", "one", "two", symbols=[function("f"), function("g", "F")], calls=[call("h", 2, "f"), call("h", 3)]),
    parsed("b.py", "three", symbols=[function("k")], calls=[call("f", 1, "k")]),
    parsed("c.py", "four"),
]

# what is done to the store; what the audit says of it (part, problem); which files have to be read again afterwards
DAMAGES = {
    "file without generation": ("DELETE FROM chunk_generations WHERE file_path = 'a.py'", "chunk_generations missing", {"a.py"}),
    "generation without file": ("INSERT INTO chunk_generations VALUES ('shop', 'x.py', 1, 1, '')", "chunk_generations orphan", set()),
    "wrong generation": ("UPDATE chunk_generations SET current_generation = 7 WHERE file_path = 'a.py'", "chunk_generations mismatch", {"a.py"}),
    "wrong count": ("UPDATE chunk_generations SET chunks_count = 9 WHERE file_path = 'a.py'", "chunk_generations mismatch", {"a.py"}),
    "file removed alone": ("DELETE FROM indexed_files WHERE file_path = 'a.py'", "chunks orphan", {"a.py"}),
    "chunk lost": ("DELETE FROM chunks WHERE id = (SELECT id FROM chunks WHERE ordinal = 1)", "chunk_generations mismatch", {"a.py"}),
    "old generation left": ("UPDATE chunks SET generation = 0 WHERE ordinal = 1", "chunks orphan", {"a.py"}),
    "symbols of nothing": ("UPDATE symbols SET file_id = 77 WHERE name = 'k'", "symbols orphan", {"b.py"}),
    "calls of nothing": ("INSERT INTO calls VALUES (77, 1, 0, 'x', NULL, NULL, 1)", "calls orphan", set()),
    "caller of nothing": ("DELETE FROM symbols WHERE name = 'k'", "calls mismatch", {"b.py"}),
    "bindings lost": ("DELETE FROM bindings WHERE file_id = 1", "bindings missing", {"a.py"}),
    "bindings of nothing": ("INSERT INTO bindings VALUES (77, 1, NULL, NULL, NULL, NULL, NULL)", "bindings orphan", set()),
    "bindings of no meaning": ("UPDATE bindings SET bound = '[[' WHERE file_id = 1", "bindings mismatch", {"a.py"}),
    "names of another file": ("UPDATE bindings SET uses = x'00000000' WHERE file_id = 1", "bindings mismatch", {"a.py"}),
    "text lost": ("DELETE FROM chunk_texts WHERE text = 'two'", "chunks missing", {"a.py"}),
    "text of nothing": ("INSERT INTO chunk_texts VALUES (999, 'who?')", "chunk_texts orphan", set()),
    "text changed": ("UPDATE chunk_texts SET text = 'two!' WHERE text = 'two'", "chunk_texts mismatch", {"a.py"}),
    "embedding key changed": ("UPDATE chunks SET embed_key = x'00' WHERE ordinal = 1", "chunks mismatch", {"a.py"}),
    "same id twice": ("UPDATE chunks SET id = (SELECT id FROM chunks WHERE ordinal = 1)", "chunks mismatch", {"a.py", "b.py", "c.py"}),
    "unknown word": ("UPDATE chunks SET kind = 88 WHERE ordinal = 1", "chunks mismatch", {"a.py"}),
    "unknown kind of symbol": ("UPDATE symbols SET kind = 88 WHERE name = 'k'", "symbols mismatch", {"b.py"}),
    "removed but there": ("INSERT INTO removed_chunks SELECT 1, row, id, 1 FROM chunks LIMIT 1", "removed_chunks mismatch", set()),
    "sequence behind": ("UPDATE meta SET value = '0' WHERE key = 'change_seq'", "meta mismatch", set()),
    "count of all": ("UPDATE meta SET value = '5' WHERE key = 'chunks'", "meta mismatch", set()),
    "cannot be looked up": ("INSERT INTO lookup (lookup) VALUES ('delete-all')", "lookup mismatch", {"a.py", "b.py", "c.py"}),
    "looked up in vain": ("INSERT INTO lookup (rowid, tokens) VALUES (55, 'dabc')", "lookup orphan", set()),
    "newer before older": ("UPDATE chunks SET change_seq = 1 WHERE ordinal = 0 AND file_id = 3", "chunks mismatch", {"c.py"}),
    "of another project": ("UPDATE indexed_files SET project_id = 'bakery' WHERE file_path = 'a.py'", "indexed_files orphan", {"a.py"}),
}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "store.db"
    with SqliteStore.open(path, "shop") as store:
        store.put(FILES[:2])
        store.put(FILES[2:])
        store.put(FILES[1:2])
        store.put(FILES[2:])
    return path


def damage(path, sql):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(sql)
    connection.close()


@pytest.mark.parametrize("name", DAMAGES)
def test_every_disagreement_is_found_and_mended(path, name):
    sql, expected, reread = DAMAGES[name]
    damage(path, sql)
    with SqliteStore.open(path, "shop") as store:
        found = store.audit()
        assert expected in {f"{finding.part} {finding.problem}" for finding in found}
        with store.reader() as before:
            seq = before.change_seq
            assert store.repair() == found
        assert store.audit() == [], "a repair leaves nothing to find"
        assert {"a.py", "b.py", "c.py"} - set(store.files()) == reread, "only files that are not whole are read again"
        with store.reader() as reader:
            assert reader.change_seq > seq or not reread, "readers notice"
            assert set(texts_of(reader)) == set(store.files())
        store.put([file for file in FILES if file.path in reread])
        assert store.audit() == []
        with store.reader() as reader:
            assert texts_of(reader) == {"a.py": ["one", "two"], "b.py": ["three"], "c.py": ["four"]}
            assert [path for path, _ in reader.symbols("F.g")] == ["a.py"]
            assert [call.caller for _, call in reader.calls("f")] == ["k"]


def test_a_sound_store_needs_no_repair(path):
    with SqliteStore.open(path, "shop") as store:
        before = store._connection.total_changes
        assert store.repair() == [] and store._connection.total_changes == before


def test_a_repair_logs_what_it_removes(path):
    with SqliteStore.open(path, "shop") as store, store.reader() as before:
        rows = {row for row in before.rows() if before.chunks([row])[0].file_path == "a.py"}
        damage(path, "UPDATE chunk_texts SET text = 'x' WHERE text = 'two'")
        store.repair()
        with store.reader() as after:
            assert (
                {row for row, _ in after.removed(before.change_seq)} == rows == set(before.rows()) - set(after.rows())
            )


def test_a_torn_file_is_not_mended_but_named(path):
    with SqliteStore.open(path, "shop") as store:
        store.put([parsed(f"{n}.py", "text " * 300, "more " * 300) for n in range(50)])
    content = bytearray(path.read_bytes())
    for page in range(5, len(content) // 4096, 2):
        content[page * 4096 : page * 4096 + 40] = b"\xff" * 40
    path.write_bytes(content)
    with SqliteStore.open(path, "shop") as store:
        found = store.audit()
        assert {finding.problem for finding in found} == {"damaged"}
        with pytest.raises(StoreDamaged):
            store.repair()


def test_rows_of_a_derived_index_are_compared_with_the_store():
    rows = {Row(1), Row(2), Row(3)}
    assert compare_rows("text", rows, [Row(3), Row(1), Row(2)]) == []
    assert compare_rows("text", rows, [Row(1), Row(1), Row(9)]) == [
        Finding("text", "orphan", "row 9", "not in the store"),
        Finding("text", "missing", "row 2", "in the store only"),
        Finding("text", "missing", "row 3", "in the store only"),
        Finding("text", "mismatch", "row 1", "there 2 times"),
    ]
