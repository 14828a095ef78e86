"""Keeps fetched pages on disk until a build reads them, and for the next fetch to compare with.

One SQLite file: a page is there whole or not at all, whatever kills the process. Several threads may write; other processes
read through a SpoolSource. Knows nothing of fetching; what a page says comes to it as text.

    format 1    table `pages`, one row per source and URI; the text packed with zlib
"""

import hashlib
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from scova.core import own_folder
from scova.errors import StoreDamaged, StoreTooNew
from scova.types import Document, Item, Mark, Skip

FORMAT = 1

_WAIT_MS = 30_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    source_id TEXT NOT NULL, uri TEXT NOT NULL, final_url TEXT NOT NULL, etag TEXT NOT NULL, last_modified TEXT NOT NULL,
    digest TEXT NOT NULL, size INTEGER NOT NULL, media_type TEXT NOT NULL, language TEXT NOT NULL, title TEXT NOT NULL,
    fetched_at TEXT NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (source_id, uri));
CREATE INDEX IF NOT EXISTS pages_by_digest ON pages (source_id, digest);
"""
_FIELDS = "source_id, uri, packed, final_url, etag, last_modified, media_type, language, title, fetched_at"


@dataclass(frozen=True, slots=True)
class SpooledPage:
    """A fetched page as text."""

    source_id: str
    uri: str
    text: str
    final_url: str = ""
    etag: str = ""
    last_modified: str = ""
    media_type: str = ""
    language: str = "markdown"
    title: str = ""
    fetched_at: str = ""  # for people; nothing is decided by it

    @property
    def digest(self) -> str:
        """Equal for equal texts."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


class Validators(NamedTuple):
    """What the next request for a page says about the one that is here."""

    etag: str = ""
    last_modified: str = ""


class Spool:
    """The pages in one file. Safe to share by threads; close it, or use it in a `with`."""

    def __init__(self, path: Path) -> None:
        """Opens the file, or makes it. StoreDamaged if it is none of ours, StoreTooNew if a later version wrote it."""
        self.path = path
        self._lock = threading.RLock()
        self._connection = _opened(path)

    def put(self, page: SpooledPage) -> None:
        """Keep a page, in place of an earlier one of the same source and URI. When this returns, it survives a kill."""
        packed = zlib.compress(page.text.encode("utf-8", "surrogatepass"), 3)
        place = (page.source_id, page.uri, packed, page.final_url)
        said = (page.etag, page.last_modified, page.media_type, page.language, page.title, page.fetched_at)
        with self._changing() as connection:
            connection.execute(
                f"INSERT OR REPLACE INTO pages ({_FIELDS}, digest, size) VALUES ({', '.join('?' * 12)})",
                (*place, *said, page.digest, len(page.text)),
            )

    def refresh(self, source_id: str, uri: str, validators: Validators, fetched_at: str) -> None:
        """Note that a page was found unchanged; empty validators leave those that are there."""
        with self._changing() as connection:
            connection.execute(
                "UPDATE pages SET fetched_at = ?, etag = coalesce(nullif(?, ''), etag),"
                " last_modified = coalesce(nullif(?, ''), last_modified) WHERE source_id = ? AND uri = ?",
                (fetched_at, *validators, source_id, uri),
            )

    def get(self, source_id: str, uri: str) -> SpooledPage | None:
        """A page; None when there is none."""
        with self._lock:
            return _page(self._connection, source_id, uri)

    def uris(self, source_id: str) -> list[str]:
        """The URIs of a source's pages, in order."""
        return [uri for (uri,) in self._rows("SELECT uri FROM pages WHERE source_id = ? ORDER BY uri", source_id)]

    def validators(self, source_id: str, uri: str) -> Validators:
        """What to say in the next request for a page; empty when it is not here."""
        query = "SELECT etag, last_modified FROM pages WHERE source_id = ? AND uri = ?"
        return next((Validators(*row) for row in self._rows(query, source_id, uri)), Validators())

    def same(self, source_id: str, digest: str) -> list[str]:
        """The URIs of a source's pages with exactly this text, in order."""
        query = "SELECT uri FROM pages WHERE source_id = ? AND digest = ? ORDER BY uri"
        return [uri for (uri,) in self._rows(query, source_id, digest)]

    def remove(self, source_id: str, uris: Iterable[str] | None = None) -> None:
        """Forget these pages of a source, or all of them, in one step."""
        with self._changing() as connection:
            if uris is None:
                connection.execute("DELETE FROM pages WHERE source_id = ?", (source_id,))
            else:
                rows = ((source_id, uri) for uri in uris)
                connection.executemany("DELETE FROM pages WHERE source_id = ? AND uri = ?", rows)

    def source_ids(self) -> list[str]:
        """The sources that have pages here, in order."""
        return [each for (each,) in self._rows("SELECT DISTINCT source_id FROM pages ORDER BY source_id")]

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, query: str, *values: str) -> list[tuple[str, ...]]:
        with self._lock, _damage(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of the block or nothing."""
        with _damage(self.path), self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection


class SpoolSource:
    """Pages of one source in a spool, as a Source. Safe to send to another process; opens the file only while it reads."""

    def __init__(self, path: Path, source_id: str, uris: Iterable[str]) -> None:
        self.path = path
        self.source_id = source_id
        self.uris = tuple(uris)

    def items(self) -> Iterator[Item | Skip]:
        """The pages in the order given; one that is not in the spool is left out, with a word."""
        with _damage(self.path), closing(_reading(self.path)) as connection:
            for uri in self.uris:
                row = connection.execute(
                    "SELECT size, digest FROM pages WHERE source_id = ? AND uri = ?", (self.source_id, uri)
                ).fetchone()
                path = f"{self.source_id}/{uri}"
                yield Item(path, mark_of(*row)) if row else _vanished(path)

    def read(self, item: Item) -> Document | Skip:
        """The text of a page, or why it has none."""
        uri = item.path.removeprefix(f"{self.source_id}/")
        try:
            with closing(_reading(self.path)) as connection:
                page = _page(connection, self.source_id, uri)
        except (sqlite3.Error, StoreDamaged, zlib.error, UnicodeError) as problem:
            return Skip(item.path, "unreadable", f"the spool of fetched pages cannot be read: {problem}")
        if page is None:
            return _vanished(item.path)
        digest = page.digest
        return Document(item.path, page.text, digest, page.language, mark_of(len(page.text), digest))


def mark_of(size: int, digest: str) -> Mark:
    """A mark that changes with the content. As a moment it lies in the far past, so that nobody takes the page for just changed."""
    return Mark(size, int(digest[:12], 16))


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """What SQLite has to complain about, in words that help."""
    try:
        yield
    except sqlite3.Error as problem:
        hint = "free some disk space, or delete it: the pages are then fetched again"
        raise StoreDamaged(f"{path} cannot be used: {problem}", hint) from problem


def _vanished(path: str) -> Skip:
    return Skip(path, "vanished", "it is not among the fetched pages")


def _page(connection: sqlite3.Connection, source_id: str, uri: str) -> SpooledPage | None:
    query = f"SELECT {_FIELDS} FROM pages WHERE source_id = ? AND uri = ?"
    row = connection.execute(query, (source_id, uri)).fetchone()
    if row is None:
        return None
    text = zlib.decompress(row[2]).decode("utf-8", "surrogatepass")
    return SpooledPage(row[0], row[1], text, *row[3:])


def _opened(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=_WAIT_MS / 1000, isolation_level=None, check_same_thread=False)
        try:
            own_folder.close_to_others(path)
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as problem:
        raise StoreDamaged(f"{path} cannot be used: {problem}", "delete it: the pages are then fetched again") from None
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT:
        raise StoreTooNew(f"{path} was written by a newer scova", "update scova, or delete the file to fetch again")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # what was fetched and noted must be here after a power cut too
    connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")


def _reading(path: Path) -> sqlite3.Connection:
    """A connection for reading alone; StoreDamaged when there is no such file."""
    if not path.is_file():
        raise StoreDamaged(f"{path} is gone", "fetch the pages again")
    connection = sqlite3.connect(path, timeout=_WAIT_MS / 1000, isolation_level=None)
    connection.execute("PRAGMA query_only = ON")
    return connection
