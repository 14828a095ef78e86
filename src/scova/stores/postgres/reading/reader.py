"""Everything that can be asked of one moment of a project on PostgreSQL. Turns rows into values; changes nothing."""

import json
from collections.abc import Sequence
from typing import Any

from scova.errors import DerivedDamaged
from scova.filters import path_passes
from scova.stores.columns.encoding import CHUNK_TYPES, NUMBER_OF_TYPE, moment, split
from scova.stores.postgres.connections import Connections
from scova.stores.postgres.reading.filerows import FileRows
from scova.stores.postgres.reading.outlines import Outlines
from scova.stores.postgres.reading.pinned import FILE_ID
from scova.types import Chunk, ChunkId, Filters, Light, Row, Tally

_AT_ONCE = 5000  # rows in one question

# Sub-selects by primary key instead of joins: PostgreSQL plans a join anew from what it knows of the tables, which is nothing while
# a first build runs. A half that is lost is NULL, and an error rather than an answer that misses something.
_PATH = "(SELECT file_path FROM indexed_files f WHERE f.project_id = c.project_id AND f.file_id = c.file_id)"
_TEXT = "(SELECT text FROM chunk_texts t WHERE t.project_id = c.project_id AND t.row = c.row)"
_CHUNK = f"""SELECT c.row, c.id, c.title, {_TEXT}, c.chunk_type, {_PATH}, c.start_line, c.end_line, c.language, c.content_hash,
    c.symbol, c.kind, c.ordinal, c.tags, c.names, c.generation, c.change_seq, c.created_at, c.updated_at
    FROM chunks c WHERE c.project_id = %s"""
_LIGHT = f"""SELECT c.row, {_PATH}, c.chunk_type, c.language, c.symbol, c.kind, c.start_line, c.end_line, c.tags, c.names,
    c.embed_key FROM chunks c WHERE c.project_id = %s"""
_BY_ROW = " AND c.row = ANY(%s::bigint[])"
_BY_ID = " AND hashtextextended(c.id, 0) = hashtextextended(%s, 0) AND c.id = %s ORDER BY c.row LIMIT 1"
_BY_PATH = f" AND c.file_id = {FILE_ID} ORDER BY c.ordinal"
_FIRST = f"SELECT c.row FROM chunks c WHERE c.project_id = %s {_BY_ROW} ORDER BY {_PATH}, c.start_line, c.row LIMIT %s"
# Rows ascend with the change sequence, so looking from the end finds where `since` ends without an index.
_AFTER = """row > coalesce((SELECT row FROM chunks WHERE project_id = %s AND change_seq <= %s
    ORDER BY project_id DESC, row DESC LIMIT 1), 0)"""
_REMOVED = (
    """SELECT row, id FROM removed_chunks WHERE project_id = %s AND change_seq > %s AND born_seq <= %s ORDER BY row"""
)
_TALLY = """SELECT (SELECT count(*) FROM symbols WHERE project_id = %(project)s),
    (SELECT count(*) FROM calls WHERE project_id = %(project)s),
    (SELECT coalesce(max(indexed_at), '') FROM indexed_files WHERE project_id = %(project)s)"""


class PostgresReader(Outlines, FileRows):
    """Every answer is as of `change_seq`, whatever is written meanwhile."""

    def __init__(self, connections: Connections, project: str, project_id: int, store_id: str) -> None:
        super().__init__(connections, project, project_id, store_id)
        self._tags = {number: split(word) for number, word in self._words.items()}

    def count(self) -> int:
        """How many chunks there are."""
        return int(self._count)

    def chunks(self, rows: Sequence[Row]) -> list[Chunk]:
        """The chunks of these rows that exist, in the order asked."""
        found = {chunk.row: chunk for chunk in self._made(self._chunk, self._by_row(_CHUNK, rows))}
        return [found[row] for row in rows if row in found]

    def lights(self, rows: Sequence[Row]) -> list[Light]:
        """The same without text, for ranking many."""
        found = {light.row: light for light in self._made(self._light, self._by_row(_LIGHT, rows))}
        return [found[row] for row in rows if row in found]

    def first(self, rows: Sequence[Row], count: int) -> list[Row]:
        """Of these rows the first by path and line, in that order."""
        return [row for (row,) in self._found(_FIRST, (self._project_id, list(rows), count))]

    def chunk_by_id(self, chunk_id: str) -> Chunk | None:
        """The chunk of this id, if there is one."""
        found = self._found(_CHUNK + _BY_ID, (self._project_id, chunk_id, chunk_id))
        return self._made(self._chunk, found)[0] if found else None

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of one file, in order."""
        return self._made(self._chunk, self._found(_CHUNK + _BY_PATH, (self._project_id, *self._of(path))))

    def rows(self, filters: Filters = Filters(), *, since: int = 0) -> list[Row]:  # noqa: B008 - a frozen value
        """Rows of all chunks that pass the filters and were written after `since`, ascending."""
        conditions, values = self._conditions(filters)
        if since:
            conditions.append(_AFTER)
            values += [self._project_id, since]
        which = " AND ".join(["project_id = %s", *conditions])
        # One long string instead of a tuple per row: the collector has nothing to look at.
        sql = f"SELECT coalesce(string_agg(row::text, ','), '') FROM chunks WHERE {which}"
        return sorted(json.loads(f"[{self._found(sql, (self._project_id, *values))[0][0]}]"))

    def removed(self, since: int) -> list[tuple[Row, str]]:
        """Rows and ids that were there at `since` and are gone, replaced ones included, ascending."""
        if since < self._removed_before:
            raise DerivedDamaged(
                f"removals up to change {self._removed_before} are forgotten, change {since} lies before",
                "what was derived at that change is built anew from the store",
            )
        return [(Row(row), chunk_id) for row, chunk_id in self._found(_REMOVED, (self._project_id, since, since))]

    def tally(self) -> Tally:
        """Counts, for people."""
        project = (self._project_id,)
        of_files = "SELECT language, count(*) FROM indexed_files WHERE project_id = %s GROUP BY 1 ORDER BY 2 DESC"
        languages = {self._words[number]: count for number, count in self._found(of_files, project)}
        of_chunks = "SELECT chunk_type, count(*) FROM chunks WHERE project_id = %s GROUP BY 1"
        types = dict(self._found(of_chunks, project))
        symbols, calls, indexed_at = self._found(_TALLY, {"project": self._project_id})[0]
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

    def _by_row(self, select: str, rows: Sequence[Row]) -> list[Any]:
        found: list[Any] = []
        for start in range(0, len(rows), _AT_ONCE):
            found += self._found(select + _BY_ROW, (self._project_id, list(rows[start : start + _AT_ONCE])))
        return found

    def _conditions(self, filters: Filters) -> tuple[list[str], list[object]]:
        """What the filters ask, as SQL over `chunks`."""
        wanted_tags = set(filters.tags)
        allowed: dict[str, list[int]] = {}
        if filters.chunk_types:
            allowed["chunk_type"] = [NUMBER_OF_TYPE[chunk_type] for chunk_type in filters.chunk_types]
        if filters.languages:
            allowed["language"] = [number for number, word in self._words.items() if word in filters.languages]
        if filters.kinds:
            allowed["kind"] = [number for number, word in self._words.items() if word in filters.kinds]
        if filters.tags:
            allowed["tags"] = [number for number, tags in self._tags.items() if wanted_tags.intersection(tags)]
        if passes := path_passes(filters):
            files = self._found(
                "SELECT file_id, file_path FROM indexed_files WHERE project_id = %s", (self._project_id,)
            )
            allowed["file_id"] = [file_id for file_id, path in files if passes(path)]
        return [f"{column} = ANY(%s::integer[])" for column in allowed], list(allowed.values())

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
