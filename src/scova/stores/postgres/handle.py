"""An open project of a database: its transactions, its upkeep, and settings that callers keep in it.

Whoever writes to a project, in whichever process, first takes the lock on its row in `projects`, and gives it back with the
commit: so writers take turns, and every number of the change sequence is taken once. Readers wait for nobody.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from scova.stores.postgres.catalog import Entry, missing
from scova.stores.postgres.connections import Connections

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

WRITER_IDLE_SECONDS = 600  # a writer that says nothing for so long is taken for dead, and its lock for free
# Every process has derived files of its own: the log of removals serves those of others, too, while they catch up.
REMEMBERED = timedelta(days=1)

_BEGIN = f"BEGIN; SET LOCAL idle_in_transaction_session_timeout TO '{WRITER_IDLE_SECONDS}s'"
_STATE = "change_seq, chunks, last_row, last_file, removed_before"
_LOCK = f"SELECT {_STATE} FROM projects WHERE project_id = %s AND store_id = %s FOR NO KEY UPDATE"
_SAVE = """UPDATE projects SET change_seq = %s, chunks = %s, last_row = %s, last_file = %s, removed_before = %s, pulse = pulse + 1
    WHERE project_id = %s"""

_BUILD_LOCK = "SELECT pg_advisory_lock(hashtextextended('scova ' || %s || ' ' || %s, 0))"
_BUILD_UNLOCK = _BUILD_LOCK.replace("_lock", "_unlock")


@dataclass(slots=True)
class Turn:
    """A transaction that writes, and the numbers of the project as they will be when it ends."""

    connection: "Connection"
    project_id: int
    change_seq: int
    chunks: int
    last_row: int
    last_file: int
    removed_before: int
    changed: bool = False  # whether anything was written that others must notice

    def save(self) -> None:
        """Write the numbers, so that what is read next in this transaction agrees with them."""
        if self.changed:
            numbers = (self.change_seq, self.chunks, self.last_row, self.last_file, self.removed_before)
            self.connection.execute(_SAVE, (*numbers, self.project_id))
            self.changed = False


class Handle:
    """Opens, closes, and gives turns to threads."""

    def __init__(self, connections: Connections, project: str, entry: Entry, *, owns: bool = False) -> None:
        self.project = project
        self.store_id = entry.store_id
        self._project_id = entry.project_id
        self._connections = connections
        self._owns = owns
        self._lock = threading.RLock()
        self._turn: Turn | None = None  # while a thread writes
        self._writer = 0  # that thread
        self.remembered = REMEMBERED

    def close(self) -> None:
        """Let go of the database; connections that were given by the caller stay his. Closing twice is fine."""
        if self._owns:
            self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def setting(self, key: str) -> str | None:
        """A value that a caller left here, or None."""
        found = self._all("SELECT value FROM settings WHERE project_id = %s AND key = %s", (self._project_id, key))
        return str(found[0][0]) if found else None

    def put_settings(self, values: Mapping[str, str]) -> None:
        """Keep these values, together or not at all."""
        changed = {key: value for key, value in values.items() if self.setting(key) != value}
        if changed:
            sql = """INSERT INTO settings VALUES (%s, %s, %s)
                ON CONFLICT (project_id, key) DO UPDATE SET value = excluded.value"""
            with self._writing() as turn:
                rows = [(self._project_id, key, value) for key, value in changed.items()]
                turn.connection.cursor().executemany(sql, rows)
                turn.changed = True

    def change_seq(self) -> int:
        """The number of the newest change."""
        return int(self._one("SELECT change_seq FROM projects WHERE project_id = %s AND store_id = %s"))

    def pulse(self) -> int:
        """A number that differs from the one before when anything was committed since, by whomever. Waits for no writer."""
        return int(self._one("SELECT pulse FROM projects WHERE project_id = %s AND store_id = %s"))

    def sync(self) -> None:
        """Nothing is left to do: PostgreSQL has flushed every commit to its disk before it said so (see driver.py)."""

    def prune_removed(self, before_seq: int) -> None:
        """Forget removals up to and including this change that have been remembered long enough for other processes, whose
        derived files may be older."""
        sql = """SELECT coalesce(max(change_seq), 0) FROM removed_chunks
            WHERE project_id = %s AND change_seq <= %s AND removed_at <= now() - %s::interval"""
        with self._writing() as turn:
            found = turn.connection.execute(sql, (self._project_id, before_seq, self.remembered)).fetchone()
            last = before_seq if not self.remembered else int(str(found[0])) if found else 0
            if last > turn.removed_before:
                forget = "DELETE FROM removed_chunks WHERE project_id = %s AND change_seq <= %s"
                turn.connection.execute(forget, (self._project_id, last))
                turn.removed_before, turn.changed = last, True

    @contextmanager
    def together(self) -> Iterator[None]:
        """Everything this thread writes in the block becomes visible in one step at its end, or none of it does."""
        with self._writing():
            yield

    @contextmanager
    def exclusive(self, *, wait_seconds: float = 0.0, purpose: str = "build") -> Iterator[None]:
        """Be the one who builds this project, of all processes on all machines; IndexBusy when another still does after waiting.
        Those who do it for another purpose are not in the way.

        What the writer lock of a folder is to the embedded store. It dies with its holder, and does not keep anyone from reading,
        nor from a single `put`: those take turns by themselves.
        """

        def first(connection: "Connection") -> None:
            with connection.transaction():
                connection.execute(f"SET LOCAL lock_timeout TO {max(1, round(1000 * wait_seconds))}")
                connection.execute(_BUILD_LOCK, (purpose, self.store_id))

        connection, _ = self._connections.begin(first)
        try:
            with self._connections.in_block():
                yield
        finally:
            with self._connections.named_errors():
                try:
                    if not connection.closed:
                        connection.execute(_BUILD_UNLOCK, (purpose, self.store_id))
                except BaseException:
                    connection.close()  # which lets go of the lock as well
                    raise
                finally:
                    self._connections.give_back(connection)

    @contextmanager
    def _writing(self) -> Iterator[Turn]:
        with self._lock:
            if self._turn is not None:  # of this thread, since it has the lock: inside `together`
                with self._connections.named_errors():
                    yield self._turn
                    self._turn.save()
                return
            connection, turn = self._connections.begin(self._begun)
            self._turn, self._writer = turn, threading.get_ident()
            try:
                with self._connections.named_errors(), self._connections.in_block():
                    yield turn
                    turn.save()
                    connection.execute("COMMIT")
            finally:  # what was not committed is rolled back
                self._turn, self._writer = None, 0
                self._connections.give_back(connection)

    def _begun(self, connection: "Connection") -> Turn:
        connection.execute(_BEGIN)
        found: Any = connection.execute(_LOCK, (self._project_id, self.store_id)).fetchone()
        if found is None:
            raise missing(self.project)
        return Turn(connection, self._project_id, *found)

    def _all(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Rows of one question; a thread that is writing sees what it has written."""
        if self._writer == threading.get_ident() and self._turn is not None:
            with self._connections.named_errors():
                return self._turn.connection.execute(sql, values).fetchall()
        connection, found = self._connections.begin(lambda asked: asked.execute(sql, values).fetchall())
        self._connections.give_back(connection)
        return found

    def _one(self, sql: str) -> Any:
        found = self._all(sql, (self._project_id, self.store_id))
        if not found:
            raise missing(self.project)
        return found[0][0]
