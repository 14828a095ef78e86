"""Does a project in the database agree with itself? And how to make it: what is inconsistent goes, and is pushed or read again.

Works inside one transaction that the caller holds. Knows the tables, not the files they describe.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scova.stores.audit import MISMATCH, MISSING, ORPHAN
from scova.stores.columns.encoding import split, unpacked
from scova.stores.columns.known import Kept
from scova.stores.columns.ties import packed_ties
from scova.stores.postgres.generations import Generations, tokens
from scova.stores.postgres.naming import NAMES
from scova.types import Binding, Finding, Symbol

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection
    from scova.stores.postgres.handle import Turn

_FILE = "SELECT DISTINCT f.file_path FROM {} t JOIN indexed_files f USING (project_id, file_id) WHERE t.project_id = %(project)s"
_UNKNOWN = "{} NOT IN (SELECT number FROM vocabulary WHERE project_id = %(project)s)"
_VISIBLE = """SELECT f.file_path FROM indexed_files f LEFT JOIN chunk_generations g USING (project_id, file_id)
    WHERE f.project_id = %(project)s"""
# part, problem, words, query of one subject each. A subject that is a path means: this file must be put again.
_QUERIES = (
    ("indexed_files", MISMATCH, "the file is there twice",
     "SELECT file_path FROM indexed_files WHERE project_id = %(project)s GROUP BY 1 HAVING count(*) > 1"),
    ("chunk_generations", MISSING, "the file has no visible generation", f"{_VISIBLE} AND g.file_id IS NULL"),
    ("chunk_generations", ORPHAN, "there is no such file",
     "SELECT file_path FROM chunk_generations g WHERE project_id = %(project)s AND NOT EXISTS"
     " (SELECT 1 FROM indexed_files f WHERE f.project_id = g.project_id AND f.file_id = g.file_id)"),
    ("chunk_generations", MISMATCH, "another generation is visible than the file has",
     f"{_VISIBLE} AND (g.current_generation <> f.generation OR g.file_path <> f.file_path)"),
    ("chunk_generations", MISMATCH, "the number of chunks is another",
     f"{_VISIBLE} AND g.chunks_count <> (SELECT count(*) FROM chunks c WHERE c.project_id = f.project_id"
     " AND c.file_id = f.file_id AND c.generation = f.generation)"),
    ("chunks", MISSING, "the text of a chunk is not there",
     _FILE.format("chunks") + " AND NOT EXISTS (SELECT 1 FROM chunk_texts x WHERE x.project_id = t.project_id AND x.row = t.row)"),
    ("chunks", MISMATCH, "a word is not in the vocabulary",
     _FILE.format("chunks") + f" AND ({' OR '.join(map(_UNKNOWN.format, ('t.language', 't.kind', 't.tags', 'f.language')))})"),
    ("symbols", MISMATCH, "a word is not in the vocabulary", _FILE.format("symbols") + f" AND {_UNKNOWN.format('t.kind')}"),
    ("chunks", MISMATCH, "two chunks have the same id",
     _FILE.format("chunks") + " AND t.id IN (SELECT id FROM chunks WHERE project_id = %(project)s GROUP BY id HAVING count(*) > 1)"),
    ("calls", MISMATCH, "the caller is not among the symbols",
     _FILE.format("calls") + " AND t.caller_ordinal IS NOT NULL AND NOT EXISTS (SELECT 1 FROM symbols s WHERE"
     " s.project_id = t.project_id AND s.file_id = t.file_id AND s.generation = t.generation AND s.ordinal = t.caller_ordinal)"),
    ("bindings", MISSING, "it is not known what names stand for in the file",
     "SELECT file_path FROM indexed_files f WHERE project_id = %(project)s AND NOT EXISTS (SELECT 1 FROM bindings b WHERE"
     " b.project_id = f.project_id AND b.file_id = f.file_id AND b.generation = f.generation)"),
    ("chunk_texts", ORPHAN, "there is no such chunk",
     "SELECT 'row ' || row FROM chunk_texts t WHERE project_id = %(project)s AND NOT EXISTS"
     " (SELECT 1 FROM chunks c WHERE c.project_id = t.project_id AND c.row = t.row)"),
    ("removed_chunks", MISMATCH, "logged as removed, and still there",
     "SELECT 'row ' || row FROM removed_chunks JOIN chunks USING (project_id, row) WHERE project_id = %(project)s"),
    ("projects", MISMATCH, "something is newer than the last change",
     "SELECT 'change_seq' FROM projects WHERE project_id = %(project)s AND change_seq < greatest("
     "(SELECT max(change_seq) FROM chunks WHERE project_id = %(project)s),"
     " (SELECT max(change_seq) FROM removed_chunks WHERE project_id = %(project)s))"),
    ("projects", MISMATCH, "a number was given that counts as free",
     "SELECT 'last_row' FROM projects WHERE project_id = %(project)s AND (last_row < greatest("
     "(SELECT max(row) FROM chunks WHERE project_id = %(project)s), (SELECT max(row) FROM removed_chunks"
     " WHERE project_id = %(project)s)) OR last_file < (SELECT max(file_id) FROM indexed_files WHERE project_id = %(project)s))"),
    ("projects", MISMATCH, "the number of all chunks is another",
     "SELECT 'chunks' FROM projects WHERE project_id = %(project)s"
     " AND chunks <> (SELECT count(*) FROM chunks WHERE project_id = %(project)s)"),
)  # fmt: skip
_NO_GENERATION = """SELECT DISTINCT file_id, generation FROM {} t WHERE project_id = %(project)s AND NOT EXISTS
    (SELECT 1 FROM indexed_files f WHERE f.project_id = t.project_id AND f.file_id = t.file_id AND f.generation = t.generation)"""
_TEXTS = """SELECT c.row, f.file_path, c.content_hash, c.embed_key, coalesce(c.symbol, ''), t.text, c.change_seq
    FROM chunks c JOIN indexed_files f USING (project_id, file_id) JOIN chunk_texts t USING (project_id, row)
    WHERE project_id = %(project)s ORDER BY c.row"""
_BOUND = f"""SELECT f.file_path, f.file_id, b.bound, ARRAY(SELECT s.bases FROM symbols s WHERE s.project_id = f.project_id
    AND s.file_id = f.file_id AND s.generation = f.generation AND s.bases IS NOT NULL),
    ARRAY(SELECT token FROM lookup l WHERE l.project_id = f.project_id AND l.file_id = f.file_id AND l.generation = f.generation),
    {NAMES.format("symbols")}, {NAMES.format("calls")}, b.defines, b.uses FROM indexed_files f JOIN bindings b USING (project_id, file_id, generation) WHERE f.project_id = %(project)s"""
_OWNED = ("chunks", "symbols", "calls", "bindings", "lookup")
_MEND = """UPDATE projects SET change_seq = %(seq)s, chunks = (SELECT count(*) FROM chunks WHERE project_id = %(project)s),
    last_row = greatest(last_row, (SELECT max(row) FROM chunks WHERE project_id = %(project)s),
        (SELECT max(row) FROM removed_chunks WHERE project_id = %(project)s)),
    last_file = greatest(last_file, (SELECT max(file_id) FROM indexed_files WHERE project_id = %(project)s))
    WHERE project_id = %(project)s RETURNING chunks, last_row, last_file"""
_NEWEST = """SELECT greatest((SELECT max(change_seq) FROM chunks WHERE project_id = %(project)s),
    (SELECT max(change_seq) FROM removed_chunks WHERE project_id = %(project)s), 0)"""
_TWICE = """DELETE FROM indexed_files f WHERE project_id = %(project)s AND EXISTS (SELECT 1 FROM indexed_files g
    WHERE g.project_id = f.project_id AND g.file_path = f.file_path AND g.file_id > f.file_id)"""
_AT_ONCE = 2000  # rows


def audit(connection: "Connection", project_id: int) -> list[Finding]:
    """Everything that does not agree."""
    project = {"project": project_id}
    found = [
        Finding(part, problem, str(subject), words)
        for part, problem, words, sql in _QUERIES
        for (subject,) in connection.execute(sql, project)
    ]
    for table in _OWNED:
        for kept in _without_generation(connection, table, project_id):
            subject = f"file {kept.file_id}, generation {kept.generation}"
            found.append(Finding(table, ORPHAN, subject, "not a visible generation"))
    return [*found, *_wrong_texts(connection, project_id), *_wrong_lookups(connection, project_id)]


def repair(turn: "Turn", generations: Generations, found: Iterable[Finding]) -> None:
    """Delete what belongs to nothing, and every file that is not whole: the next build brings it again."""
    project = {"project": turn.project_id}
    run = turn.connection.execute
    newest: Any = run(_NEWEST, project).fetchone()
    turn.change_seq = max(turn.change_seq, newest[0])
    seq = generations.advance()
    run(_TWICE, project)  # one is left, which goes below with all else that is not whole
    run("DELETE FROM removed_chunks r USING chunks c WHERE r.project_id = %(project)s AND c.project_id = r.project_id"
        " AND c.row = r.row", project)  # fmt: skip
    orphans = {kept for table in _OWNED for kept in _without_generation(turn.connection, table, turn.project_id)}
    generations.delete(orphans, seq)
    run("DELETE FROM chunk_texts t WHERE project_id = %(project)s AND NOT EXISTS (SELECT 1 FROM chunks c"
        " WHERE c.project_id = t.project_id AND c.row = t.row)", project)  # fmt: skip
    run("DELETE FROM chunk_generations g WHERE project_id = %(project)s AND NOT EXISTS (SELECT 1 FROM indexed_files f"
        " WHERE f.project_id = g.project_id AND f.file_id = g.file_id)", project)  # fmt: skip
    generations.put([], {finding.subject for finding in found}, ())
    mended: Any = run(_MEND, {**project, "seq": turn.change_seq}).fetchone()
    turn.chunks, turn.last_row, turn.last_file = mended


def _without_generation(connection: "Connection", table: str, project_id: int) -> list[Kept]:
    found: Any = connection.execute(_NO_GENERATION.format(table), {"project": project_id})
    return [Kept(file_id, generation) for file_id, generation in found]


def _wrong_texts(connection: "Connection", project_id: int) -> Iterator[Finding]:
    """Chunks whose text is not what their hash says, or whose row does not ascend with the change sequence."""
    last = 0
    for row, path, said, embed_key, symbol, text, seq in _streamed(connection, _TEXTS, project_id):
        if hashlib.sha256(text.encode()).digest() != said:
            yield Finding("chunk_texts", MISMATCH, path, f"the text of row {row} is not what was written")
        elif hashlib.sha256(f"{symbol}\n{text}".encode()).digest() != embed_key:
            yield Finding("chunks", MISMATCH, path, f"the embedding key of row {row} is not that of its text")
        if seq < last:
            yield Finding("chunks", MISMATCH, path, f"row {row} is older than a row before it")
        last = max(last, seq)


def _wrong_lookups(connection: "Connection", project_id: int) -> Iterator[Finding]:
    """Files that cannot be found by what is in them, or are found by what is not."""
    for path, _, bound, bases, held, defined, called, *ties in _streamed(connection, _BOUND, project_id):
        try:
            bindings: tuple[Binding, ...] = unpacked(bound)
        except (TypeError, ValueError):
            yield Finding("bindings", MISMATCH, path, "what names stand for cannot be read")
            continue
        heirs = [Symbol("", "", "", 0, 0, bases=split(text)) for text in bases]
        if tokens(heirs, bindings) != set(held):
            yield Finding("lookup", MISMATCH, path, "its names are not those that can be looked up")
        if packed_ties(defined, called, bindings) != tuple(ties):
            yield Finding("bindings", MISMATCH, path, "the names it defines and uses are others")


def _streamed(connection: "Connection", sql: str, project_id: int) -> Iterator[Any]:
    """The rows of a question, some at a time: a whole project need not fit into memory."""
    with connection.cursor(name="scova_audit") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute(sql, {"project": project_id})
        yield from cursor
