"""Files of one moment of the store, without their chunks: which there are, which are newer, and what they say."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from scova.stores.columns.encoding import tag_counts
from scova.stores.columns.growth import growth, width_of
from scova.stores.sqlite.pinned import Pinned
from scova.types import CLOCK_GRAIN_NS, WHOLE, Census, IndexedFile, Mark, Seen, Share, StoredFile

_FILE = """SELECT file_id, file_path, (SELECT word FROM vocabulary WHERE number = language), content_hash, size
    FROM indexed_files """
_TEXTS = """SELECT c.file_id, t.text FROM chunks c LEFT JOIN chunk_texts t ON t.row = c.row
    WHERE c.chunk_type != 0 AND c.file_id IN (SELECT value FROM json_each(?)) ORDER BY c.file_id, c.ordinal"""
_KINDS = """SELECT coalesce((SELECT word FROM vocabulary WHERE number = kind), ''), count(*) FROM symbols
    GROUP BY kind ORDER BY 2 DESC, 1"""
_TAGS = """SELECT (SELECT word FROM vocabulary WHERE number = tags), count(*) FROM chunks INDEXED BY chunks_by_file
    GROUP BY tags"""
_BORN = "SELECT (created_at - ?) / ?, count(*) FROM chunks NOT INDEXED GROUP BY 1"
_CAME = "SELECT (born - ?) / ?, count(*) FROM (SELECT min(created_at) AS born FROM chunks GROUP BY file_id) GROUP BY 1"
_FILES = 10_000  # whose marks are remembered
_AT_ONCE = 2000  # files


class FileRows(Pinned):
    """What can be asked about whole files."""

    def __init__(self, connection: sqlite3.Connection, path: Path, project: str) -> None:
        super().__init__(connection, path, project)
        self._asked_files: dict[str, IndexedFile | None] = {}

    def file(self, path: str) -> IndexedFile | None:
        """What is remembered of one file; None when there is no such file. Asking again costs nothing."""
        if path not in self._asked_files:
            if len(self._asked_files) >= _FILES:
                self._asked_files = {}
            self._asked_files[path] = self._file(path)
        return self._asked_files[path]

    def _file(self, path: str) -> IndexedFile | None:
        sql = """SELECT content_hash, size, changed_ns, generation, indexed_ns FROM indexed_files
            WHERE project_id = ? AND file_path = ?"""
        with self._reading() as connection:
            found = connection.execute(sql, (self._project, path)).fetchone()
            if found is None:
                return None
            digest, size, changed_ns, generation, indexed_ns = found
            return IndexedFile(path, digest, Mark(size, changed_ns), generation, indexed_ns)

    def count_files(self, since: int = 0) -> int:
        """How many files there are that were put after `since`."""
        every = "SELECT count(*) FROM indexed_files"  # counted in an index, a third of the table's pages
        with self._reading() as connection:
            found = (
                connection.execute(f"{every} WHERE change_seq > ?", (since,)) if since else connection.execute(every)
            )
            return int(found.fetchone()[0])

    def seen(self, share: Share = WHOLE) -> Iterator[Seen]:
        """What every file of this part looked like when it was read."""
        trusted = f"CASE WHEN changed_ns <= indexed_ns - {CLOCK_GRAIN_NS} THEN changed_ns END"
        sql = f"SELECT file_path, size, {trusted} FROM indexed_files WHERE file_id > ? AND file_id <= ?"
        with self._reading() as connection:
            last = connection.execute("SELECT max(file_id) FROM indexed_files").fetchone()[0] or 0
        end = last * (share.number + 1) // share.of
        # A few at a time, which is quicker than all at once: they are used before the next ones need fresh memory.
        for start in range(last * share.number // share.of, end, _AT_ONCE):
            with self._reading() as connection:
                found = connection.execute(sql, (start, min(start + _AT_ONCE, end))).fetchall()
            yield from found

    def stored_files(self, ids: Iterable[int] | None = None, *, since: int = 0) -> list[StoredFile]:
        """These files, or all, that were put after `since`; ordered by path."""
        with self._reading() as connection:
            if ids is None:
                found = connection.execute(f"{_FILE} WHERE change_seq > ? ORDER BY file_path", (since,))
            else:
                which = "WHERE change_seq > ? AND file_id IN (SELECT value FROM json_each(?)) ORDER BY file_path"
                found = connection.execute(f"{_FILE} {which}", (since, json.dumps(list(ids))))
            return [StoredFile(*values) for values in found]

    def stored_texts(self, files: Iterable[StoredFile]) -> Iterator[tuple[StoredFile, str]]:
        """These files with their texts, put together from their chunks."""
        wanted = list(files)
        parts: dict[int, list[str]] = {file.file_id: [] for file in wanted}
        with self._reading() as connection:
            for file_id, text in connection.execute(_TEXTS, (json.dumps(list(parts)),)):
                parts[file_id].append(text)
            for file in wanted:
                yield file, "".join(parts[file.file_id])

    def census(self) -> Census:
        """Kinds of definitions, tags, and when what is there came."""
        with self._reading() as connection:
            kinds = dict(connection.execute(_KINDS).fetchall())
            tags = tag_counts(connection.execute(_TAGS))
            first, last = connection.execute("SELECT min(created_at), max(created_at) FROM chunks").fetchone()
            if first is None:
                return Census(kinds, ())
            scale = (first, width_of(first, last))
            came = growth(first, last, connection.execute(_CAME, scale), connection.execute(_BORN, scale))
            return Census(kinds, came, tags)
