"""The embedded store: one SQLite file per project."""

from scova.stores.sqlite.reader import SqliteReader
from scova.stores.sqlite.store import SqliteStore

__all__ = ["SqliteReader", "SqliteStore"]
