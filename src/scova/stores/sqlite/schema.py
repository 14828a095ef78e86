"""The format of store.db, its history, and the way into it: create, check, migrate, name what went wrong.

SQLite in WAL mode, `application_id` "SCOV", `user_version` = SCHEMA_VERSION. One store holds one project.

    meta                key -> value: project, store_id (another one whenever a store is built anew), change_seq, chunks
                        (how many), removed_before (the log of removals is complete after it); `setting.*` is the callers'
    vocabulary          words that repeat endlessly, by number: languages, kinds, sets of tags
    indexed_files       one row per file: its generation, digest, mark, and when it was read
    chunk_generations   which generation of a file is visible, and how many chunks it has
    file_moves          where a file that is still there came from
    chunks              one immutable row per chunk of the visible generation; rows are never reused, and ascend with change_seq
    chunk_texts         the text of a chunk; apart, so that everything but the text stays small to scan
    symbols, calls      what parsing learned, clustered by file. `qualified` is NULL when it is parent.name; `caller` is the
                        ordinal of a symbol of the same file, or text when no symbol has that name
    bindings            what names stand for in a file, with its package and import lines; one row per file, since they are
                        only ever wanted together. `bound` is JSON: name, target, how, scope, line, member of each.
                        `defines` and `uses` are hashes of names (stores/columns/ties.py)
    lookup              full-text index without content: file_id by token of a chunk id, of a defined name (also in full, and by
                        its last components), of a called name, of a base, of a name imported under another one. Tokens are
                        short hashes, so a find is a candidate whose rows are then compared
    removed_chunks      log of rows that are gone: when, and since when they had been there
    skips               what is left out, and why

Why a full-text index for plain look-ups: ordinary indexes over names and ids scatter every commit over thousands of pages
(12 s of CPU for 1.6 million calls in small commits); FTS5 writes each commit in one run and merges later (2 s).
Strings in lists are joined by line feeds; a list that cannot be is JSON after one line feed. Empty strings are NULL.

History: 1  first version
         2  bindings; definitions can be looked up by their last two components, imports by what they rename
         3  which names a file defines and uses, together, beside its bindings
"""

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scova.core import own_folder
from scova.errors import DiskFull, IndexBusy, IndexMissing, IndexState, ScovaError, StoreDamaged, StoreTooNew
from scova.stores.database import transaction, use_log
from scova.stores.layout import sync_folder
from scova.stores.sqlite.genuine import strange_part

APPLICATION_ID = 0x53434F56

_BINDINGS = """CREATE TABLE bindings (
    file_id INTEGER, generation INTEGER, package TEXT, imports TEXT, bound TEXT, PRIMARY KEY (file_id, generation)) WITHOUT ROWID;"""
_TIES = """ALTER TABLE bindings ADD COLUMN defines BLOB; ALTER TABLE bindings ADD COLUMN uses BLOB;"""
_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE vocabulary (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
CREATE TABLE indexed_files (
    file_id INTEGER PRIMARY KEY AUTOINCREMENT, project_id TEXT NOT NULL, file_path TEXT NOT NULL, content_hash TEXT NOT NULL,
    generation INTEGER NOT NULL, indexed_at TEXT NOT NULL, language INTEGER NOT NULL, size INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL, indexed_ns INTEGER NOT NULL, change_seq INTEGER NOT NULL, UNIQUE (project_id, file_path));
CREATE TABLE chunk_generations (
    project_id TEXT NOT NULL, file_path TEXT NOT NULL, current_generation INTEGER NOT NULL, chunks_count INTEGER NOT NULL,
    updated_at TEXT NOT NULL, PRIMARY KEY (project_id, file_path)) WITHOUT ROWID;
CREATE TABLE file_moves (
    project_id TEXT NOT NULL, old_path TEXT NOT NULL, new_path TEXT NOT NULL, detected_at TEXT NOT NULL,
    PRIMARY KEY (project_id, new_path, old_path)) WITHOUT ROWID;
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, file_id INTEGER NOT NULL, generation INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, chunk_type INTEGER NOT NULL, language INTEGER NOT NULL, kind INTEGER NOT NULL,
    tags INTEGER NOT NULL, title TEXT, symbol TEXT, names TEXT, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    content_hash BLOB NOT NULL, embed_key BLOB NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    change_seq INTEGER NOT NULL);
CREATE INDEX chunks_by_file ON chunks (file_id, generation, ordinal, chunk_type, language, kind, tags);
CREATE TABLE chunk_texts (row INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE symbols (
    file_id INTEGER, generation INTEGER, ordinal INTEGER, name TEXT NOT NULL, qualified TEXT, kind INTEGER NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, parent TEXT, signature TEXT, bases TEXT, decorators TEXT, doc TEXT,
    PRIMARY KEY (file_id, generation, ordinal)) WITHOUT ROWID;
CREATE TABLE calls (
    file_id INTEGER, generation INTEGER, ordinal INTEGER, name TEXT NOT NULL, receiver TEXT, caller, line INTEGER NOT NULL,
    PRIMARY KEY (file_id, generation, ordinal)) WITHOUT ROWID;
{_BINDINGS}{_TIES}
CREATE VIRTUAL TABLE lookup USING fts5 (tokens, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
CREATE TABLE removed_chunks (
    change_seq INTEGER, row INTEGER, id TEXT NOT NULL, born_seq INTEGER NOT NULL, PRIMARY KEY (change_seq, row)) WITHOUT ROWID;
CREATE TABLE skips (ordinal INTEGER PRIMARY KEY, path TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL);
"""

# What a store of each version holds.
_HISTORY = {
    1: _TABLES.replace(_BINDINGS, "").replace(_TIES, ""),
    2: _TABLES.replace(_TIES, ""),
    3: _TABLES,
}

Migration = Callable[[sqlite3.Connection], None]


def _add_bindings(connection: sqlite3.Connection) -> None:
    """Version 2. Files have no bindings until they are read again, which the next refresh does."""
    from scova.stores.sqlite.checks import rebuild_lookup
    from scova.stores.sqlite.generations import Generations

    connection.execute(_BINDINGS)
    connection.execute("INSERT INTO bindings (file_id, generation) SELECT file_id, generation FROM indexed_files")
    rebuild_lookup(connection, Generations(connection, ""))


def _add_ties(connection: sqlite3.Connection) -> None:
    """Version 3."""
    from scova.stores.sqlite.generations import Generations

    for statement in _TIES.split(";"):
        connection.execute(statement)
    Generations(connection, "").write_ties()


MIGRATIONS: tuple[Migration, ...] = (_add_bindings, _add_ties)  # the n-th makes version n+1 out of version n
SCHEMA_VERSION = 1 + len(MIGRATIONS)


def create(path: Path, project: str) -> None:
    """Make an empty store at `path` unless there is one. It appears whole or not at all, whoever else tries as well."""
    own_folder.make_marked(path.parent)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not path.exists():
            # Companions of a store that someone deleted would be replayed into the new one.
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            with named_errors(path.parent):  # the folder's, not those of a store: there is none yet
                _make(path, project)
    finally:
        os.close(folder)


def _make(path: Path, project: str) -> None:
    unfinished = path.with_name(f".{path.name}.unfinished")
    for suffix in ("", "-journal"):  # of someone who was killed here
        unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)
    connection = sqlite3.connect(unfinished, isolation_level=None)
    try:
        own_folder.close_to_others(unfinished)
        connection.executescript(f"BEGIN;{_TABLES}")
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [
                ("project", project),
                ("store_id", os.urandom(16).hex()),
                ("change_seq", "0"),
                ("removed_before", "0"),
                ("chunks", "0"),
            ],
        )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
        use_log(connection)
    finally:
        connection.close()
    unfinished.replace(path)
    sync_folder(path.parent)


def check_version(connection: sqlite3.Connection, path: Path, *, expected: int = SCHEMA_VERSION) -> int:
    """The version of this store; raises if it is not a store of ours, or of a newer scova than `expected`."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID or version < 1:
        raise damaged(path, "it is not a scova store")
    if version > expected:
        raise StoreTooNew(
            f"{path} was written by a newer scova (format {version}, this one knows {expected})",
            "upgrade scova, or index into another folder with --data",
        )
    return int(version)


def check_genuine(connection: sqlite3.Connection, path: Path, *, expected: int = SCHEMA_VERSION) -> int:
    """The version of this store; raises if it is not a store of ours to the letter. To be asked before anything else is."""
    version = check_version(connection, path, expected=expected)
    if strange := strange_part(connection, _HISTORY[version]):
        raise damaged(path, f"it was not made by scova ({strange})")
    return version


def check_size(connection: sqlite3.Connection, path: Path) -> None:
    """Raise if the file ends early. SQLite takes an empty file for a new database, and misses the end of others in silence."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    # In this order: while the log holds something, the file may rightly be shorter than what both hold together.
    try:
        complete = path.with_name(path.name + "-wal").stat().st_size == 0
    except FileNotFoundError:
        complete = True
    size = path.stat().st_size
    if size == 0 or (complete and size < pages * page_size):
        raise damaged(path, f"{size} bytes are there of {pages * page_size}" if size else "it is empty")


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Migration] = MIGRATIONS) -> list[str]:
    """Bring an older store to the present format, one step and one transaction at a time; names the steps taken."""

    target = 1 + len(steps)
    taken: list[str] = []
    while check_version(connection, path, expected=target) < target:
        with transaction(connection):
            # Asked again inside: another process may have taken this step meanwhile.
            version = check_version(connection, path, expected=target)
            if version == target:
                break
            step = steps[version - 1]
            step(connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")
        taken.append(step.__name__)
        import logging  # only when there is something to say: it costs milliseconds on every search

        logging.getLogger(__name__).info(
            "%s: migrated from format %d to %d (%s)", path, version, version + 1, step.__name__
        )
    return taken


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises in this block into the error a user can act upon."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise explained(error, path) from error
    except UnicodeDecodeError as error:  # of SQLite's own words, which quote what lies in the file
        raise damaged(path, "its tables are not described in readable words") from error


@contextmanager
def sound_rows(path: Path) -> Iterator[None]:
    """The same for a block that only takes values from rows: flipped bits that SQLite cannot see turn numbers into other
    numbers, and values into other types."""
    try:
        with named_errors(path):
            yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise damaged(path, f"a row cannot be read ({error!r})") from error


def damaged(path: Path, why: str) -> StoreDamaged:
    """The error for a store that cannot be read."""
    hint = "`scova repair` rebuilds it from the files; nothing in your source tree is touched"
    return StoreDamaged(f"{path} is damaged: {why}", hint)


def explained(error: sqlite3.DatabaseError, path: Path) -> ScovaError | sqlite3.DatabaseError:
    """The error a user can act upon; the same one when only a programmer can."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return IndexBusy(f"{path} is being written by another process", "wait for it to finish and try again")
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"no room left on the disk for {path}", "free some space and run the command again")
    if code == sqlite3.SQLITE_CANTOPEN and not path.exists():
        return IndexMissing(f"there is no store at {path}", "run `scova index`")
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
        hint = "check that its folder can be written to, and that the disk has space left"
        return IndexState(f"{path} cannot be used: {error}", hint)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT) or _is_torn(str(error)):
        return damaged(path, str(error))
    return error


def _is_torn(message: str) -> bool:
    # Our statements are fixed and match the format, so what they do not find is missing from the file.
    return message.startswith(
        ("no such ", "Could not decode", "malformed", "unsupported file format", "vtable constructor")
    )
