"""Opening an SQLite file and writing to it in one piece: what every file of ours in that format does the same way."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from scova.core import own_folder
from scova.core.own_files import check_database, open_own
from scova.whole import sync_folder

BUSY_SECONDS = 60.0  # how long to wait for another process to finish its transaction
CHECKPOINT_PAGES = 8000  # 32 MB: small commits are copied from the log into the database many at a time
KEPT_LOG_BYTES = 32 << 20
LONGEST_LOG_BYTES = 40 << 20  # a log that is longer has not begun anew by itself: somebody is always reading from it
_LOG_STEP_BYTES = 4 << 20  # that a log grows between attempts to shorten it
_SHORTEN_MS = 1000  # to wait for those who read


def connect(path: Path, *, cache_kib: int, make: bool = False) -> sqlite3.Connection:
    """A connection in autocommit, usable from any thread that takes turns; the file must exist unless `make`."""
    check_database(path)
    mode = "ro&immutable=1" if is_frozen(path) else "rwc" if make else "rw"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(
        uri, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256, uri=True
    )
    try:
        if make:
            own_folder.close_to_others(path)
        harden(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{cache_kib}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {KEPT_LOG_BYTES}")
        connection.execute("PRAGMA secure_delete = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def harden(connection: sqlite3.Connection) -> None:
    """Let a file that others may have made do as little as possible: its tables call no functions, and cells are checked."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    setconfig = getattr(connection, "setconfig", None)  # from Python 3.12 on
    if setconfig is not None:
        setconfig(getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE"), True)  # noqa: B009 - not known to type checkers of older Pythons


def is_frozen(path: Path) -> bool:
    """Whether this file can be read, but nothing can be put beside it: SQLite could then not even keep count of its readers.
    Whoever else may write it leaves a log while at work."""
    if os.access(path.parent, os.W_OK) or not path.exists():
        return False
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size == 0
    except FileNotFoundError:
        return True


def use_log(connection: sqlite3.Connection) -> None:
    """Switch a file to a log, so that readers and a writer do not wait for each other; raises when it cannot be."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",):
                return
            raise _no_room()  # SQLite does not say so itself, and the file would be without a log for good
        except sqlite3.OperationalError as error:
            # Unlike anything else, this does not wait for others who are making the same file.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def make_tables(connection: sqlite3.Connection, tables: str, *, version: int) -> None:
    """Make a new file what it is to be: a log, these tables, and the number of its format."""
    use_log(connection)
    with transaction(connection):
        for statement in tables.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")


def _no_room() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("no log can be made")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


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


def log_bytes(path: Path) -> int:
    """How long the log beside this database is."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        return 0


class LogLength:
    """Keeps the log of one database short, after each commit of the one who writes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = LONGEST_LOG_BYTES

    def shorten(self) -> None:
        """Have a log that is too long begin anew, once those who are reading this moment are done; who asks later waits for nothing.

        Not waited for is who reads for longer than a moment: the next attempt comes when the log has grown by another step.
        """
        length = log_bytes(self._path)
        if length < self._next:
            self._next = max(LONGEST_LOG_BYTES, min(self._next, length + _LOG_STEP_BYTES))
            return
        with suppress(sqlite3.Error), closing(connect(self._path, cache_kib=0)) as connection:
            # What was to be committed is, whatever comes of this: on a full disk, say, the log stays as it is.
            connection.execute(f"PRAGMA busy_timeout = {_SHORTEN_MS}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._next = max(LONGEST_LOG_BYTES, log_bytes(self._path) + _LOG_STEP_BYTES)


def sync_log(path: Path) -> None:
    """Make what was committed to this database survive a power cut: without, one may take back the latest commits."""
    # The log holds no locks of SQLite's, so opening and closing it here is safe; the database itself would not be.
    try:
        descriptor = open_own(path.with_name(f"{path.name}-wal"), os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(path.parent)  # the log may be new: without its name it is lost
