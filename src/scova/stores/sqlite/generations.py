"""The one way chunks come into the store and leave it: whole files, by generation, inside the caller's transaction.

A file's next generation is written whole, made visible, and only then is the previous one deleted and logged as removed.
Knows nothing of connections, locks or files on disk.
"""

import sqlite3
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from scova.stores.columns import rows
from scova.stores.columns.encoding import (
    NUMBER_OF_TYPE,
    QUALIFIED,
    Names,
    joined,
    moment,
    readable,
    split,
    tokens,
    unpacked,
)
from scova.stores.columns.known import Kept, Known
from scova.stores.columns.ties import packed_ties
from scova.types import Move, ParsedFile, Row

_AT_ONCE = 500  # values in one IN list
_OF_FILE = "WHERE file_id = ? AND generation = ?"


class Generations:
    """One change of the store. Made anew for every transaction."""

    def __init__(self, connection: sqlite3.Connection, project: str) -> None:
        self._connection = connection
        self._project = project
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
        known = self._known([*kept.values()])
        replaced = [kept[file.path] for file in files if file.path in kept]
        self.forget_tokens([*replaced, *removed.values()])
        rows = self._write_chunks(following, known, seq)
        self._write_outlines(following)
        self._show(following, seq)
        self.delete([*replaced, *removed.values()], seq)
        self._delete_files(removed)
        self._put_moves([move for move in moves if move.new_path in {file.path for file in files}])
        if removed:
            self._prune_moves()
        return rows

    def advance(self) -> int:
        """Take the next number of the change sequence."""
        self._connection.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'change_seq'")
        return int(self._connection.execute("SELECT value FROM meta WHERE key = 'change_seq'").fetchone()[0])

    def delete(self, generations: Iterable[Kept], seq: int) -> None:
        """Delete these generations of files and log their chunks as removed."""
        which = [(kept.file_id, kept.generation) for kept in generations]
        run = self._connection.executemany
        columns = "change_seq, row, id, born_seq"
        removed = f"INSERT INTO removed_chunks ({columns}) SELECT ?, row, id, change_seq FROM chunks {_OF_FILE}"
        run(removed, [(seq, *one) for one in which])
        run(f"DELETE FROM chunk_texts WHERE row IN (SELECT row FROM chunks {_OF_FILE})", which)
        self._count(-run(f"DELETE FROM chunks {_OF_FILE}", which).rowcount if which else 0)
        run(f"DELETE FROM symbols {_OF_FILE}", which)
        run(f"DELETE FROM calls {_OF_FILE}", which)
        run(f"DELETE FROM bindings {_OF_FILE}", which)

    def forget_tokens(self, generations: Iterable[Kept]) -> None:
        """Take these generations out of `lookup`; to be done while their rows are still there."""
        rows = [(kept.file_id, found) for kept in generations if (found := self.stored_tokens(kept))]
        self._connection.executemany("INSERT INTO lookup (lookup, rowid, tokens) VALUES ('delete', ?, ?)", rows)

    def stored_tokens(self, kept: Kept) -> str:
        """What `lookup` must hold for a generation of a file, from the rows that are stored."""
        which = (kept.file_id, kept.generation)
        bound = self._strings(f"SELECT bound FROM bindings {_OF_FILE} AND json_valid(bound)", which)
        names = f"SELECT name FROM symbols {_OF_FILE} UNION SELECT {QUALIFIED} FROM symbols {_OF_FILE}"
        return tokens(
            Names(
                ids=self._strings(f"SELECT id FROM chunks {_OF_FILE}", which),
                defined=self._strings(names, which * 2),
                called=self._strings(f"SELECT DISTINCT name FROM calls {_OF_FILE}", which),
                bases=[
                    base
                    for text in self._strings(f"SELECT bases FROM symbols {_OF_FILE}", which)
                    for base in split(text)
                ],
                bindings=[binding for text in bound for binding in unpacked(text)],
            )
        )

    def stored_ties(self, kept: Kept) -> tuple[bytes, bytes]:
        """What `bindings` must hold of a generation's names, from the rows that are stored."""
        which = (kept.file_id, kept.generation)
        bound = self._strings(f"SELECT bound FROM bindings {_OF_FILE} AND json_valid(bound)", which)
        return packed_ties(
            self._strings(f"SELECT DISTINCT name FROM symbols {_OF_FILE}", which),
            self._strings(f"SELECT DISTINCT name FROM calls {_OF_FILE}", which),
            [binding for text in bound for binding in readable(text)],
        )

    def write_ties(self) -> None:
        """Make the names of every file anew from its rows."""
        every = self._connection.execute("SELECT file_id, generation FROM bindings").fetchall()
        made = ((*self.stored_ties(Kept(*which)), *which) for which in every)
        self._connection.executemany(f"UPDATE bindings SET defines = ?, uses = ? {_OF_FILE}", made)

    # --- what is there

    def _strings(self, sql: str, values: Sequence[object]) -> list[str]:
        return [found for (found,) in self._connection.execute(sql, values)]

    def _kept(self, paths: Collection[str]) -> dict[str, Kept]:
        wanted = sorted(paths)
        found: dict[str, Kept] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            sql = f"SELECT file_path, file_id, generation FROM indexed_files WHERE project_id = ? AND file_path IN ({marks})"
            for path, file_id, generation in self._connection.execute(sql, (self._project, *some)):
                found[path] = Kept(file_id, generation)
        return found

    def _known(self, generations: Iterable[Kept]) -> Known:
        by_id: dict[str, tuple[bytes, int, int]] = {}
        by_place: dict[tuple[int, int, bytes], tuple[int, int]] = {}
        sql = f"SELECT id, ordinal, content_hash, created_at, updated_at FROM chunks {_OF_FILE}"
        for kept in generations:
            for chunk_id, ordinal, said, created, updated in self._connection.execute(
                sql, (kept.file_id, kept.generation)
            ):
                by_id[chunk_id] = (said, created, updated)
                by_place[kept.file_id, ordinal, said] = (created, updated)
        return Known(by_id, by_place)

    def _count(self, more: int) -> None:
        self._connection.execute("UPDATE meta SET value = CAST(value AS INTEGER) + ? WHERE key = 'chunks'", (more,))

    def _last(self, table: str) -> int:
        found = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return int(found[0]) if found else 0

    def _following(
        self, files: Sequence[ParsedFile], kept: Mapping[str, Kept], origins: Mapping[str, int]
    ) -> list[rows.Next]:
        last = self._last("indexed_files")
        following: list[rows.Next] = []
        for file in files:
            before = kept.get(file.path)
            if before is None:
                last += 1
                before = Kept(last, 0)
            generation = max(before.generation + 1, file.generation)
            following.append(rows.Next(file, before.file_id, generation, origins.get(file.path, 0)))
        return following

    def _numbers(self, words: Collection[str | None]) -> dict[str | None, int]:
        """Numbers of these words, new ones added to the vocabulary. None is written as the empty word."""
        wanted = [(word or "",) for word in words]
        self._connection.executemany("INSERT OR IGNORE INTO vocabulary (word) VALUES (?)", wanted)
        found: dict[str | None, int] = dict(self._connection.execute("SELECT word, number FROM vocabulary"))
        found[None] = found.get("", 0)
        return found

    # --- what is written

    def _write_chunks(self, following: Sequence[rows.Next], known: Known, seq: int) -> list[Row]:
        chunks = [(next_one, chunk) for next_one in following for chunk in next_one.file.chunks]
        words = {word for _, chunk in chunks for word in (chunk.language, chunk.kind, joined(chunk.tags))}
        numbers = self._numbers(words)
        first = self._last("chunks") + 1

        def encoded() -> Iterator[tuple[object, ...]]:
            for row, (following_file, chunk) in enumerate(chunks, first):
                said = bytes.fromhex(chunk.content_hash)
                yield (
                    row, chunk.id, following_file.file_id, following_file.generation, chunk.ordinal,
                    NUMBER_OF_TYPE[chunk.chunk_type], numbers[chunk.language], numbers[chunk.kind],
                    numbers[joined(chunk.tags)], chunk.title or None, chunk.symbol or None, joined(chunk.names),
                    chunk.start_line, chunk.end_line, said, chunk.embed_key,
                    *known.times(chunk, said, came_from=following_file.came_from, now=self._now), seq,
                )  # fmt: skip

        self._connection.executemany(f"INSERT INTO chunks VALUES ({', '.join('?' * 19)})", encoded())
        texts = ((row, chunk.text) for row, (_, chunk) in enumerate(chunks, first))
        self._connection.executemany("INSERT INTO chunk_texts VALUES (?, ?)", texts)
        self._count(len(chunks))
        return [Row(row) for row in range(first, first + len(chunks))]

    def _write_outlines(self, following: Sequence[rows.Next]) -> None:
        numbers = self._numbers({symbol.kind for one in following for symbol in one.file.outline.symbols})
        self._connection.executemany(
            f"INSERT INTO symbols VALUES ({', '.join('?' * 13)})", rows.symbols(following, numbers)
        )
        self._connection.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?)", rows.calls(following))
        self._connection.executemany("INSERT INTO bindings VALUES (?, ?, ?, ?, ?, ?, ?)", rows.bindings(following))
        found = ((one.file_id, rows.tokens_of(one.file)) for one in following)
        given = [(file_id, text) for file_id, text in found if text]
        self._connection.executemany("INSERT INTO lookup (rowid, tokens) VALUES (?, ?)", given)

    def _show(self, following: Sequence[rows.Next], seq: int) -> None:
        numbers = self._numbers({one.file.language for one in following})
        now, now_ns = moment(self._now), time.time_ns()
        columns = "content_hash, generation, indexed_at, language, size, changed_ns, indexed_ns, change_seq"
        changes = ", ".join(f"{column} = excluded.{column}" for column in columns.split(", "))
        self._connection.executemany(
            f"INSERT INTO indexed_files (file_id, project_id, file_path, {columns}) VALUES ({', '.join('?' * 11)})"
            f" ON CONFLICT (file_id) DO UPDATE SET {changes}",
            (
                (one.file_id, self._project, one.file.path, one.file.digest, one.generation, now, numbers[one.file.language],
                 one.file.mark.size, one.file.mark.changed_ns, one.file.read_ns or now_ns, seq)
                for one in following
            ),
        )  # fmt: skip
        self._connection.executemany(
            "INSERT OR REPLACE INTO chunk_generations VALUES (?, ?, ?, ?, ?)",
            ((self._project, one.file.path, one.generation, len(one.file.chunks), now) for one in following),
        )

    def _delete_files(self, removed: Iterable[str]) -> None:
        which = [(self._project, path) for path in removed]
        for table in ("indexed_files", "chunk_generations"):
            self._connection.executemany(f"DELETE FROM {table} WHERE project_id = ? AND file_path = ?", which)

    def _put_moves(self, moves: Sequence[Move]) -> None:
        rows = [(self._project, move.old_path, move.new_path, moment(self._now)) for move in moves]
        self._connection.executemany("INSERT OR REPLACE INTO file_moves VALUES (?, ?, ?, ?)", rows)

    def _prune_moves(self) -> None:
        """Forget moves that do not lead to a file that is still there."""
        origins: defaultdict[str, set[str]] = defaultdict(set)
        for old_path, new_path in self._connection.execute("SELECT old_path, new_path FROM file_moves"):
            origins[new_path].add(old_path)
        waiting = [*self._kept(origins)]
        alive = set(waiting)
        while waiting:
            earlier = origins[waiting.pop()] & origins.keys() - alive
            alive |= earlier
            waiting += earlier
        dead = [(self._project, path) for path in origins.keys() - alive]
        self._connection.executemany("DELETE FROM file_moves WHERE project_id = ? AND new_path = ?", dead)
