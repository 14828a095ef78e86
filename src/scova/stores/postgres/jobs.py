"""The ledger of background jobs in the database: the same as the embedded one, for processes on any number of machines.

Until when a hold lasts is told by the clock of the database, the only one that all machines share. A hold is good when it ends
within the next `lease_seconds`; one that ends later than that was made before that clock was set back, and is open to others.
Whoever takes a job passes by those that another is just taking. What a job does is not known here.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scova.stores.jobs import rules
from scova.stores.jobs.rules import FIELDS, LEASE_SECONDS, MOST_PAUSE, OPEN, STANDING, Standing, Values
from scova.stores.postgres.connections import Connections
from scova.types import Advance, Hold, Job

if TYPE_CHECKING:
    from scova.stores.postgres.driver import Connection

_TIMES = ("lease_until", "pause_until")  # given as how long from now
_MARKS = ", ".join(["%s"] * len(Job._fields))
_SUBMIT = f"""INSERT INTO jobs ({FIELDS}, wish) VALUES ({_MARKS}, %s)
    ON CONFLICT (wish) WHERE {OPEN} AND NOT cancel DO NOTHING"""
_SAME = f"SELECT {FIELDS} FROM jobs WHERE wish = %s AND {OPEN} AND NOT cancel"
# The oldest of those that are over: of this project, and of all.
_FORGET = tuple(
    f"""DELETE FROM jobs WHERE number IN (SELECT number FROM jobs
        WHERE NOT ({OPEN}) AND {whose} ORDER BY number DESC OFFSET {kept} FOR UPDATE SKIP LOCKED)"""
    for whose, kept in (("project_id = %(project)s", rules.KEPT), ("true", rules.MOST_KEPT))
)
_LIST = f"""SELECT {FIELDS} FROM jobs
    WHERE (%(states)s::text[] IS NULL OR status = ANY(%(states)s)) AND %(project)s::text IN ('', project_id)
    ORDER BY number DESC LIMIT %(limit)s"""
_FREE = f"""{OPEN} AND kind = ANY(%(kinds)s)
    AND CASE WHEN owner IS NULL
             THEN pause_until <= clock_timestamp() OR pause_until > clock_timestamp() + interval '{MOST_PAUSE} seconds'
             ELSE lease_until <= clock_timestamp() OR lease_until > clock_timestamp() + %(lease)s::interval END"""
_ANY_FREE = f"SELECT 1 FROM jobs WHERE {_FREE} LIMIT 1"
_NEXT = f"SELECT job_id, owner, {STANDING} FROM jobs WHERE {_FREE} ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED"
_HELD = f"SELECT {STANDING} FROM jobs WHERE job_id = %s AND owner = %s AND {OPEN} FOR UPDATE"
_WORKED_AT = f"""SELECT owner IS NOT NULL AND status = 'running'
    AND lease_until > clock_timestamp() AND lease_until <= clock_timestamp() + %s::interval
    FROM jobs WHERE job_id = %s AND {OPEN} FOR UPDATE"""


class PostgresJobs:
    """The JobLedger of one database. The tables must be there (`schema.migrate`)."""

    def __init__(self, connections: Connections, folder: Path, *, lease_seconds: float = LEASE_SECONDS) -> None:
        """`folder` is where this process keeps files about jobs; the connections stay the caller's."""
        self._connections = connections
        self._folder = folder
        self._lease = timedelta(seconds=lease_seconds)

    @property
    def folder(self) -> Path:
        """Where files about these jobs lie, on this machine."""
        return self._folder

    def submit(self, job: Job) -> Job:
        """Keep a new job; where one of the same kind, path and options is queued or running, that one is returned instead."""
        wish = _wish(job)
        with self._writing() as connection:
            while not connection.execute(_SUBMIT, [*rules.kept_fields(job), wish]).rowcount:
                known = connection.execute(_SAME, (wish,)).fetchone()
                if known:  # else it came to its end between the two
                    return rules.job_of(known)
            for statement in _FORGET:
                connection.execute(statement, {"project": job.project_id})
        return job

    def get(self, job_id: str) -> Job | None:
        """The job of this id."""
        with self._connections.lent() as connection:
            return _get(connection, job_id)

    def list(self, limit: int, *, status: Collection[str] = (), project_id: str = "") -> Sequence[Job]:
        """The newest jobs first; only those in one of these states, and of this project, when given."""
        wanted = {"limit": limit, "states": [*status] if status else None, "project": project_id}
        with self._connections.lent() as connection:
            return [rules.job_of(row) for row in connection.execute(_LIST, wanted).fetchall()]

    def claim(self, owner: str, kinds: Collection[str]) -> Job | None:
        """Hold the oldest job of these kinds that waits or whose hold has lapsed; None when there is none."""
        wanted = {"kinds": [*kinds], "lease": self._lease}
        with self._connections.lent() as connection:
            if not connection.execute(_ANY_FREE, wanted).fetchone():
                return None  # most of the time, and without a transaction
        with self._writing() as connection:
            while found := connection.execute(_NEXT, wanted).fetchone():
                job_id, died, before = str(found[0]), found[1] is not None, _standing(found[2:])
                if before.cancel:
                    _end(connection, job_id, "cancelled")
                elif rules.is_given_up(before, died=died):
                    _end(connection, job_id, "failed", rules.killed(before))
                else:
                    held = {"lease_until": self._lease, "pause_until": timedelta(0)}
                    _set(connection, job_id, rules.taken(before, owner, died=died) | held)
                    return _get(connection, job_id)
        return None

    def beat(self, job_id: str, owner: str, advance: Advance | None = None) -> Hold:
        """Keep the hold for some more seconds, and say how far the job is."""
        with self._writing() as connection:
            before = _held(connection, job_id, owner)
            if before is None:
                return Hold.LOST
            said = rules.advanced(before, advance) if advance is not None else {}
            _set(connection, job_id, said | {"lease_until": self._lease})
        return Hold.CANCELLED if before.cancel else Hold.HELD

    def release(self, job_id: str, owner: str, message: str, *, pause_seconds: float = 0.0, begun: bool = True) -> None:
        """Give the job back to the queue, to be given out again after this pause; an attempt that was not `begun` does not count."""
        with self._writing() as connection:
            before = _held(connection, job_id, owner)
            if before is not None and before.cancel:
                _end(connection, job_id, "cancelled")
            elif before is not None:
                pause: Values = {"pause_until": timedelta(seconds=pause_seconds)}
                _set(connection, job_id, rules.freed(before, message, paused=bool(pause_seconds), begun=begun) | pause)

    def finish(self, job: Job, owner: str) -> bool:
        """Keep how a job ended: its status, message and result; False when the hold was lost, and nothing is changed."""
        with self._writing() as connection:
            if _held(connection, job.job_id, owner) is None:
                return False
            _set(connection, job.job_id, {"result": rules.plain("result", job.result)})
            _end(connection, job.job_id, job.status, job.message)
        return True

    def cancel(self, job_id: str) -> Job | None:
        """Cancel a job: one nobody works at is cancelled at once, another when whoever holds it beats next."""
        with self._writing() as connection:
            found = connection.execute(_WORKED_AT, (self._lease, job_id)).fetchone()
            if found and found[0]:
                _set(connection, job_id, {"cancel": True, "message": "is being cancelled"})
            elif found:
                _end(connection, job_id, "cancelled")
            return _get(connection, job_id)

    def sync(self) -> None:
        """Nothing is left to do: PostgreSQL has flushed every commit to its disk before it said so (see driver.py)."""

    def close(self) -> None:
        """Nothing is open between two calls; the connections are the caller's."""

    @contextmanager
    def _writing(self) -> "Iterator[Connection]":
        with self._connections.lent() as connection, connection.transaction():
            yield connection


def _wish(job: Job) -> bytes:
    said = json.dumps([job.kind, job.path, rules.plain("options", job.options)])
    return hashlib.sha256(said.encode()).digest()


def _standing(values: Sequence[Any]) -> Standing:
    return Standing(*values)


def _get(connection: "Connection", job_id: str) -> Job | None:
    found = connection.execute(f"SELECT {FIELDS} FROM jobs WHERE job_id = %s", (job_id,)).fetchone()
    return rules.job_of(found) if found else None


def _held(connection: "Connection", job_id: str, owner: str) -> Standing | None:
    """How a job stands that this owner holds; from here to the end of the transaction nobody else changes it."""
    found = connection.execute(_HELD, (job_id, owner)).fetchone()
    return _standing(found) if found else None


def _set(connection: "Connection", job_id: str, values: Values) -> None:
    names = (f"{name} = {'clock_timestamp() + %s::interval' if name in _TIMES else '%s'}" for name in values)
    connection.execute(f"UPDATE jobs SET {', '.join(names)} WHERE job_id = %s", (*values.values(), job_id))


def _end(connection: "Connection", job_id: str, status: str, message: str = "") -> None:
    _set(connection, job_id, rules.ended(status, message))
    if rules.is_dealt_with(status):
        connection.execute("UPDATE jobs SET files_processed = files_total WHERE job_id = %s", (job_id,))
