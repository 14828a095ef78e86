"""Connections to one database, lent and given back. Shared by all stores of a process, and by its threads.

A few idle ones are kept. One whose server has gone is noticed before it is lent, so that a database that was started anew is
simply used again. Knows no table.
"""

import os
import select
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from scova.errors import UsageError

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

KEPT_IDLE = 8

T = TypeVar("T")


class Connections:
    """Whoever wants to talk to the database at `url` (`postgresql://USER:PASSWORD@HOST:PORT/DATABASE`)."""

    def __init__(self, url: str) -> None:
        self._driver = _driver()
        self._connect: Callable[[str], Connection] = self._driver.connect
        self._url = url
        self.where = self._driver.place(url)
        self._idle: deque[Connection] = deque()  # its ends are safe from any thread, and from the garbage collector
        self._process = os.getpid()
        self._closed = False

    def lend(self) -> "Connection":
        """A connection in autocommit with nothing under way; IndexState when the database does not answer."""
        if self._process != os.getpid():  # a forked worker must not speak on its parent's connections
            self._idle, self._process = deque(), os.getpid()
        with self.named_errors():
            while True:
                try:
                    connection = self._idle.pop()
                except IndexError:
                    break
                if not is_lost(connection):
                    return connection
                connection.close()
            return self._connect(self._url)

    def begin(self, first: "Callable[[Connection], T]") -> "tuple[Connection, T]":
        """A connection on which `first` was done, and what that gave. Where the other side hung up meanwhile it is done once more, on
        another connection: so it must be something of which a half leaves nothing."""
        with self.named_errors():
            for last in (False, True):
                connection = self.lend()
                try:
                    return connection, first(connection)
                except BaseException as error:
                    lost = connection.closed
                    self.give_back(connection)
                    if last or not lost or not isinstance(error, self._driver.Error):
                        raise
        raise AssertionError("one of two attempts returns or raises")

    def give_back(self, connection: "Connection") -> None:
        """Take a connection back; what is under way on it is rolled back."""
        try:
            if not connection.closed and not self._driver.is_idle(connection):
                connection.execute("ROLLBACK")
        except self._driver.Error:
            connection.close()
        if connection.closed:
            return
        if self._closed or len(self._idle) >= KEPT_IDLE or not self._driver.is_idle(connection):
            connection.close()
        else:
            self._idle.append(connection)

    @contextmanager
    def lent(self) -> "Iterator[Connection]":
        """A connection for this block; what goes wrong is named."""
        connection = self.lend()
        try:
            with self.named_errors():
                yield connection
        finally:
            self.give_back(connection)

    @contextmanager
    def named_errors(self) -> Iterator[None]:
        """Turn what the driver raises in this block into the error a user can act upon."""
        try:
            yield
        except self._driver.Error as error:
            raise self._driver.explained(error, self.where) from error

    def close(self) -> None:
        """Let go of every idle connection; one that is lent goes when it is given back. Closing twice is fine."""
        self._closed = True
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


def is_lost(connection: "Connection") -> bool:
    """Whether the other side has hung up. Asks the system, not the database: on a quiet connection nothing is to be read."""
    if connection.closed:
        return True
    asked = select.poll()  # unlike select(), it takes any number of open files
    asked.register(connection.fileno(), select.POLLIN)
    return bool(asked.poll(0))


def _driver() -> Any:
    """The module that speaks to PostgreSQL: loaded here, so that whoever never needs it need not have it."""
    try:
        from scova.stores.postgres import driver
    except ImportError as error:
        hint = "pip install 'scova[postgres]'"
        raise UsageError("PostgreSQL needs a driver that is not installed (psycopg)", hint) from error
    return driver
