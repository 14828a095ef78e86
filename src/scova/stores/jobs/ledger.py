"""The ledger of background jobs: who works at which, how far it is, how it ended. The file is described in schema.py.

Kept are jobs and holds on them; what a job does is not known here. A damaged file is set aside and a new one begun: what was built
is elsewhere, and building goes on where it was.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from scova.errors import DiskFull, IndexState
from scova.stores.database import sync_log, transaction
from scova.stores.jobs import rules
from scova.stores.jobs.rules import FIELDS, LEASE_SECONDS, MOST_PAUSE, OPEN, STANDING, Standing, Values
from scova.stores.jobs.schema import is_damage, opened, shorten_log
from scova.stores.layout import set_aside
from scova.types import Advance, Hold, Job

# The newest first; with a list of states that is not NULL, only those in one of them, and with a project, only its own.
_LIST = f"""SELECT {FIELDS} FROM jobs
    WHERE (:states IS NULL OR status IN (SELECT value FROM json_each(:states))) AND :project IN ('', project_id)
    ORDER BY number DESC LIMIT :limit"""
# The oldest of those that are over: of this project, and of all.
_FORGET = f"""DELETE FROM jobs WHERE number IN
        (SELECT number FROM jobs WHERE NOT ({OPEN}) AND project_id = ? ORDER BY number DESC LIMIT -1 OFFSET {rules.KEPT})
    OR number IN (SELECT number FROM jobs WHERE NOT ({OPEN}) ORDER BY number DESC LIMIT -1 OFFSET {rules.MOST_KEPT})"""
_FREE = f"""{OPEN} AND kind IN (SELECT value FROM json_each(:kinds))
    AND CASE WHEN owner IS NULL THEN pause_until <= :now OR pause_until > :now + {MOST_PAUSE}
             ELSE lease_until <= :now OR lease_until > :now + :lease END"""


class SqliteJobs:
    """The ledger at one path; made if there is none."""

    def __init__(
        self,
        path: Path,
        *,
        lease_seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        makes_folder: bool = True,
    ) -> None:
        """`clock` must be one for all processes. A folder that is gone is made anew where `makes_folder` says so, as in a cache; else it
        is an error, as for data on a disk that is away."""
        self.path = path
        self._makes_folder = makes_folder
        self._lease = lease_seconds
        self._clock = clock
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0

    @property
    def folder(self) -> Path:
        """Where files about these jobs lie."""
        return self.path.parent

    def submit(self, job: Job) -> Job:
        """Keep a new job; where one of the same kind, path and options is queued or running, that one is returned instead."""
        values = rules.kept_fields(job)
        same = f"SELECT {FIELDS} FROM jobs WHERE kind = ? AND path = ? AND options = ? AND {OPEN} AND NOT cancel"
        with self._writing() as connection:
            known = connection.execute(same, (job.kind, job.path, rules.plain("options", job.options))).fetchone()
            if known:
                return rules.job_of(known)
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO jobs ({FIELDS}) VALUES ({marks})", values)
            connection.execute(_FORGET, (job.project_id,))
        return job

    def get(self, job_id: str) -> Job | None:
        """The job of this id."""
        with self._reading() as connection:
            return _get(connection, job_id)

    def list(self, limit: int, *, status: Collection[str] = (), project_id: str = "") -> Sequence[Job]:
        """The newest jobs first; only those in one of these states, and of this project, when given."""
        wanted = {"limit": limit, "states": json.dumps([*status]) if status else None, "project": project_id}
        with self._reading() as connection:
            return [rules.job_of(row) for row in connection.execute(_LIST, wanted).fetchall()]

    def claim(self, owner: str, kinds: Collection[str]) -> Job | None:
        """Hold the oldest job of these kinds that waits or whose hold has lapsed; None when there is none."""
        free = f"SELECT job_id, owner, {STANDING} FROM jobs WHERE {_FREE} ORDER BY number LIMIT 1"
        wanted = {"kinds": json.dumps([*kinds]), "lease": self._lease}
        with self._reading() as connection:
            if not connection.execute(free, wanted | {"now": self._clock()}).fetchone():
                return None  # most of the time, and without keeping writers waiting
        with self._writing() as connection:
            while found := connection.execute(free, wanted | {"now": self._clock()}).fetchone():
                job_id, died, before = found[0], found[1] is not None, Standing(*found[2:])
                if before.cancel:
                    _end(connection, job_id, "cancelled")
                elif rules.is_given_up(before, died=died):
                    _end(connection, job_id, "failed", rules.killed(before))
                else:
                    held: Values = {"lease_until": self._clock() + self._lease, "pause_until": 0.0}
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
            _set(connection, job_id, said | {"lease_until": self._clock() + self._lease})
        return Hold.CANCELLED if before.cancel else Hold.HELD

    def release(self, job_id: str, owner: str, message: str, *, pause_seconds: float = 0.0, begun: bool = True) -> None:
        """Give the job back to the queue, to be given out again after this pause; an attempt that was not `begun` does not count."""
        pause: Values = {"pause_until": self._clock() + pause_seconds if pause_seconds else 0.0}
        with self._writing() as connection:
            before = _held(connection, job_id, owner)
            if before is not None and before.cancel:
                _end(connection, job_id, "cancelled")
            elif before is not None:
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
        works = "owner IS NOT NULL AND status = 'running' AND lease_until > ? AND lease_until <= ?"
        now = self._clock()
        with self._writing() as connection:
            select = f"SELECT {works} FROM jobs WHERE job_id = ? AND {OPEN}"
            found = connection.execute(select, (now, now + self._lease, job_id)).fetchone()
            if found and found[0]:
                _set(connection, job_id, {"cancel": True, "message": "is being cancelled"})
            elif found:
                _end(connection, job_id, "cancelled")
        return self.get(job_id)

    def sync(self) -> None:
        """Make what was kept so far survive a power cut. The death of a process it survives at once."""
        sync_log(self.path)
        with suppress(sqlite3.Error):  # the next writer will do it
            shorten_log(self.path)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # --- the file

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as connection, transaction(connection):
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._opened()
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
                    raise DiskFull(
                        f"no room left on the disk for {self.path}", "free some space, then try again"
                    ) from error
                hint = "check the folder's permissions and the disk"
                if is_damage(error):
                    self.close()
                    if _inode(self.path) == self._inode:  # else another process has begun a new one already
                        hint = f"it was set aside as {set_aside(self.path).name}; try again"
                raise IndexState(f"the list of jobs {self.path} cannot be used: {error}", hint) from error

    def _opened(self) -> sqlite3.Connection:
        """The connection; another one when the file has been removed or replaced."""
        if self._connection is not None and _inode(self.path) != self._inode:
            self.close()
        if self._connection is None:
            self._inode = _inode(self.path)
            self._connection = opened(self.path, make_folder=self._makes_folder)
            self._inode = _inode(self.path)
        return self._connection


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _get(connection: sqlite3.Connection, job_id: str) -> Job | None:
    found = connection.execute(f"SELECT {FIELDS} FROM jobs WHERE job_id = ?", (job_id,)).fetchone()
    return rules.job_of(found) if found else None


def _held(connection: sqlite3.Connection, job_id: str, owner: str) -> Standing | None:
    """How a job stands that this owner holds."""
    sql = f"SELECT {STANDING} FROM jobs WHERE job_id = ? AND owner = ? AND {OPEN}"
    found: Any = connection.execute(sql, (job_id, owner)).fetchone()
    return Standing(*found) if found else None


def _set(connection: sqlite3.Connection, job_id: str, values: Values) -> None:
    names = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE jobs SET {names} WHERE job_id = ?", (*values.values(), job_id))


def _end(connection: sqlite3.Connection, job_id: str, status: str, message: str = "") -> None:
    _set(connection, job_id, rules.ended(status, message))
    if rules.is_dealt_with(status):
        connection.execute("UPDATE jobs SET files_processed = files_total WHERE job_id = ?", (job_id,))
