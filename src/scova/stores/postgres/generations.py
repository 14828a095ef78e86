"""The one way chunks come into the store and leave it: whole files, by generation, inside the caller's transaction.

A file's next generation is written whole, made visible, and the previous one is deleted and logged as removed; others see all of
it at the commit, or nothing. Rows travel in bulk (COPY). Knows nothing of connections and locks.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

from scova.stores.columns import rows
from scova.stores.columns.encoding import NUMBER_OF_TYPE, aliased, base_name, joined, moment
from scova.stores.columns.known import Kept, Known
from scova.types import Binding, Move, ParsedFile, Row, Symbol

if TYPE_CHECKING:
    from scova.stores.postgres.handle import Turn

# A lateral select that cannot be merged into a join: PostgreSQL plans joins from what it knows of the tables, which is nothing while
# a first build runs; this way each path, or file, is looked up in the index.
_KEPT = """SELECT p, f.file_id, f.generation FROM unnest(%s::text[]) p CROSS JOIN LATERAL (SELECT file_id, generation
    FROM indexed_files WHERE project_id = %s AND left(file_path, 256) = left(p, 256) AND file_path = p OFFSET 0) f"""
_THESE = """project_id = %(project)s AND file_id = ANY(%(files)s::integer[])
    AND (file_id, generation) IN (SELECT * FROM unnest(%(files)s::integer[], %(generations)s::integer[]))"""
_KNOWN = f"SELECT file_id, id, ordinal, content_hash, created_at, updated_at FROM chunks WHERE {_THESE}"
# All in one statement, which is one way to the database and back.
_DELETE = f"""WITH gone AS (DELETE FROM chunks WHERE {_THESE} RETURNING row, id, change_seq),
    texts AS (DELETE FROM chunk_texts WHERE project_id = %(project)s AND row = ANY(ARRAY(SELECT row FROM gone))),
    symbols AS (DELETE FROM symbols WHERE {_THESE}), calls AS (DELETE FROM calls WHERE {_THESE}),
    bindings AS (DELETE FROM bindings WHERE {_THESE}), lookup AS (DELETE FROM lookup WHERE {_THESE})
    INSERT INTO removed_chunks (project_id, change_seq, row, id, born_seq)
    SELECT %(project)s, %(seq)s, row, id, change_seq FROM gone"""
_SHOW = """INSERT INTO indexed_files VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (project_id, file_id) DO UPDATE SET content_hash = excluded.content_hash, generation = excluded.generation,
    indexed_at = excluded.indexed_at, language = excluded.language, size = excluded.size, changed_ns = excluded.changed_ns,
    indexed_ns = excluded.indexed_ns, change_seq = excluded.change_seq"""
_GENERATION = """INSERT INTO chunk_generations VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (project_id, file_id) DO UPDATE SET
    current_generation = excluded.current_generation, chunks_count = excluded.chunks_count, updated_at = excluded.updated_at"""
_FORGET_MOVES = "DELETE FROM file_moves WHERE project_id = %s AND left(new_path, 256) = left(%s, 256) AND new_path = %s"


def token_of_base(name: str) -> int:
    """What `lookup` holds for a class that others inherit from."""
    return crc32(f"b{name}".encode())


def token_of_alias(name: str) -> int:
    """What `lookup` holds for a name that is imported under another one."""
    return crc32(f"a{name}".encode())


def tokens(symbols: Iterable[Symbol], bindings: Iterable[Binding]) -> set[int]:
    """Everything `lookup` holds for a file."""
    bases = {name for symbol in symbols for base in symbol.bases if (name := base_name(base))}
    return {*map(token_of_base, bases), *map(token_of_alias, aliased(bindings))}


def ending_of(symbol: Symbol) -> str | None:
    """The last component of a qualified name, where that is not the name."""
    last = symbol.qualified.rpartition(".")[2]
    return None if last == symbol.name else last


class Generations:
    """One change of the store. Made anew for every change."""

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._connection = turn.connection
        self._project_id = turn.project_id
        self._now = time.time_ns() // 1_000_000

    def put(self, files: Sequence[ParsedFile], gone: Collection[str], moves: Sequence[Move]) -> list[Row]:
        """Write the next generation of `files` and remove the files `gone`; nothing happens when there is nothing to do."""
        kept = self._kept({*gone, *(file.path for file in files), *(move.old_path for move in moves)})
        removed = {path: kept[path] for path in gone if path in kept}
        if not files and not removed:
            return []
        seq = self.advance()
        origins = {move.new_path: kept[move.old_path].file_id for move in moves if move.old_path in kept}
        following = self._following(files, kept, origins)
        known = self._known(kept.values())
        self.delete([*(kept[file.path] for file in files if file.path in kept), *removed.values()], seq)
        numbers = self._numbers(following)
        written = self._write_chunks(following, known, numbers)
        self._write_outlines(following, numbers)
        self._show(following, numbers)
        self._delete_files(removed.values())
        self._put_moves([move for move in moves if move.new_path in {file.path for file in files}])
        if removed:
            self._prune_moves()
        return written

    def advance(self) -> int:
        """Take the next number of the change sequence."""
        self._turn.change_seq += 1
        self._turn.changed = True
        return self._turn.change_seq

    def delete(self, generations: Iterable[Kept], seq: int) -> None:
        """Delete these generations of files and log their chunks as removed."""
        which = self._which(generations)
        if which["files"]:
            self._turn.chunks -= self._connection.execute(_DELETE, {**which, "seq": seq}).rowcount

    # --- what is there

    def _which(self, generations: Iterable[Kept]) -> dict[str, object]:
        """These files and generations, as the database takes them."""
        wanted = list(generations)
        numbers = {"files": [one.file_id for one in wanted], "generations": [one.generation for one in wanted]}
        return {"project": self._project_id, **numbers}

    def _kept(self, paths: Collection[str]) -> dict[str, Kept]:
        found: Any = self._connection.execute(_KEPT, (sorted(paths), self._project_id))
        return {path: Kept(file_id, generation) for path, file_id, generation in found}

    def _known(self, generations: Iterable[Kept]) -> Known:
        by_id: dict[str, tuple[bytes, int, int]] = {}
        by_place: dict[tuple[int, int, bytes], tuple[int, int]] = {}
        which = self._which(generations)
        found: Any = self._connection.execute(_KNOWN, which) if which["files"] else ()
        for file_id, chunk_id, ordinal, said, created, updated in found:
            by_id[chunk_id] = (said, created, updated)
            by_place[file_id, ordinal, said] = (created, updated)
        return Known(by_id, by_place)

    def _following(
        self, files: Sequence[ParsedFile], kept: Mapping[str, Kept], origins: Mapping[str, int]
    ) -> list[rows.Next]:
        following: list[rows.Next] = []
        for file in files:
            before = kept.get(file.path)
            if before is None:
                self._turn.last_file += 1
                before = Kept(self._turn.last_file, 0)
            generation = max(before.generation + 1, file.generation)
            following.append(rows.Next(file, before.file_id, generation, origins.get(file.path, 0)))
        return following

    def _numbers(self, following: Sequence[rows.Next]) -> dict[str | None, int]:
        """Numbers of all words in these files, new ones added to the vocabulary. None is written as the empty word."""
        wanted = {one.file.language for one in following}
        wanted |= {symbol.kind for one in following for symbol in one.file.outline.symbols}
        chunks = [chunk for one in following for chunk in one.file.chunks]
        wanted |= {word or "" for chunk in chunks for word in (chunk.language, chunk.kind, joined(chunk.tags))}
        sql = "SELECT word, number FROM vocabulary WHERE project_id = %s"
        found: Any = dict(self._connection.execute(sql, (self._project_id,)).fetchall())  # type: ignore[arg-type]
        fresh = sorted(wanted - found.keys())
        found.update((word, number) for number, word in enumerate(fresh, max(found.values(), default=0) + 1))
        if fresh:
            self._insert("vocabulary", ((found[word], word) for word in fresh))
        found[None] = found.get("", 0)
        return dict(found)

    # --- what is written

    def _insert(self, table: str, values: Iterable[tuple[object, ...]]) -> None:
        """Add rows to a table, given without the project."""
        with self._connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
            for row in values:
                copy.write_row((self._project_id, *row))

    def _write_chunks(
        self, following: Sequence[rows.Next], known: Known, numbers: Mapping[str | None, int]
    ) -> list[Row]:
        chunks = [(next_one, chunk) for next_one in following for chunk in next_one.file.chunks]
        first = self._turn.last_row + 1

        def encoded() -> Iterator[tuple[object, ...]]:
            for row, (following_file, chunk) in enumerate(chunks, first):
                said = bytes.fromhex(chunk.content_hash)
                yield (
                    row, chunk.id, following_file.file_id, following_file.generation, chunk.ordinal,
                    NUMBER_OF_TYPE[chunk.chunk_type], numbers[chunk.language], numbers[chunk.kind],
                    numbers[joined(chunk.tags)], chunk.title or None, chunk.symbol or None, joined(chunk.names),
                    chunk.start_line, chunk.end_line, said, chunk.embed_key,
                    *known.times(chunk, said, came_from=following_file.came_from, now=self._now), self._turn.change_seq,
                )  # fmt: skip

        if chunks:
            self._insert("chunks", encoded())
            self._insert("chunk_texts", ((row, chunk.text) for row, (_, chunk) in enumerate(chunks, first)))
        self._turn.chunks += len(chunks)
        self._turn.last_row += len(chunks)
        return [Row(row) for row in range(first, first + len(chunks))]

    def _write_outlines(self, following: Sequence[rows.Next], numbers: Mapping[str | None, int]) -> None:
        endings = (ending_of(symbol) for one in following for symbol in one.file.outline.symbols)
        symbols = ((*row, ending) for row, ending in zip(rows.symbols(following, numbers), endings, strict=True))
        found = (
            (token, one.file_id, one.generation)
            for one in following
            for token in sorted(tokens(one.file.outline.symbols, one.file.outline.bindings))
        )
        for table, values in (
            ("symbols", symbols), ("calls", _calls(following)), ("bindings", rows.bindings(following)), ("lookup", found),
        ):  # fmt: skip
            if given := list(values):
                self._insert(table, given)

    def _show(self, following: Sequence[rows.Next], numbers: Mapping[str | None, int]) -> None:
        now, now_ns = moment(self._now), time.time_ns()
        cursor = self._connection.cursor()
        files = [
            (self._project_id, one.file_id, one.file.path, one.file.digest, one.generation, now, numbers[one.file.language],
             one.file.mark.size, one.file.mark.changed_ns, one.file.read_ns or now_ns, self._turn.change_seq)
            for one in following
        ]  # fmt: skip
        counts = [
            (self._project_id, one.file_id, one.file.path, one.generation, len(one.file.chunks), now)
            for one in following
        ]
        if following:
            cursor.executemany(_SHOW, files)
            cursor.executemany(_GENERATION, counts)

    def _delete_files(self, removed: Iterable[Kept]) -> None:
        which = [one.file_id for one in removed]
        if which:
            for table in ("indexed_files", "chunk_generations"):
                sql = f"DELETE FROM {table} WHERE project_id = %s AND file_id = ANY(%s::integer[])"
                self._connection.execute(sql, (self._project_id, which))

    def _put_moves(self, moves: Sequence[Move]) -> None:
        if moves:
            sql = f"{_FORGET_MOVES} AND old_path = %s"
            pairs = [(self._project_id, move.new_path, move.new_path, move.old_path) for move in moves]
            self._connection.cursor().executemany(sql, pairs)
            self._insert("file_moves", ((move.old_path, move.new_path, moment(self._now)) for move in moves))

    def _prune_moves(self) -> None:
        """Forget moves that do not lead to a file that is still there."""
        sql = "SELECT old_path, new_path FROM file_moves WHERE project_id = %s"
        found: Any = self._connection.execute(sql, (self._project_id,)).fetchall()
        origins: defaultdict[str, set[str]] = defaultdict(set)
        for old_path, new_path in found:
            origins[new_path].add(old_path)
        waiting = [*self._kept(origins)] if origins else []
        alive = set(waiting)
        while waiting:
            earlier = origins[waiting.pop()] & origins.keys() - alive
            alive |= earlier
            waiting += earlier
        if dead := sorted(origins.keys() - alive):
            self._connection.cursor().executemany(_FORGET_MOVES, [(self._project_id, path, path) for path in dead])


def _calls(following: Iterable[rows.Next]) -> Iterator[tuple[object, ...]]:
    """Rows of `calls`: who calls is a number, or words, in columns of their own."""
    for file_id, generation, ordinal, name, receiver, caller, line in rows.calls(following):
        number, words = (caller, None) if isinstance(caller, int) else (None, caller)
        yield file_id, generation, ordinal, name, receiver, number, words, line
