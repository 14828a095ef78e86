"""The one module that loads psycopg: how a connection is made, how text is written, what its errors mean to a person.

PostgreSQL keeps every character but NUL, and code may hold even that: it is written as U+001A "0", and U+001A itself as
U+001A "1". Every text of every statement passes here, so nobody else needs to know.
"""

import time
from typing import Any

import psycopg
from psycopg import errors, pq
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.string import StrDumper

from scova.errors import DiskFull, IndexBusy, IndexState, ScovaError, StoreAway, StoreDamaged, UsageError

Connection = psycopg.Connection[tuple[object, ...]]
Error = psycopg.Error

CONNECT_SECONDS = 10
SILENT_SECONDS = 10.0  # without a word, before the server is looked for
_LOOK_SECONDS = 5
LOCK_SECONDS = 60  # how long to wait for another process to finish its transaction
_MARK, _MARKED, _NUL = "\x1a", "\x1a1", "\x1a0"
# Without a flush at every commit the change sequence could go back after a power cut, under derived files named after it.
_SESSION = f"""SET search_path TO scova;
    SET lock_timeout TO '{LOCK_SECONDS}s';
    SET standard_conforming_strings TO on;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"""
# A host that vanished is noticed within a minute, unless the address says otherwise.
_PATIENCE: dict[str, str | int] = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "application_name": "scova",
}


class _Written(StrDumper):
    """Text on its way into the database."""

    def dump(self, obj: str) -> Buffer | None:
        if "\0" in obj or _MARK in obj:
            obj = obj.replace(_MARK, _MARKED).replace("\0", _NUL)
        return obj.encode()


class _Read(Loader):
    """Text on its way out."""

    def load(self, data: Buffer) -> str:
        text = str(data, "utf-8")
        return text.replace(_NUL, "\0").replace(_MARKED, _MARK) if _MARK in text else text


class _Watched(psycopg.Connection[tuple[object, ...]]):
    """A connection whose server may fall silent without hanging up. A statement may take its time: so who waits long looks whether the
    server still answers anybody."""

    def wait(self, gen: Any, *how: Any, **named: Any) -> Any:
        return super().wait(self._heard(gen), *how, **named)

    def _heard(self, asked: Any) -> Any:
        since = time.monotonic()
        try:
            wanted = next(asked)
            while True:
                ready = yield wanted
                if ready:
                    since = time.monotonic()
                elif time.monotonic() - since > SILENT_SECONDS:
                    if not _answers(self.info.dsn, self.info.password):
                        self.pgconn.finish()
                        raise psycopg.OperationalError("it has fallen silent")
                    since = time.monotonic()
                wanted = asked.send(ready)
        except StopIteration as done:
            return done.value


def _answers(url: str, password: str) -> bool:
    """Whether the server says anything to a newcomer, be it a refusal."""
    try:
        psycopg.connect(make_conninfo(url, password=password or None, connect_timeout=_LOOK_SECONDS)).close()
    except psycopg.OperationalError as error:
        return error.sqlstate is not None
    return True


def connect(url: str) -> Connection:
    """A connection in autocommit, ready for our statements."""
    given = conninfo_to_dict(url)
    wanted = {key: value for key, value in _PATIENCE.items() if key not in given}
    connection = _Watched.connect(make_conninfo(url, client_encoding="utf8", **wanted), autocommit=True)
    try:
        connection.adapters.register_dumper(str, _Written)
        connection.adapters.register_loader("text", _Read)
        connection.execute(_SESSION)
    except BaseException:
        connection.close()
        raise
    return connection


def is_idle(connection: Connection) -> bool:
    """Whether nothing is under way, so that the next one can use it."""
    return connection.pgconn.transaction_status == pq.TransactionStatus.IDLE


def place(url: str) -> str:
    """Where the database is, without the password, for people."""
    try:
        given = conninfo_to_dict(url)
        int(str(given.get("connect_timeout", 0)))
    except (psycopg.ProgrammingError, ValueError) as error:
        raise UsageError(
            "this is not the address of a PostgreSQL database", "postgresql://USER@HOST/DATABASE"
        ) from error
    host = given.get("host") or given.get("hostaddr") or "localhost"
    port = f":{given['port']}" if given.get("port") else ""
    return f"{given.get('dbname') or given.get('user') or 'postgres'} at {host}{port}"


def explained(error: psycopg.Error, where: str) -> ScovaError | psycopg.Error:
    """The error a user can act upon; the same one when only a programmer can."""
    said = str(error).strip().partition("\n")[0]
    match error:
        case errors.TooManyConnections():
            return IndexBusy(f"database {where} takes no more connections", "try again, or raise its max_connections")
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.SerializationFailure():
            return IndexBusy(f"another process is writing to database {where}", "wait for it to finish and try again")
        case errors.DiskFull():
            return DiskFull(f"no room left on the disk of database {where}", "free some space, then try again")
        case errors.InsufficientPrivilege() | errors.ReadOnlySqlTransaction():
            return IndexState(
                f"database {where} refuses: {said}", "grant the role the right to create and write tables"
            )
        case errors.UndefinedTable() | errors.UndefinedColumn() | errors.InvalidSchemaName() | errors.DataCorrupted():
            hint = "restore the database from its backup, or let clients push their files into a new one"
            return StoreDamaged(f"database {where} is damaged: {said}", hint)
        case psycopg.OperationalError():
            hint = "see that PostgreSQL is running and the address is right, then try again; nothing was left half done"
            return StoreAway(f"database {where} does not answer: {said}", hint)
    return error
