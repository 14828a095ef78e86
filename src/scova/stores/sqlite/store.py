"""The embedded Store: one SQLite file per project, described in schema.py.

Everything that changes what can be found goes through `put`: one transaction, one step of the change sequence. Threads may
share a store; processes may open it at the same time, their transactions take turns. Knows nothing of derived files.
"""

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Self

from scova.stores.audit import DAMAGED
from scova.stores.database import LogLength, connect, sync_log, transaction
from scova.stores.sqlite import schema
from scova.stores.sqlite.reader import SqliteReader
from scova.types import EVERYWHERE, Finding, IndexedFile, Mark, Move, ParsedFile, Region, Row, Skip

CACHE_KIB = 64 * 1024
MOST_PIECES = 300  # of a region in one question: SQLite takes only so deep a condition


class Handle:
    """An open store: its connection, its transactions, its upkeep, and settings that callers keep in it."""

    def __init__(self, path: Path, project: str, connection: sqlite3.Connection) -> None:
        self.path = path
        self.project = project
        self._connection = connection
        self._lock = threading.RLock()
        self._watching = threading.Lock()
        self._log = LogLength(path)

    def close(self) -> None:
        """Let go of the file. Closing twice is fine."""
        with self._lock:
            self._connection.close()
        with self._watching:
            if "_watcher" in self.__dict__:
                self._watcher.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def setting(self, key: str) -> str | None:
        """A value that a caller left here, or None."""
        found = self._all("SELECT value FROM meta WHERE key = ?", (f"setting.{key}",))
        return str(found[0][0]) if found else None

    @cached_property
    def store_id(self) -> str:
        """Identity of the store, as its readers tell it: another one whenever a store is built anew."""
        found = self._all("SELECT value FROM meta WHERE key = 'store_id'")
        if not found:
            raise schema.damaged(self.path, "it does not say which store it is")
        return str(found[0][0])

    def change_seq(self) -> int:
        """The number of the newest change."""
        with schema.sound_rows(self.path):
            return int(str(self._all("SELECT value FROM meta WHERE key = 'change_seq'")[0][0]))

    def pulse(self) -> int:
        """A number that differs from the one before when anything was committed since, by whomever. Waits for no writer."""
        with self._watching, schema.named_errors(self.path):
            (version,) = self._watcher.execute("PRAGMA data_version").fetchone()
            return int(version)

    @cached_property
    def _watcher(self) -> sqlite3.Connection:
        """A connection that never writes: SQLite counts for it what all others commit."""
        return connect(self.path, cache_kib=0)

    def put_settings(self, values: Mapping[str, str]) -> None:
        """Keep these values, together or not at all."""
        changed = {key: value for key, value in values.items() if self.setting(key) != value}
        if changed:
            with self._writing() as connection:
                rows = [(f"setting.{key}", value) for key, value in changed.items()]
                connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def sync(self) -> None:
        """Make everything committed survive a power cut; to be called before a derived file is named after a change, and at
        the end of a build.

        Without it a power cut may take back the latest commits (never parts of one).
        """
        sync_log(self.path)

    def prune_removed(self, before_seq: int) -> None:
        """Forget removals up to and including this change, once every derived file reflects them."""
        with self._writing() as connection:
            connection.execute("DELETE FROM removed_chunks WHERE change_seq <= ?", (before_seq,))
            connection.execute(
                "UPDATE meta SET value = max(CAST(value AS INTEGER), ?) WHERE key = 'removed_before'", (before_seq,)
            )

    @contextmanager
    def together(self) -> Iterator[None]:
        """Everything this thread writes in the block becomes visible in one step at its end, or none of it does."""
        with self._writing():
            yield

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, schema.named_errors(self.path):
            if self._connection.in_transaction:  # of this thread, since it has the lock: inside `together`
                yield self._connection
                return
            with transaction(self._connection):
                schema.check_version(self._connection, self.path)
                yield self._connection
        self._log.shorten()  # with a connection of its own, so that nobody who asks waits for it

    def _all(self, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self._lock, schema.named_errors(self.path):
            return self._connection.execute(sql, tuple(values)).fetchall()


class SqliteStore(Handle):
    """Keeps files, generations, chunks, symbols and calls of one project."""

    @classmethod
    def open(cls, path: Path, project: str) -> "SqliteStore":
        """The store at `path`, made for `project` if there is none, migrated if it is older. A project keeps its name."""
        with schema.named_errors(path):
            if not path.exists():
                schema.create(path, project)
            connection = connect(path, cache_kib=CACHE_KIB)
            try:
                schema.check_size(connection, path)
                schema.check_genuine(connection, path)
                schema.migrate(connection, path)
                kept = _project(connection)
            except BaseException:
                connection.close()
                raise
        return cls(path, kept, connection)

    def files(self, region: Region = EVERYWHERE) -> dict[str, IndexedFile]:
        """Every indexed file of the region by path; more than that when the region is in many pieces."""
        sql = "SELECT file_path, content_hash, size, changed_ns, generation, indexed_ns FROM indexed_files"
        where, values = _within(region, self.project)
        with self._lock, schema.sound_rows(self.path):
            return {
                path: IndexedFile(path, digest, Mark(size, changed_ns), generation, indexed_ns)
                for path, digest, size, changed_ns, generation, indexed_ns in self._connection.execute(
                    sql + where, values
                )
                # What is no number, or no text, raises here rather than wherever it is used.
                if (path + digest, size + changed_ns + generation + indexed_ns)
            }

    def put(self, files: Sequence[ParsedFile], *, removed: Iterable[str] = (), moves: Iterable[Move] = ()) -> list[Row]:
        """Replace these files whole by their next generation and remove others, in one transaction.

        A path that moved away is removed unless it is among `files`. Returns the rows given to the chunks, in order.
        """
        from scova.stores.sqlite.generations import (
            Generations,
        )  # here and below: a search must start fast, and never writes

        moved = tuple(moves)
        written = {file.path for file in files}
        if len(written) != len(files):
            raise ValueError("a file can be put only once at a time")
        gone = ({*removed} | {move.old_path for move in moved}) - written
        with self._writing() as connection:
            return Generations(connection, self.project).put(files, gone, moved)

    def touch(self, marks: Mapping[str, Mark], *, read_ns: int = 0) -> None:
        """Remember new marks of files whose content did not change; `read_ns` is when reading them began (0: now)."""
        if marks:
            when = read_ns or time.time_ns()
            rows = [(mark.size, mark.changed_ns, when, self.project, path) for path, mark in marks.items()]
            with self._writing() as connection:
                connection.executemany(
                    "UPDATE indexed_files SET size = ?, changed_ns = ?, indexed_ns = ? WHERE project_id = ? AND file_path = ?",
                    rows,
                )

    def put_skips(self, skips: Iterable[Skip]) -> None:
        """Replace the list of what is left out; nothing is written when it stays the same."""
        wanted = list(skips)
        if wanted != self.skips():
            with self._writing() as connection:
                connection.execute("DELETE FROM skips")
                rows = [(skip.path, skip.reason, skip.detail) for skip in wanted]
                connection.executemany("INSERT INTO skips (path, reason, detail) VALUES (?, ?, ?)", rows)

    def skips(self) -> list[Skip]:
        """What is left out, as it was put."""
        found = self._all("SELECT path, reason, detail FROM skips ORDER BY ordinal")
        return [Skip(str(path), str(reason), str(detail)) for path, reason, detail in found]

    def count_skips(self) -> int:
        """How many files are left out."""
        return int(str(self._all("SELECT count(*) FROM skips")[0][0]))

    def reader(self) -> SqliteReader:
        """Pin the present moment."""
        return SqliteReader.open(self.path, self.project)

    def audit(self) -> list[Finding]:
        """Everything in the store that does not agree with itself."""
        from scova.stores.sqlite import checks

        with self._lock, schema.named_errors(self.path):
            self._connection.execute("BEGIN")
            try:
                return checks.audit(self._connection)
            finally:
                self._connection.execute("ROLLBACK")

    def repair(self) -> list[Finding]:
        """Mend what `audit` finds; returns what was found. StoreDamaged when the file itself is torn."""
        from scova.stores.sqlite import checks
        from scova.stores.sqlite.generations import Generations

        found = self.audit()
        if any(finding.problem == DAMAGED for finding in found):
            raise schema.damaged(self.path, found[0].detail)
        if found:
            with self._writing() as connection:
                checks.repair(connection, Generations(connection, self.project), found)
        return found


def _within(region: Region, project: str) -> tuple[str, list[object]]:
    """The condition that a file lies in a region, and its values."""
    if "" in region.trees or sum(map(len, region)) > MOST_PIECES:
        return "", []
    below = "(file_path >= ? AND file_path < ?)"  # a slash is followed by a zero
    parts: list[tuple[str, tuple[object, ...]]] = [(below, (f"{tree}/", f"{tree}0")) for tree in region.trees]
    for folder in region.folders:
        reach = (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
        parts.append(
            (f"({below} AND instr(substr(file_path, ?), '/') = 0)", (*reach, len(folder) + 2 if folder else 1))
        )
    parts += [("file_path = ?", (path,)) for path in region.files]
    condition = " OR ".join(sql for sql, _ in parts) or "0"
    return f" WHERE project_id = ? AND ({condition})", [project, *(value for _, values in parts for value in values)]


def _project(connection: sqlite3.Connection) -> str:
    found = connection.execute("SELECT value FROM meta WHERE key = 'project'").fetchone()
    return str(found[0])
