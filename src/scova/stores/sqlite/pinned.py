"""One pinned moment of store.db: a connection of its own with an open read transaction. Knows no table but `meta`.

It never waits for a writer and never makes one wait. The price is that the log on disk cannot begin anew while anyone reads from it.
So a moment stays pinned only while somebody holds it, for one question, and a reader that nobody asks holds nothing. When it is held
again it pins anew: as long as nothing was committed since that is the same moment; if something was, the reader says so, and the next
reader is of the newer moment. Where questions follow each other without a pause and the log is long, it pins anew in between.

Threads share it through a lock. It cannot write.
"""

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from scova.errors import Overtaken
from scova.stores.database import connect, log_bytes
from scova.stores.sqlite import schema

CACHE_KIB = 16 * 1024
RENEW_SECONDS = 0.25  # that a moment is read from one place of the log, where the log is longer than …
LONG_LOG_BYTES = 16 << 20

_META = "SELECT key, value FROM meta WHERE key NOT GLOB 'setting.*'"


class Pinned:
    """Opens, closes, and gives turns to threads. It is pinned when it is opened, until it is closed or released."""

    def __init__(self, connection: sqlite3.Connection, path: Path, project: str) -> None:
        self._kept = [connection]  # one, until it is closed
        self._path = path
        self._project = project
        self._lock = threading.Lock()
        self._holds = 0
        self._pinned_at = time.monotonic()
        self._close = weakref.finalize(self, _close, self._kept, os.getpid())
        self._meta = dict(connection.execute(_META))
        self.store_id = str(self._meta["store_id"])
        self.change_seq = int(self._meta["change_seq"])

    @classmethod
    def open(cls, path: Path, project: str) -> Self:
        """Pin the present moment of the store at `path`."""
        with schema.named_errors(path):
            connection = connect(path, cache_kib=CACHE_KIB)
            try:
                connection.execute("PRAGMA query_only = ON")
                connection.execute("BEGIN")
                # The first read pins the moment; it must be the current format, since a reader does not migrate.
                if schema.check_genuine(connection, path) < schema.SCHEMA_VERSION:
                    raise schema.damaged(path, "its format is not the one it was opened with")
                return cls(connection, path, project)
            except (KeyError, ValueError) as error:
                connection.close()
                raise schema.damaged(path, f"{error!r} in its description of itself") from error
            except BaseException:
                connection.close()
                raise

    def hold(self) -> bool:
        """Keep the moment until as many calls of `release`; False when it is gone, since something was committed meanwhile."""
        with self._lock, schema.named_errors(self._path):
            if not self._kept or not self._pin():
                return False
            self._holds += 1
            return True

    def release(self) -> None:
        """Let the moment go, unless others hold it."""
        with self._lock:
            self._holds -= 1
            self._rest()

    def close(self) -> None:
        """Let the moment go for good. Closing twice is fine."""
        with self._lock:
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; what goes wrong is named."""
        with self._lock, schema.sound_rows(self._path):
            was_pinned = self._connection.in_transaction
            if not self._pin():
                raise Overtaken(
                    f"{self._path} has changed since this moment, which nobody held",
                    "ask again: the next answer is of the newest change",
                )
            try:
                yield self._connection
            finally:
                if not was_pinned:
                    self._rest()

    @property
    def _connection(self) -> sqlite3.Connection:
        if not self._kept:
            raise sqlite3.ProgrammingError("this reader is closed")
        return self._kept[0]

    def _pin(self) -> bool:
        """Have the moment pinned; whether it still can be."""
        if self._connection.in_transaction:
            self._renew()
            return True
        self._pinned_at = time.monotonic()
        return self._is_same(self._connection)

    def _is_same(self, connection: sqlite3.Connection) -> bool:
        """Whether what this connection pins now is the same moment; if not, it pins nothing."""
        connection.execute("BEGIN")
        is_same = False
        try:
            is_same = dict(connection.execute(_META)) == self._meta
        finally:
            if not is_same:
                connection.execute("ROLLBACK")
        return is_same

    def _rest(self) -> None:
        if self._kept and self._holds <= 0 and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _renew(self) -> None:
        """Read the same moment from the newest place there is, so that a log which waits to begin anew can do so."""
        now = time.monotonic()
        if now - self._pinned_at < RENEW_SECONDS:
            return
        self._pinned_at = now
        if log_bytes(self._path) < LONG_LOG_BYTES:
            return
        # What is pinned already is not let go before another connection has it, or a commit in between would be the end of it.
        other = connect(self._path, cache_kib=CACHE_KIB)
        try:
            other.execute("PRAGMA query_only = ON")
            if self._is_same(other):
                self._connection.execute("ROLLBACK")
                if not self._is_same(self._connection):
                    self._kept[0], other = other, self._kept[0]
        finally:
            other.close()


def _close(kept: list[sqlite3.Connection], process: int) -> None:
    # A forked worker inherits the object but must leave the parent's connection alone.
    while kept:
        connection = kept.pop()
        if os.getpid() == process:
            connection.close()
