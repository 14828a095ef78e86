"""How jobs stand, for readers outside: `mcp-state.json`, replaced whole, so that it is valid JSON at every instant.

    current_jobs    {job_id: {project_id, path, started_at, status, files_processed, files_total}}: queued and running
    recent_jobs     the same of those that ended last
    recent_paths    what jobs were about, the latest first
    last_sync       when a job last brought an index up to date; empty for never
    updated_at      when this was written

Made from the ledger each time, so that processes do not lose each other's jobs; one at a time, so that none puts older news over
newer. Nothing here reads the file for anything.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scova.core import own_folder
from scova.core.own_files import open_own
from scova.protocols import JobLedger
from scova.stores.layout import mcp_state, mcp_state_lock
from scova.types import Job
from scova.whole import atomic_write

_RECENT = 20
_MOST = 1000
_FIELDS = ("project_id", "path", "started_at", "status", "files_processed", "files_total")


class StateFile:
    """The file beside a ledger."""

    def __init__(self, ledger: JobLedger) -> None:
        self.path = mcp_state(ledger.folder)
        self._ledger = ledger

    def write(self) -> None:
        """Say how things stand now; what is said survives a power cut, and so does what it is made from."""
        own_folder.make(self.path.parent)
        with _alone(mcp_state_lock(self.path.parent)):
            self._ledger.sync()
            content = self._content()
            with atomic_write(self.path) as file:
                file.write(json.dumps(content, indent=1).encode())

    def _content(self) -> dict[str, object]:
        under_way = self._ledger.list(_MOST, status=("queued", "running"))
        latest = self._ledger.list(2 * _RECENT)
        ended = [job for job in latest if job.is_over]
        synced = [job.finished_at for job in ended if job.status in ("done", "partial")]
        return {
            "current_jobs": _told(under_way),
            "recent_jobs": _told(ended[:_RECENT]),
            "recent_paths": list(dict.fromkeys(job.path for job in latest))[:_RECENT],
            "last_sync": max(synced, default=""),
            "updated_at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        }


def _told(jobs: Sequence[Job]) -> dict[str, dict[str, object]]:
    return {job.job_id: {name: getattr(job, name) for name in _FIELDS} for job in jobs}


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While no other process, and no other thread, is here too."""
    descriptor = open_own(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
