"""Connections to one database, lent and given back. Shared by all stores of a process, and by its threads.

A few idle ones are kept. One whose server has gone is noticed before it is lent, so that a database that was started anew is
simply used again. Knows no table.

A process has at most so many lent at a time; who wants one more waits. Half of them are for readers, who keep theirs to hold a
moment, and half for all else, which is soon done. What keeps those who wait from waiting for each other: a thread that has one
already, for a block of its work, never waits for a second, but goes beyond the limit where it must (a build has its lock, its
reader, its transaction, and looks up vectors meanwhile); and a reader's is taken back when nobody has asked it for a while. It can pin
the same moment anew, unless the project has changed.

Readers give back whenever the garbage collector finds them, in any thread and in the middle of anything: so there is no lock here,
only queues whose ends are safe even then.
"""

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scova.errors import IndexBusy, UsageError

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

KEPT_IDLE = 8
MOST = 24  # a server of PostgreSQL takes 100 unless it is told otherwise, and several processes may share it
WAIT_SECONDS = 30.0
SPARED_SECONDS = 1.0  # a reader that was asked so lately is in the middle of an answer
_LOOK_SECONDS = 0.1  # how often one who waits looks for readers to take from

T = TypeVar("T")
Places = SimpleQueue[None]  # as many as there are entries


class Holder(Protocol):
    """Who keeps a connection beyond a block, and can do without."""

    used_at: float  # by the monotonic clock

    def yield_up(self) -> bool:
        """Give the connection back; False when it is in use this moment, or there is none."""
        ...


class Connections:
    """Whoever wants to talk to the database at `url` (`postgresql://USER:PASSWORD@HOST:PORT/DATABASE`)."""

    def __init__(self, url: str, *, most: int = MOST, wait_seconds: float = WAIT_SECONDS) -> None:
        """At most so many at a time, two at least; who gets none within so many seconds gets IndexBusy."""
        self._driver = _driver()
        self._connect: Callable[[str], Connection] = self._driver.connect
        self.url = url
        self.where = self._driver.place(url)
        self.most = most
        self._wait_seconds = wait_seconds
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._idle: deque[Connection] = deque()
        readers = max(1, self.most // 2)
        self._for_readers = _places(readers)
        self._for_all = _places(max(1, self.most - readers))
        self._taken: dict[int, Places | None] = {}  # by lent connection; None for one beyond the limit
        self._holders: dict[int, Holder] = {}
        self._thread = threading.local()

    def lend(self, *, to_reader: bool = False) -> "Connection":
        """A connection in autocommit with nothing under way; IndexState when the database does not answer, IndexBusy when too many
        are lent for too long."""
        if self._process != os.getpid():  # a forked worker must not speak on its parent's connections
            self._start()
        place = self._place(self._for_readers if to_reader else self._for_all)
        try:
            connection = self._sound()
        except BaseException:
            if place is not None:
                place.put(None)
            raise
        self._taken[id(connection)] = place
        return connection

    def _sound(self) -> "Connection":
        with self.named_errors():
            while True:
                try:
                    connection = self._idle.pop()
                except IndexError:
                    break
                if not is_lost(connection):
                    return connection
                connection.close()
            return self._connect(self.url)

    def _place(self, places: "Places") -> "Places | None":
        """Whose place was taken, as soon as there is one; None for a thread that must not wait."""
        ends = time.monotonic() + self._wait_seconds
        wait = 0.0
        while True:
            try:
                places.get(block=wait > 0, timeout=wait or None)
            except Empty:
                wait = min(ends - time.monotonic(), _LOOK_SECONDS)
            else:
                return places
            if places is self._for_readers and self._take_back():
                continue
            if getattr(self._thread, "blocks", 0):
                return None
            if wait <= 0:
                raise IndexBusy(
                    f"this process has all {self.most} connections that it may have to database {self.where} in use",
                    "try again in a moment; if that goes on, serve the database by more processes, or allow each more connections",
                )

    def _take_back(self) -> bool:
        """Have the reader that nobody asked for the longest time give its connection back; False when all are busy."""
        asked = time.monotonic() - SPARED_SECONDS
        try:
            holders = sorted(self._holders.values(), key=lambda holder: holder.used_at)
        except RuntimeError:  # one went while they were counted: the next look is soon
            return False
        for holder in holders:
            if holder.used_at > asked:
                return False
            if holder.yield_up():
                return True
        return False

    def begin(self, first: "Callable[[Connection], T]", *, to_reader: bool = False) -> "tuple[Connection, T]":
        """A connection on which `first` was done, and what that gave. Where the other side hung up meanwhile it is done once more, on
        another connection: so it must be something of which a half leaves nothing."""
        with self.named_errors():
            for last in (False, True):
                connection = self.lend(to_reader=to_reader)
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
        place = self._taken.pop(id(connection), None)
        try:
            self._keep(connection, place is None)
        finally:
            if place is not None:
                place.put(None)

    def _keep(self, connection: "Connection", is_beyond: bool) -> None:
        try:
            if not connection.closed and not self._driver.is_idle(connection):
                connection.execute("ROLLBACK")
        except self._driver.Error:
            connection.close()
        if connection.closed:
            return
        free = self._for_readers.qsize() + self._for_all.qsize() + (not is_beyond)
        if self._closed or len(self._idle) >= min(KEPT_IDLE, free) or not self._driver.is_idle(connection):
            connection.close()
        else:
            self._idle.append(connection)

    @contextmanager
    def lent(self) -> "Iterator[Connection]":
        """A connection for this block; what goes wrong is named."""
        connection = self.lend()
        try:
            with self.named_errors(), self.in_block():
                yield connection
        finally:
            self.give_back(connection)

    @contextmanager
    def in_block(self) -> Iterator[None]:
        """This thread has a connection until the end of the block, and so never waits for another."""
        thread = self._thread  # a fork in the block has another one
        thread.blocks = getattr(thread, "blocks", 0) + 1
        try:
            yield
        finally:
            thread.blocks -= 1

    def hold(self, holder: Holder) -> None:
        """This one keeps a connection for now, and can be asked to give it back."""
        self._holders[id(holder)] = holder

    def let_go(self, holder: Holder) -> None:
        """That one keeps none any more."""
        self._holders.pop(id(holder), None)

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


def _places(number: int) -> "Places":
    places: Places = SimpleQueue()
    for _ in range(number):
        places.put(None)
    return places


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
