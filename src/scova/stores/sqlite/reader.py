"""Everything that can be asked of one moment of the embedded store. Turns rows into values; changes nothing."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scova.errors import DerivedDamaged
from scova.filters import path_passes
from scova.stores.columns.encoding import (
    CHUNK_TYPES,
    NUMBER_OF_TYPE,
    moment,
    split,
    token_of_id,
)
from scova.stores.sqlite.filerows import FileRows
from scova.stores.sqlite.outlines import Outlines
from scova.types import Chunk, ChunkId, Filters, Light, Row, Tally

_AT_ONCE = 500  # rows in one IN list

# Outer joins, so that a chunk whose other half is lost is an error and not an answer that misses something.
_CHUNK = """SELECT c.row, c.id, c.title, t.text, c.chunk_type, f.file_path, c.start_line, c.end_line, c.language, c.content_hash,
    c.symbol, c.kind, c.ordinal, c.tags, c.names, c.generation, c.change_seq, c.created_at, c.updated_at
    FROM chunks c LEFT JOIN chunk_texts t ON t.row = c.row LEFT JOIN indexed_files f ON f.file_id = c.file_id """
_LIGHT = """SELECT c.row, f.file_path, c.chunk_type, c.language, c.symbol, c.kind, c.start_line, c.end_line, c.tags, c.names,
    c.embed_key FROM chunks c LEFT JOIN indexed_files f ON f.file_id = c.file_id """
# Rows ascend with the change sequence, so looking from the end finds where `since` ends without an index.
_AFTER = "row > coalesce((SELECT row FROM chunks WHERE change_seq <= ? ORDER BY row DESC LIMIT 1), 0)"


class SqliteReader(Outlines, FileRows):
    """Every answer is as of `change_seq`, whatever is written meanwhile."""

    def __init__(self, connection: sqlite3.Connection, path: Path, project: str) -> None:
        super().__init__(connection, path, project)
        self._removed_before = int(self._meta["removed_before"])
        self._tags = {number: split(word) for number, word in self._words.items()}

    def count(self) -> int:
        """How many chunks there are."""
        return int(self._meta["chunks"])

    def chunks(self, rows: Sequence[Row]) -> list[Chunk]:
        """The chunks of these rows that exist, in the order asked."""
        with self._reading() as connection:
            found = {values[0]: self._chunk(values) for values in _by_row(connection, _CHUNK, rows)}
        return [found[row] for row in rows if row in found]

    def lights(self, rows: Sequence[Row]) -> list[Light]:
        """The same without text, for ranking many."""
        with self._reading() as connection:
            found = {values[0]: self._light(values) for values in _by_row(connection, _LIGHT, rows)}
        return [found[row] for row in rows if row in found]

    def first(self, rows: Sequence[Row], count: int) -> list[Row]:
        """Of these rows the first by path and line, in that order."""
        sql = """SELECT c.row FROM chunks c JOIN indexed_files f ON f.file_id = c.file_id
            WHERE c.row IN (SELECT value FROM json_each(?)) ORDER BY f.file_path, c.start_line, c.row LIMIT ?"""
        with self._reading() as connection:
            return [row for (row,) in connection.execute(sql, (json.dumps(rows), count))]

    def chunk_by_id(self, chunk_id: str) -> Chunk | None:
        """The chunk of this id, if there is one."""
        sql = f"{_CHUNK} WHERE c.file_id IN (SELECT rowid FROM lookup WHERE lookup MATCH ?) AND c.id = ? ORDER BY c.row LIMIT 1"
        with self._reading() as connection:
            values = connection.execute(sql, (token_of_id(chunk_id), chunk_id)).fetchone()
            return self._chunk(values) if values else None

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of one file, in order."""
        sql = f"{_CHUNK} WHERE c.file_id = (SELECT file_id FROM indexed_files WHERE project_id = ? AND file_path = ?) ORDER BY c.ordinal"
        with self._reading() as connection:
            return [self._chunk(values) for values in connection.execute(sql, (self._project, path))]

    def rows(self, filters: Filters = Filters(), *, since: int = 0) -> list[Row]:  # noqa: B008 - a frozen value
        """Rows of all chunks that pass the filters and were written after `since`, ascending."""
        with self._reading() as connection:
            conditions, values = self._conditions(connection, filters)
            if since:
                conditions.append(_AFTER)
                values.append(since)
            which = f"WHERE {' AND '.join(conditions)}" if conditions else ""
            # The index holds every column asked for, in a tenth of the table's pages; new rows are few, and found in the table.
            source = "chunks NOT INDEXED" if since else "chunks INDEXED BY chunks_by_file"
            # One long string instead of a tuple per row: twice as fast, since the collector has nothing to look at.
            found = connection.execute(f"SELECT json_group_array(row) FROM {source} {which}", values).fetchone()[0]
            return sorted(json.loads(found))

    def removed(self, since: int) -> list[tuple[Row, str]]:
        """Rows and ids that were there at `since` and are gone, replaced ones included, ascending."""
        if since < self._removed_before:
            raise DerivedDamaged(
                f"removals up to change {self._removed_before} are forgotten, change {since} lies before",
                "what was derived at that change is built anew from the store",
            )
        sql = "SELECT row, id FROM removed_chunks WHERE change_seq > ? AND born_seq <= ? ORDER BY row"
        with self._reading() as connection:
            return [(Row(row), chunk_id) for row, chunk_id in connection.execute(sql, (since, since))]

    def tally(self) -> Tally:
        """Counts, for people."""
        with self._reading() as connection:
            files = connection.execute(
                "SELECT language, count(*) FROM indexed_files GROUP BY 1 ORDER BY 2 DESC"
            ).fetchall()
            types = dict(
                connection.execute("SELECT chunk_type, count(*) FROM chunks INDEXED BY chunks_by_file GROUP BY 1")
            )
            sql = """SELECT (SELECT count(*) FROM symbols), (SELECT count(*) FROM calls),
                (SELECT coalesce(max(indexed_at), '') FROM indexed_files)"""
            symbols, calls, indexed_at = connection.execute(sql).fetchone()
            languages = {self._words[number]: count for number, count in files}
        by_type = {chunk_type.value: types.get(number, 0) for number, chunk_type in enumerate(CHUNK_TYPES)}
        return Tally(
            files=sum(languages.values()),
            chunks=sum(by_type.values()),
            symbols=symbols,
            calls=calls,
            languages=languages,
            chunk_types=by_type,
            indexed_at=indexed_at,
        )

    def _conditions(self, connection: sqlite3.Connection, filters: Filters) -> tuple[list[str], list[object]]:
        """What the filters ask, as SQL over `chunks`."""
        wanted_tags = set(filters.tags)
        allowed: dict[str, Sequence[int]] = {}
        if filters.chunk_types:
            allowed["chunk_type"] = [NUMBER_OF_TYPE[chunk_type] for chunk_type in filters.chunk_types]
        if filters.languages:
            allowed["language"] = [number for number, word in self._words.items() if word in filters.languages]
        if filters.kinds:
            allowed["kind"] = [number for number, word in self._words.items() if word in filters.kinds]
        if filters.tags:
            allowed["tags"] = [number for number, tags in self._tags.items() if wanted_tags.intersection(tags)]
        if passes := path_passes(filters):
            files = connection.execute("SELECT file_id, file_path FROM indexed_files")
            allowed["file_id"] = [file_id for file_id, path in files if passes(path)]
        conditions = [f"{column} IN (SELECT value FROM json_each(?))" for column in allowed]
        return conditions, [json.dumps(numbers) for numbers in allowed.values()]

    def _chunk(self, values: Any) -> Chunk:
        (row, chunk_id, title, text, number, path, start, end, language, said, symbol, kind, ordinal, tags, names,
         generation, seq, created, updated) = values  # fmt: skip
        if text is None or path is None:
            raise ValueError(f"row {row} is not whole")
        return Chunk(
            ChunkId(chunk_id), title or "", text, CHUNK_TYPES[number], path, start, end, self._words[language], said.hex(),
            symbol or "", self._words[kind], ordinal, self._tags[tags], split(names), row, self._project, generation, seq,
            moment(created), moment(updated),
        )  # fmt: skip

    def _light(self, values: Any) -> Light:
        row, path, number, language, symbol, kind, start, end, tags, names, embed_key = values
        if path is None:
            raise ValueError(f"row {row} is not whole")
        words = self._words
        return Light(
            row, path, CHUNK_TYPES[number], words[language], symbol or "", words[kind], start, end, self._tags[tags],
            split(names), embed_key,
        )  # fmt: skip


def _by_row(connection: sqlite3.Connection, select: str, rows: Sequence[Row]) -> list[Any]:
    found: list[Any] = []
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        found += connection.execute(f"{select} WHERE c.row IN ({', '.join('?' * len(some))})", some)
    return found
