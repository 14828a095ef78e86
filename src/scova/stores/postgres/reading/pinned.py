"""One pinned moment of a project: a connection of its own with an open read transaction. Knows no table but `projects`.

It never waits for a writer and never makes one wait. The price is that PostgreSQL keeps every row it could still see, of all
projects; so readers are meant to be closed, and one that asks nothing for a minute is let go by the database itself, or sooner
when others want its connection. When it is asked again, or after the database was started anew, it pins anew: as long as the project has not changed, that is the same
moment; if it has, the reader says so, and the next reader is of the newer moment. Threads share it through a lock.
"""

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, TypeVar

from scova.errors import Overtaken, StoreDamaged
from scova.stores.postgres.catalog import missing
from scova.stores.postgres.connections import Connections, is_lost

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

READER_IDLE_SECONDS = 60
# The number of a file by its path; `_of` gives the values. A path may be longer than an index takes, so it is found by its beginning.
FILE_ID = "(SELECT file_id FROM indexed_files WHERE project_id = %s AND left(file_path, 256) = left(%s, 256) AND file_path = %s)"

Made = TypeVar("Made")

_BEGIN = f"""BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SET LOCAL idle_in_transaction_session_timeout TO '{READER_IDLE_SECONDS}s'"""
_MOMENT = "SELECT change_seq, chunks, removed_before FROM projects WHERE project_id = %s AND store_id = %s"


class _Hold:
    """The connection of a reader, for as long as it has one. May be closed by the garbage collector in the middle of anything."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self.is_open = True
        self.lock = threading.Lock()  # of whoever asks
        self.used_at = time.monotonic()
        self._kept: list[Connection] = []  # one at most: taken out in one step, whoever else wants to
        self._process = os.getpid()

    @property
    def connection(self) -> "Connection | None":
        kept = self._kept[:1]
        return kept[0] if kept else None

    def keep(self, connection: "Connection") -> None:
        self._kept.append(connection)
        self.used_at = time.monotonic()
        self.connections.hold(self)

    def release(self) -> bool:
        try:
            connection = self._kept.pop()
        except IndexError:
            return False
        self.connections.let_go(self)
        # A forked worker inherits the object but must leave the parent's connection alone.
        if os.getpid() == self._process:
            self.connections.give_back(connection)
        return True

    def yield_up(self) -> bool:
        """Let others have the connection; False when the reader is being asked this moment, or has none."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            return self.release()
        finally:
            self.lock.release()

    def close(self) -> None:
        self.is_open = False
        self.release()


class Pinned:
    """Pins, closes, and gives turns to threads."""

    def __init__(self, connections: Connections, project: str, project_id: int, store_id: str) -> None:
        self.store_id = store_id
        self._project = project
        self._project_id = project_id
        self._connections = connections
        self._hold = _Hold(connections)
        self._lock = self._hold.lock
        self._close = weakref.finalize(self, _Hold.close, self._hold)
        try:
            self.change_seq, self._count, self._removed_before = self._pin()
        except BaseException:
            self._close()
            raise

    def hold(self) -> bool:
        """Whether it can be asked; the database decides how long a moment is kept that is not asked."""
        return self._hold.is_open

    def release(self) -> None:
        """Nothing: see above."""

    def close(self) -> None:
        """Let the moment go. Closing twice is fine."""
        with self._lock:
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _pin(self) -> Any:
        def first(connection: "Connection") -> Any:
            connection.execute(_BEGIN)
            return connection.execute(_MOMENT, (self._project_id, self.store_id)).fetchone()

        self._hold.release()
        connection, found = self._connections.begin(first, to_reader=True)
        self._hold.keep(connection)
        if found is None:
            raise missing(self._project)
        return found

    def _connection(self) -> "Connection":
        """The connection, with the moment pinned; pinned anew where it was lost."""
        if not self._hold.is_open:
            raise ValueError("this reader is closed")
        connection = self._hold.connection
        if connection is None or is_lost(connection):
            change_seq, _, self._removed_before = self._pin()
            connection = self._hold.connection
            if change_seq != self.change_seq or connection is None:
                self._hold.release()
                raise Overtaken(
                    f"project `{self._project}` has changed since this moment, which the database has let go",
                    "ask again: the next answer is of the newest change",
                )
        return connection

    def _of(self, path: str) -> tuple[int, str, str]:
        return self._project_id, path, path

    def _found(self, sql: str, values: Any) -> list[Any]:
        """The rows of one question, for one thread at a time; what goes wrong is named."""
        with self._lock, self._connections.named_errors():
            connection = self._connection()
            self._hold.used_at = time.monotonic()
            try:
                return connection.execute(sql, values).fetchall()
            except BaseException as error:
                lost = connection.closed and isinstance(error, Exception)
                self._hold.release()  # whatever it was: the next question pins the same moment anew
                if not lost:
                    raise
            return self._connection().execute(sql, values).fetchall()

    def _made(self, make: Callable[[Any], Made], found: Iterable[Any]) -> list[Made]:
        """What rows mean. One that was tampered with is an error that can be acted upon."""
        try:
            return [make(values) for values in found]
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            hint = "audit the project and repair it: what is not whole is then pushed again"
            raise StoreDamaged(f"a row of project `{self._project}` cannot be read ({error!r})", hint) from error
