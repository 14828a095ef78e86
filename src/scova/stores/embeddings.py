"""Vectors by (model, SHA-256 of what was embedded), in one SQLite file that all projects of a user share.

It is only a cache: whatever happens to it, vectors can be computed again. A damaged file is set aside and a new one begun;
a file that many processes want at once makes them wait, not fail. Knows nothing of chunks, projects or how vectors are made.

Format (user_version 2): models(number, name, width); vectors(number, model, key, vector), found by model and key. Vectors lie
in the order they came: clustered by their keys, which are random, each would dirty a page of its own. Each is followed by the
CRC-32 of key and vector: what is kept here goes into every index, for good, and nothing else would notice a flipped bit. One
that does not fit counts as unknown.

History: 1  first version
         2  checksums
"""

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from scova.core import own_folder
from scova.errors import DiskFull, EmbedderError, IndexForeign
from scova.stores.columns.seal import is_sound, sealed
from scova.stores.database import connect, log_bytes, make_tables, transaction
from scova.stores.layout import set_aside
from scova.types import Vector

FORMAT = 2
CACHE_KIB = 32 * 1024
_AT_ONCE = 1000  # keys in one IN list
_WORTH_BYTES = 1 << 16  # of free pages, before the file is written anew
_SOFT = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR)
_TABLES = """
CREATE TABLE IF NOT EXISTS models (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, width INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
    number INTEGER PRIMARY KEY, model INTEGER NOT NULL, key BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, key));
"""

Answer = TypeVar("Answer")


class EmbeddingCache:
    """The cache at one path; made if there is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0

    def get(self, model: str, keys: Collection[bytes]) -> dict[bytes, Vector]:
        """The vectors that are known, by key. Looking does not make a file."""
        if not keys or (self._connection is None and not self.path.exists()):
            return {}
        return self._do(lambda connection: _get(connection, model, list(keys)))

    def put(self, model: str, vectors: Mapping[bytes, Vector]) -> None:
        """Keep these vectors. All vectors of a model have one width: EmbedderError otherwise."""
        if vectors:
            self._do(lambda connection: _put(connection, model, vectors))

    def prune(self, model: str, keep: Iterable[bytes]) -> int:
        """Forget the vectors of a model that are not among `keep`; says how many went."""
        kept = {*keep}
        return self._do(lambda connection: _prune(connection, model, kept))

    def give_back(self) -> int:
        """Give the room of what was forgotten back to the system; says how many bytes. Whoever reads is not held up, and who writes waits.

        None is given back where there is hardly any, where another process writes all the time, or where the disk has no room for a copy.
        """
        return self._do(lambda connection: _give_back(connection, self.path))

    def counts(self) -> dict[str, int]:
        """How many vectors there are of each model."""
        return self._do(_counts)

    def opener(self) -> "Callable[[], EmbeddingCache]":
        """How a worker process opens this cache for itself."""
        return partial(EmbeddingCache, self.path)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _do(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        with self._lock:
            try:
                return work(self._opened())
            except IndexForeign as error:
                hint = "remove what lies there: the cache is made anew"
                raise EmbedderError(f"the embedding cache cannot be used: {error.message}", hint) from None
            except UnicodeDecodeError as error:  # of SQLite's own words, which quote what lies in the file
                self._start_anew(error)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise _unusable(self.path, error) from error
                self._start_anew(error)
            return work(self._opened())

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connect(self.path)
            self._inode = self.path.stat().st_ino
        return self._connection

    def _start_anew(self, error: Exception) -> None:
        mine = self._inode if self._connection else 0
        self.close()
        if mine and self.path.exists() and self.path.stat().st_ino != mine:
            return  # another process has begun a new one already
        aside = set_aside(self.path)
        import logging  # only when there is something to say: it costs milliseconds on every search

        logging.getLogger(__name__).warning(
            "the embedding cache %s is damaged (%s); set aside as %s and begun anew", self.path, error, aside.name
        )


def _connect(path: Path) -> sqlite3.Connection:
    own_folder.make_marked(path.parent)
    connection = connect(path, cache_kib=CACHE_KIB, make=True)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            make_tables(connection, _TABLES, version=FORMAT)
        elif version == 1:
            _add_checksums(connection)
        elif version != FORMAT:
            raise sqlite3.DatabaseError(f"format {version} is not {FORMAT}")
    except BaseException:
        connection.close()
        raise
    return connection


def _add_checksums(connection: sqlite3.Connection) -> None:
    connection.create_function("sealed", 2, sealed, deterministic=True)
    with transaction(connection):
        # Asked again inside: another process may have done it meanwhile.
        if connection.execute("PRAGMA user_version").fetchone() == (1,):
            connection.execute("UPDATE vectors SET vector = sealed(key, vector)")
            connection.execute("PRAGMA user_version = 2")


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    # A file of another format counts too: there is nothing in a cache worth an error.
    return not isinstance(error, sqlite3.ProgrammingError) and getattr(error, "sqlite_errorcode", 0) & 0xFF not in (
        *_SOFT,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    )


def _unusable(path: Path, error: sqlite3.DatabaseError) -> DiskFull | EmbedderError:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
        return DiskFull(
            f"no room left on the disk for the embedding cache {path}", "free some space and run the command again"
        )
    hint = "check that its folder can be written to, and that the disk has space left"
    return EmbedderError(f"the embedding cache {path} cannot be used: {error}", hint)


def _model(connection: sqlite3.Connection, model: str) -> tuple[int, int] | None:
    found: tuple[int, int] | None = connection.execute(
        "SELECT number, width FROM models WHERE name = ?", (model,)
    ).fetchone()
    return found


def _get(connection: sqlite3.Connection, model: str, keys: list[bytes]) -> dict[bytes, Vector]:
    found: dict[bytes, Vector] = {}
    known = _model(connection, model)
    if known is None:
        return found
    keys.sort()  # neighbours lie on the same page
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        sql = f"SELECT key, vector FROM vectors WHERE model = ? AND key IN ({', '.join('?' * len(some))})"
        rows = connection.execute(sql, (known[0], *some))
        found.update((key, kept[:-4]) for key, kept in rows if is_sound(key, kept))
    return found


def _put(connection: sqlite3.Connection, model: str, vectors: Mapping[bytes, Vector]) -> None:
    widths = {len(vector) for vector in vectors.values()}
    with transaction(connection):
        connection.execute("INSERT OR IGNORE INTO models (name, width) VALUES (?, ?)", (model, min(widths)))
        number, width = _model(connection, model) or (0, 0)
        if widths != {width}:
            raise EmbedderError(
                f"vectors of `{model}` are {width} wide, these are {', '.join(map(str, sorted(widths)))}",
                "give another model another name",
            )
        rows = [(number, key, sealed(key, vectors[key])) for key in sorted(vectors)]
        connection.executemany(
            "INSERT INTO vectors (model, key, vector) VALUES (?, ?, ?) ON CONFLICT (model, key) DO UPDATE SET vector = excluded.vector",
            rows,
        )


def _prune(connection: sqlite3.Connection, model: str, keep: set[bytes]) -> int:
    known = _model(connection, model)
    if known is None:
        return 0
    held = connection.execute("SELECT key FROM vectors WHERE model = ?", (known[0],))
    gone = [(known[0], key) for (key,) in held if key not in keep]
    with transaction(connection):
        connection.executemany("DELETE FROM vectors WHERE model = ? AND key = ?", gone)
    return len(gone)


def _give_back(connection: sqlite3.Connection, path: Path) -> int:
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    if free * page < _WORTH_BYTES:
        return 0
    before = path.stat().st_size + log_bytes(path)
    try:
        connection.execute("VACUUM")  # not only free pages: those that are left are nearly empty, many of them
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL):
            raise
    return max(0, before - path.stat().st_size - log_bytes(path))


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    sql = "SELECT name, (SELECT count(*) FROM vectors WHERE model = models.number) FROM models ORDER BY name"
    return dict(connection.execute(sql))
