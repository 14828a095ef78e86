"""An audit of a project on PostgreSQL finds every kind of disagreement, and a repair leaves none; other projects stay as they are."""

import pytest

from parsed import call, function, parsed, texts_of
from scova.stores.postgres import PostgresStore
from scova.types import Binding

psycopg = pytest.importorskip("psycopg", reason="no driver for PostgreSQL: pip install 'psycopg[binary]'")

FILES = [
    parsed("a.py", "one", "two", symbols=[function("f"), function("g", "F", bases=("B",))],
           calls=[call("h", 2, "f"), call("h", 3)], bindings=[Binding("n", "m", "import", line=1, member="o")]),
    parsed("b.py", "three", symbols=[function("k")], calls=[call("f", 1, "k")]),
    parsed("c.py", "four"),
]  # fmt: skip

# what is done to the database; what the audit says of it (part, problem); which files have to be put again afterwards
DAMAGES = {
    "file without generation": ("DELETE FROM chunk_generations WHERE file_path = 'a.py'", "chunk_generations missing", {"a.py"}),
    "generation without file": ("INSERT INTO chunk_generations VALUES (1, 77, 'x.py', 1, 1, '')", "chunk_generations orphan", set()),
    "wrong generation": ("UPDATE chunk_generations SET current_generation = 7 WHERE file_path = 'a.py'", "chunk_generations mismatch", {"a.py"}),
    "wrong count": ("UPDATE chunk_generations SET chunks_count = 9 WHERE file_path = 'a.py'", "chunk_generations mismatch", {"a.py"}),
    "file removed alone": ("DELETE FROM indexed_files WHERE file_path = 'a.py'", "chunks orphan", {"a.py"}),
    "file twice": ("INSERT INTO indexed_files SELECT project_id, 77, file_path, content_hash, generation, indexed_at, language, size,"
                   " changed_ns, indexed_ns, change_seq FROM indexed_files WHERE file_path = 'c.py'", "indexed_files mismatch", {"c.py"}),
    "chunk lost": ("DELETE FROM chunks WHERE ordinal = 1", "chunk_generations mismatch", {"a.py"}),
    "old generation left": ("UPDATE chunks SET generation = 0 WHERE ordinal = 1", "chunks orphan", {"a.py"}),
    "symbols of nothing": ("UPDATE symbols SET file_id = 77 WHERE name = 'k'", "symbols orphan", {"b.py"}),
    "calls of nothing": ("INSERT INTO calls VALUES (1, 77, 1, 0, 'x', NULL, NULL, NULL, 1)", "calls orphan", set()),
    "caller of nothing": ("DELETE FROM symbols WHERE name = 'k'", "calls mismatch", {"b.py"}),
    "bindings lost": ("DELETE FROM bindings WHERE file_id = 1 AND project_id = 1", "bindings missing", {"a.py"}),
    "bindings of nothing": ("INSERT INTO bindings VALUES (1, 77, 1, NULL, NULL, NULL)", "bindings orphan", set()),
    "names of another file": ("UPDATE bindings SET uses = '\\x00000000' WHERE file_id = 1 AND project_id = 1", "bindings mismatch", {"a.py"}),
    "bindings of no meaning": ("UPDATE bindings SET bound = '[[' WHERE file_id = 1 AND project_id = 1", "bindings mismatch", {"a.py"}),
    "text lost": ("DELETE FROM chunk_texts WHERE text = 'two'", "chunks missing", {"a.py"}),
    "text of nothing": ("INSERT INTO chunk_texts VALUES (1, 999, 'who?')", "chunk_texts orphan", set()),
    "text changed": ("UPDATE chunk_texts SET text = 'two!' WHERE text = 'two'", "chunk_texts mismatch", {"a.py"}),
    "embedding key changed": ("UPDATE chunks SET embed_key = '\\x00' WHERE ordinal = 1", "chunks mismatch", {"a.py"}),
    "same id twice": ("UPDATE chunks SET id = 'x' WHERE project_id = 1", "chunks mismatch", {"a.py", "b.py", "c.py"}),
    "unknown word": ("UPDATE chunks SET kind = 88 WHERE ordinal = 1", "chunks mismatch", {"a.py"}),
    "unknown kind of symbol": ("UPDATE symbols SET kind = 88 WHERE name = 'k'", "symbols mismatch", {"b.py"}),
    "removed but there": ("INSERT INTO removed_chunks SELECT 1, 1, row, id, 1 FROM chunks WHERE project_id = 1 LIMIT 1",
                          "removed_chunks mismatch", set()),
    "sequence behind": ("UPDATE projects SET change_seq = 0 WHERE project_id = 1", "projects mismatch", set()),
    "rows given twice": ("UPDATE projects SET last_row = 0 WHERE project_id = 1", "projects mismatch", set()),
    "count of all": ("UPDATE projects SET chunks = 5 WHERE project_id = 1", "projects mismatch", set()),
    "cannot be looked up": ("DELETE FROM lookup", "lookup mismatch", {"a.py"}),
    "looked up in vain": ("INSERT INTO lookup VALUES (1, 5, 77, 1)", "lookup orphan", set()),
    "newer before older": ("UPDATE chunks SET change_seq = 1 WHERE ordinal = 0 AND file_id = 3", "chunks mismatch", {"c.py"}),
}  # fmt: skip


@pytest.fixture
def store(postgres_url):
    with PostgresStore.open(postgres_url, "shop") as made:
        made.put(FILES[:2])
        made.put(FILES[2:])
        made.put(FILES[1:2])
        made.put(FILES[2:])
        yield made


@pytest.mark.parametrize("name", DAMAGES)
def test_every_disagreement_is_found_and_mended(store, postgres_url, name):
    statement, expected, again = DAMAGES[name]
    with PostgresStore.open(postgres_url, "bakery") as other:
        other.put([parsed("bread.py", "rye")])
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("SET search_path TO scova")
            connection.execute(statement)
        found = store.audit()
        assert expected in {f"{finding.part} {finding.problem}" for finding in found}
        with store.reader() as before:
            seq = before.change_seq
        assert store.repair() == found and store.audit() == [], "a repair leaves nothing to find"
        assert {"a.py", "b.py", "c.py"} - set(store.files()) == again, "only files that are not whole are put again"
        with store.reader() as reader:
            assert reader.change_seq > seq or not again, "readers notice"
        rows = store.put([file for file in FILES if file.path in again])
        assert store.audit() == [] == other.audit() and all(row > 5 for row in rows)
        with store.reader() as reader:
            assert texts_of(reader) == {"a.py": ["one", "two"], "b.py": ["three"], "c.py": ["four"]}
            assert [path for path, _ in reader.heirs("B")] == ["a.py"] == [path for path, _ in reader.aliases("o")]
            assert [call.caller for _, call in reader.calls("f")] == ["k"]


def test_a_sound_project_needs_no_repair(store):
    before = store.pulse()
    assert store.repair() == [] and store.pulse() == before
