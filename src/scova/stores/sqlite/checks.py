"""Does the store agree with itself? And how to make it: what is inconsistent goes, and is read again by the next refresh.

Works inside one transaction that the caller holds. Knows the tables, not the files they describe.
"""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from scova.stores.audit import DAMAGED, MISMATCH, MISSING, ORPHAN
from scova.stores.columns.encoding import (
    QUALIFIED,
    aliased,
    base_name,
    split,
    token_of_alias,
    token_of_base,
    token_of_call,
    token_of_id,
    tokens_of_definition,
    unpacked,
)
from scova.stores.columns.known import Kept
from scova.stores.sqlite.generations import Generations
from scova.types import Finding

# part, problem, words, query of one subject each. A subject that is a path means: this file must be read again.
_QUERIES = (
    ("chunk_generations", MISSING, "the file has no visible generation",
     "SELECT file_path FROM indexed_files WHERE file_path NOT IN (SELECT file_path FROM chunk_generations)"),
    ("chunk_generations", ORPHAN, "there is no such file",
     "SELECT file_path FROM chunk_generations WHERE file_path NOT IN (SELECT file_path FROM indexed_files)"),
    ("chunk_generations", MISMATCH, "another generation is visible than the file has",
     "SELECT file_path FROM indexed_files f JOIN chunk_generations g USING (project_id, file_path)"
     " WHERE g.current_generation <> f.generation"),
    ("chunk_generations", MISMATCH, "the number of chunks is another",
     "SELECT file_path FROM indexed_files f JOIN chunk_generations g USING (project_id, file_path) WHERE g.chunks_count <>"
     " (SELECT count(*) FROM chunks c WHERE c.file_id = f.file_id AND c.generation = f.generation)"),
    ("indexed_files", ORPHAN, "it belongs to another project",
     "SELECT file_path FROM indexed_files WHERE project_id <> (SELECT value FROM meta WHERE key = 'project')"),
    ("chunks", MISSING, "the text of a chunk is not there",
     "SELECT DISTINCT file_path FROM chunks c JOIN indexed_files USING (file_id)"
     " WHERE NOT EXISTS (SELECT 1 FROM chunk_texts t WHERE t.row = c.row)"),
    ("chunks", MISMATCH, "a word is not in the vocabulary",
     "SELECT DISTINCT file_path FROM chunks c JOIN indexed_files f USING (file_id)"
     " WHERE c.language NOT IN (SELECT number FROM vocabulary) OR c.kind NOT IN (SELECT number FROM vocabulary)"
     " OR c.tags NOT IN (SELECT number FROM vocabulary) OR f.language NOT IN (SELECT number FROM vocabulary)"),
    ("symbols", MISMATCH, "a word is not in the vocabulary",
     "SELECT DISTINCT file_path FROM symbols s JOIN indexed_files USING (file_id)"
     " WHERE s.kind NOT IN (SELECT number FROM vocabulary)"),
    ("chunks", MISMATCH, "two chunks have the same id",
     "SELECT DISTINCT file_path FROM chunks JOIN indexed_files USING (file_id)"
     " WHERE id IN (SELECT id FROM chunks GROUP BY id HAVING count(*) > 1)"),
    ("calls", MISMATCH, "the caller is not among the symbols",
     "SELECT DISTINCT file_path FROM calls c JOIN indexed_files USING (file_id) WHERE typeof(c.caller) = 'integer' AND NOT EXISTS"
     " (SELECT 1 FROM symbols s WHERE s.file_id = c.file_id AND s.generation = c.generation AND s.ordinal = c.caller)"),
    ("bindings", MISSING, "it is not known what names stand for in the file",
     "SELECT file_path FROM indexed_files f WHERE NOT EXISTS"
     " (SELECT 1 FROM bindings b WHERE b.file_id = f.file_id AND b.generation = f.generation)"),
    ("bindings", MISMATCH, "what names stand for cannot be read",
     "SELECT file_path FROM bindings b JOIN indexed_files f USING (file_id, generation) WHERE NOT json_valid(coalesce(bound, '[]'))"),
    ("chunk_texts", ORPHAN, "there is no such chunk",
     "SELECT 'row ' || row FROM chunk_texts WHERE row NOT IN (SELECT row FROM chunks)"),
    ("removed_chunks", MISMATCH, "logged as removed, and still there",
     "SELECT 'row ' || row FROM removed_chunks WHERE row IN (SELECT row FROM chunks)"),
    ("meta", MISMATCH, "something is newer than the last change",
     "SELECT 'change_seq' FROM meta WHERE key = 'change_seq' AND CAST(value AS INTEGER) < max("
     "coalesce((SELECT max(change_seq) FROM chunks), 0), coalesce((SELECT max(change_seq) FROM removed_chunks), 0))"),
    ("meta", MISMATCH, "the number of all chunks is another",
     "SELECT 'chunks' FROM meta WHERE key = 'chunks' AND CAST(value AS INTEGER) <> (SELECT count(*) FROM chunks)"),
)  # fmt: skip
_NO_GENERATION = """SELECT DISTINCT file_id, generation FROM {table} t WHERE NOT EXISTS
    (SELECT 1 FROM indexed_files f WHERE f.file_id = t.file_id AND f.generation = t.generation)"""
# Every kind of token once: within a kind, a file holds each token once.
_TOKENS: tuple[tuple[str, Callable[[str], Iterable[str]]], ...] = (
    ("SELECT file_id, id FROM chunks ORDER BY file_id", lambda chunk_id: [token_of_id(chunk_id)]),
    (
        f"SELECT file_id, name FROM symbols UNION ALL SELECT file_id, {QUALIFIED} FROM symbols ORDER BY file_id",
        tokens_of_definition,
    ),
    ("SELECT file_id, name FROM calls ORDER BY file_id", lambda name: [token_of_call(name)]),
    (
        "SELECT file_id, bases FROM symbols WHERE bases IS NOT NULL ORDER BY file_id",
        lambda bases: [token_of_base(name) for base in split(bases) if (name := base_name(base))],
    ),
    (
        "SELECT file_id, bound FROM bindings WHERE json_valid(bound) ORDER BY file_id",
        lambda bound: map(token_of_alias, aliased(unpacked(bound))),
    ),
)
_OWNED = ("chunks", "symbols", "calls", "bindings")
_TABLES = (*_OWNED, "meta", "vocabulary", "indexed_files", "chunk_generations", "file_moves", "removed_chunks", "skips")


def audit(connection: sqlite3.Connection) -> list[Finding]:
    """Everything that does not agree. When the file itself is torn, only that is reported."""
    try:
        torn = [said for (said,) in connection.execute("PRAGMA integrity_check(20)") if said != "ok"]
        torn += _unreadable(connection)
        if torn:
            return [Finding("store", DAMAGED, "store.db", said) for said in torn]
        return [
            *_disagreements(connection),
            *_wrong_texts(connection),
            *_wrong_lookups(connection),
            *_wrong_ties(connection),
        ]
    except (sqlite3.DatabaseError, TypeError, AttributeError, ValueError) as error:
        if getattr(error, "sqlite_errorcode", 0) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL):
            raise
        return [Finding("store", DAMAGED, "store.db", str(error))]


def repair(connection: sqlite3.Connection, generations: Generations, found: Iterable[Finding]) -> None:
    """Delete what belongs to nothing, and every file that is not whole: the next refresh reads it again."""
    _mend_sequence(connection)
    seq = generations.advance()
    for table in ("indexed_files", "chunk_generations"):
        connection.execute(f"DELETE FROM {table} WHERE project_id <> (SELECT value FROM meta WHERE key = 'project')")
    connection.execute("DELETE FROM removed_chunks WHERE row IN (SELECT row FROM chunks)")
    generations.delete({kept for table in _OWNED for kept in _without_generation(connection, table)}, seq)
    connection.execute("DELETE FROM chunk_texts WHERE row NOT IN (SELECT row FROM chunks)")
    connection.execute("DELETE FROM chunk_generations WHERE file_path NOT IN (SELECT file_path FROM indexed_files)")
    # Before files go: taking them out of `lookup` needs it to agree with the rows.
    rebuild_lookup(connection, generations)
    paths = {finding.subject for finding in found}
    suspects = [path for (path,) in connection.execute("SELECT file_path FROM indexed_files") if path in paths]
    generations.put([], suspects, ())
    connection.execute("UPDATE meta SET value = (SELECT count(*) FROM chunks) WHERE key = 'chunks'")


def _unreadable(connection: sqlite3.Connection) -> list[str]:
    """Tables with values that are not of the type they were written as. A text that cannot be decoded raises."""
    found: list[str] = []
    for table in _TABLES:
        described = connection.execute(f"PRAGMA table_info({table})").fetchall()
        types = {name: kind.lower() for _, name, kind, *_ in described if kind}
        wrong = " OR ".join(f"typeof({name}) NOT IN ('{kind}', 'null')" for name, kind in types.items())
        (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {wrong}").fetchone()
        if count:
            found.append(f"{count} rows of {table} hold values of another type")
        for _ in connection.execute(f"SELECT * FROM {table}"):
            pass
    return found


def _disagreements(connection: sqlite3.Connection) -> Iterator[Finding]:
    for part, problem, words, sql in _QUERIES:
        for (subject,) in connection.execute(sql):
            yield Finding(part, problem, str(subject), words)
    for table in _OWNED:
        for kept in _without_generation(connection, table):
            yield Finding(
                table, ORPHAN, f"file {kept.file_id}, generation {kept.generation}", "not a visible generation"
            )


def _without_generation(connection: sqlite3.Connection, table: str) -> list[Kept]:
    return [Kept(file_id, generation) for file_id, generation in connection.execute(_NO_GENERATION.format(table=table))]


def _wrong_texts(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Chunks whose text is not what their hash says, or whose row does not ascend with the change sequence."""
    last = 0
    sql = """SELECT c.row, f.file_path, c.content_hash, c.embed_key, coalesce(c.symbol, ''), t.text, c.change_seq
        FROM chunks c JOIN indexed_files f USING (file_id) JOIN chunk_texts t ON t.row = c.row ORDER BY c.row"""
    for row, path, said, embed_key, symbol, text, seq in connection.execute(sql):
        if hashlib.sha256(text.encode()).digest() != said:
            yield Finding("chunk_texts", MISMATCH, path, f"the text of row {row} is not what was written")
        elif hashlib.sha256(f"{symbol}\n{text}".encode()).digest() != embed_key:
            yield Finding("chunks", MISMATCH, path, f"the embedding key of row {row} is not that of its text")
        if seq < last:
            yield Finding("chunks", MISMATCH, path, f"row {row} is older than a row before it")
        last = max(last, seq)


def _wrong_lookups(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Files that cannot be found by what is in them, or are found by what is not."""
    paths: dict[int, str] = dict(connection.execute("SELECT file_id, file_path FROM indexed_files"))
    wanted: Counter[int] = Counter()
    for sql, tokens in _TOKENS:
        for file_id, names in groupby(connection.execute(sql), itemgetter(0)):
            # Sums of hashes: a million tokens need not be held at once, and their order does not matter.
            wanted[file_id] += sum(map(hash, {token for _, name in names for token in tokens(name)}))
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.lookup_tokens USING fts5vocab (main, lookup, instance)")
    for term, file_id in connection.execute("SELECT term, doc FROM temp.lookup_tokens"):
        wanted[file_id] -= hash(term)
    for file_id, difference in sorted(wanted.items()):
        if difference and file_id not in paths:
            yield Finding("lookup", ORPHAN, f"file {file_id}", "names of a file that is not there")
        elif difference:
            yield Finding("lookup", MISMATCH, paths[file_id], "its names are not those that can be looked up")


def _wrong_ties(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Files whose names are not those of their rows."""
    generations = Generations(connection, "")
    sql = "SELECT file_path, file_id, generation, defines, uses FROM indexed_files JOIN bindings USING (file_id, generation)"
    for path, file_id, generation, *ties in connection.execute(sql):
        if generations.stored_ties(Kept(file_id, generation)) != tuple(ties):
            yield Finding("bindings", MISMATCH, path, "the names it defines and uses are others")


def _mend_sequence(connection: sqlite3.Connection) -> None:
    connection.execute("""UPDATE meta SET value = max(CAST(value AS INTEGER), coalesce((SELECT max(change_seq) FROM chunks), 0),
        coalesce((SELECT max(change_seq) FROM removed_chunks), 0)) WHERE key = 'change_seq'""")


def rebuild_lookup(connection: sqlite3.Connection, generations: Generations) -> None:
    """Make `lookup` anew from the rows."""
    connection.execute("INSERT INTO lookup (lookup) VALUES ('delete-all')")
    for file_id, generation in connection.execute("SELECT file_id, generation FROM indexed_files").fetchall():
        if found := generations.stored_tokens(Kept(file_id, generation)):
            connection.execute("INSERT INTO lookup (rowid, tokens) VALUES (?, ?)", (file_id, found))
