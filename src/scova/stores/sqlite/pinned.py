"""One pinned moment of store.db: a connection of its own with an open read transaction. Knows no table but `meta`.

It never waits for a writer and never makes one wait; the price is that the log on disk cannot be emptied past it, so readers
are meant to be replaced as the store changes. Threads share it through a lock. It cannot write.
"""

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from scova.stores.database import connect
from scova.stores.sqlite import schema

CACHE_KIB = 16 * 1024


class Pinned:
    """Opens, closes, and gives turns to threads."""

    def __init__(self, connection: sqlite3.Connection, path: Path, project: str) -> None:
        self._connection = connection
        self._path = path
        self._project = project
        self._lock = threading.Lock()
        self._close = weakref.finalize(self, _close, connection, os.getpid())
        self._meta = dict(connection.execute("SELECT key, value FROM meta WHERE key NOT GLOB 'setting.*'"))
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

    def close(self) -> None:
        """Let the moment go. Closing twice is fine."""
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
            yield self._connection


def _close(connection: sqlite3.Connection, process: int) -> None:
    # A forked worker inherits the object but must leave the parent's connection alone.
    if os.getpid() == process:
        connection.close()
