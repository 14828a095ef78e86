"""The format of jobs.db, and the way into it.

Time: a hold lasts until `lease_until`, by the clock that counts since the machine started, which is the same for all its processes
and which nobody can set; SQLite's log keeps the file to one machine. A hold is good when it ends within the next `lease_seconds`.
One that ended is open to others; so is one that ends later than that, which was made before the machine was started anew. The time
of day is kept for people only. While the machine sleeps, no hold ages.

Format (user_version 1), one table:

    number                         ascending: the order of jobs
    job_id .. options              the fields of Job; result and options are JSON
    owner, lease_until             who holds it, and until when; NULL for nobody
    pause_until                    not given out before, by the same clock; 0 for no pause
    deaths                         holds that lapsed, in a row
    cancel                         nobody wants it any more, and its holder does not know yet
    waits                          1 after a release with a pause: the job stays queued until its holder says how far it is

Jobs that are not over differ in kind, path or options, those being cancelled apart.
"""

import sqlite3
from pathlib import Path

from scova.core import own_folder
from scova.errors import StoreTooNew
from scova.stores.database import connect, make_tables
from scova.stores.jobs.rules import OPEN

FORMAT = 1
_CACHE_KIB = 512
_CHECKPOINT_PAGES = 1000  # 4 MB: it is written to all the time, and stays small
_LONG_LOG = 1_000_000  # bytes
_TABLES = f"""
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, project_id TEXT NOT NULL,
    path TEXT NOT NULL, status TEXT NOT NULL, created_at TEXT NOT NULL, started_at TEXT NOT NULL, finished_at TEXT NOT NULL,
    stage TEXT NOT NULL, files_processed INTEGER NOT NULL, files_total INTEGER NOT NULL, chunks_processed INTEGER NOT NULL,
    bytes_processed INTEGER NOT NULL, vectors_processed INTEGER NOT NULL, vectors_total INTEGER NOT NULL, rate REAL NOT NULL,
    eta_seconds REAL, attempts INTEGER NOT NULL, message TEXT NOT NULL, result TEXT NOT NULL, options TEXT NOT NULL,
    owner TEXT, lease_until REAL NOT NULL DEFAULT 0, pause_until REAL NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0,
    cancel INTEGER NOT NULL DEFAULT 0, waits INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX IF NOT EXISTS wanted ON jobs (kind, path, options) WHERE {OPEN} AND NOT cancel;
CREATE INDEX IF NOT EXISTS under_way ON jobs (number) WHERE {OPEN}
"""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def opened(path: Path, *, make_folder: bool) -> sqlite3.Connection:
    """A connection to the file, made if there is none, and with `make_folder` its folder too."""
    if make_folder:
        own_folder.make_marked(path.parent)
    connection = connect(path, cache_kib=_CACHE_KIB, make=True)
    try:
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > FORMAT:
            raise StoreTooNew(f"{path} was written by a newer scova", "update scova")
        if version == 0:
            make_tables(connection, _TABLES, version=FORMAT)
    except BaseException:
        connection.close()
        raise
    return connection


def shorten_log(path: Path) -> None:
    """Copy a long log into the database before a writer has to, who would wait for the disk."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size > _LONG_LOG:
        connection = connect(path, cache_kib=_CACHE_KIB)
        try:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        finally:
            connection.close()


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE
