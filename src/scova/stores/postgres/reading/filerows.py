"""Files of one moment of a project, without their chunks: which there are, which are newer, and what they say."""

from collections.abc import Iterable, Iterator

from scova.stores.columns.encoding import tag_counts
from scova.stores.columns.growth import growth, width_of
from scova.stores.postgres.connections import Connections
from scova.stores.postgres.reading.pinned import Pinned
from scova.types import CLOCK_GRAIN_NS, WHOLE, Census, IndexedFile, Mark, Seen, Share, StoredFile

_FILE = """SELECT f.file_id, f.file_path,
    (SELECT word FROM vocabulary v WHERE v.project_id = f.project_id AND v.number = f.language), f.content_hash, f.size
    FROM indexed_files f WHERE f.project_id = %s AND f.change_seq > %s"""
_TEXTS = """SELECT c.file_id, (SELECT text FROM chunk_texts t WHERE t.project_id = c.project_id AND t.row = c.row) FROM chunks c
    WHERE c.chunk_type != 0 AND c.project_id = %s AND c.file_id = ANY(%s::integer[]) ORDER BY c.file_id, c.ordinal"""
_MARK = """SELECT content_hash, size, changed_ns, generation, indexed_ns FROM indexed_files
    WHERE project_id = %s AND left(file_path, 256) = left(%s, 256) AND file_path = %s"""
_SEEN = f"""SELECT file_path, size, CASE WHEN changed_ns <= indexed_ns - {CLOCK_GRAIN_NS} THEN changed_ns END
    FROM indexed_files WHERE project_id = %s AND file_id > %s AND file_id <= %s"""
_KINDS = """SELECT coalesce((SELECT word FROM vocabulary v WHERE v.project_id = s.project_id AND v.number = s.kind), ''), count(*)
    FROM symbols s WHERE s.project_id = %s GROUP BY s.project_id, s.kind ORDER BY 2 DESC, 1"""
_TAGS = """SELECT (SELECT word FROM vocabulary v WHERE v.project_id = c.project_id AND v.number = c.tags), count(*)
    FROM chunks c WHERE c.project_id = %s GROUP BY c.project_id, c.tags"""
_SPAN = "SELECT min(created_at), max(created_at) FROM chunks WHERE project_id = %s"
_BORN = "SELECT (created_at - %s) / %s, count(*) FROM chunks WHERE project_id = %s GROUP BY 1"
_CAME = """SELECT (born - %s) / %s, count(*) FROM (SELECT min(created_at) AS born FROM chunks WHERE project_id = %s
    GROUP BY file_id) came GROUP BY 1"""
_FILES = 10_000  # whose marks are remembered
_AT_ONCE = 2000  # files


class FileRows(Pinned):
    """What can be asked about whole files."""

    def __init__(self, connections: Connections, project: str, project_id: int, store_id: str) -> None:
        super().__init__(connections, project, project_id, store_id)
        self._asked_files: dict[str, IndexedFile | None] = {}

    def file(self, path: str) -> IndexedFile | None:
        """What is remembered of one file; None when there is no such file. Asking again costs nothing."""
        if path not in self._asked_files:
            if len(self._asked_files) >= _FILES:
                self._asked_files = {}
            self._asked_files[path] = self._file(path)
        return self._asked_files[path]

    def _file(self, path: str) -> IndexedFile | None:
        for digest, size, changed_ns, generation, indexed_ns in self._found(_MARK, (self._project_id, path, path)):
            return IndexedFile(path, digest, Mark(size, changed_ns), generation, indexed_ns)
        return None

    def count_files(self, since: int = 0) -> int:
        """How many files there are that were put after `since`."""
        sql = "SELECT count(*) FROM indexed_files WHERE project_id = %s AND change_seq > %s"
        return int(self._found(sql, (self._project_id, since))[0][0])

    def seen(self, share: Share = WHOLE) -> Iterator[Seen]:
        """What every file of this part looked like when it was read."""
        sql = "SELECT coalesce(max(file_id), 0) FROM indexed_files WHERE project_id = %s"
        last = self._found(sql, (self._project_id,))[0][0]
        end = last * (share.number + 1) // share.of
        for start in range(last * share.number // share.of, end, _AT_ONCE):
            yield from self._found(_SEEN, (self._project_id, start, min(start + _AT_ONCE, end)))

    def stored_files(self, ids: Iterable[int] | None = None, *, since: int = 0) -> list[StoredFile]:
        """These files, or all, that were put after `since`; ordered by path."""
        which, values = ("", []) if ids is None else (" AND f.file_id = ANY(%s::integer[])", [list(ids)])
        found = self._found(f"{_FILE}{which} ORDER BY f.file_path", (self._project_id, since, *values))
        return self._made(StoredFile._make, found)

    def stored_texts(self, files: Iterable[StoredFile]) -> Iterator[tuple[StoredFile, str]]:
        """These files with their texts, put together from their chunks."""
        wanted = list(files)
        parts: dict[int, list[str]] = {file.file_id: [] for file in wanted}
        for file_id, text in self._found(_TEXTS, (self._project_id, list(parts))):
            parts[file_id].append(text)
        return ((file, "".join(parts[file.file_id])) for file in wanted)

    def census(self) -> Census:
        """Kinds of definitions, tags, and when what is there came."""
        kinds = dict(self._found(_KINDS, (self._project_id,)))
        tags = tag_counts(self._found(_TAGS, (self._project_id,)))
        first, last = self._found(_SPAN, (self._project_id,))[0]
        if first is None:
            return Census(kinds, ())
        scale = (first, width_of(first, last), self._project_id)
        return Census(kinds, growth(first, last, self._found(_CAME, scale), self._found(_BORN, scale)), tags)
