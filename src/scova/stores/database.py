"""Opening an SQLite file and writing to it in one piece: what every file of ours in that format does the same way."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUSY_SECONDS = 60.0  # how long to wait for another process to finish its transaction
CHECKPOINT_PAGES = 8000  # 32 MB: small commits are copied from the log into the database many at a time
KEPT_LOG_BYTES = 64 << 20


def connect(path: Path, *, cache_kib: int, make: bool = False) -> sqlite3.Connection:
    """A connection in autocommit, usable from any thread that takes turns; the file must exist unless `make`."""
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw'}"
    connection = sqlite3.connect(
        uri, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256, uri=True
    )
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{cache_kib}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {KEPT_LOG_BYTES}")
        connection.execute("PRAGMA secure_delete = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction, waiting for its turn: everything in the block is committed, or nothing is."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk makes SQLite roll back by itself
            connection.execute("ROLLBACK")
        raise
