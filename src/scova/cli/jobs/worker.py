"""The process that does what `scova index --background` leaves behind: one for a user, ending when nothing is left to do."""

import subprocess
import sys
from pathlib import Path
from threading import Event
from types import FrameType

from scova.cli.running.ending import on_signals
from scova.core import own_folder
from scova.errors import IndexBusy
from scova.jobs import Jobs
from scova.lock import writer_lock
from scova.stores.layout import jobs_lock, jobs_log

_LONGEST_LOG = 1_000_000  # bytes; then it is begun anew


def leave_behind(cache: Path) -> None:
    """Start the process, apart from this one and its terminal; it ends at once if there is one already."""
    own_folder.make(cache)
    log = jobs_log(cache)
    mode = "wb" if log.exists() and log.stat().st_size > _LONGEST_LOG else "ab"
    # Found however this one was found, but not in its working folder, which it must not keep in use either.
    command = [sys.executable, "-P", "-m", "scova.cli.main", "jobs", "run"]
    with open(log, mode, opener=own_folder.opener) as talk:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=talk,
            start_new_session=True,
            cwd=cache.absolute(),
        )


def work(jobs: Jobs, cache: Path) -> bool:
    """Do jobs until nothing is left to do, or a signal says to stop; False when another such process is at it."""
    stop = Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    with on_signals(end):
        return _worked(jobs, cache, stop)


def _worked(jobs: Jobs, cache: Path, stop: Event) -> bool:
    own_folder.make(cache)
    has_worked = False
    while True:
        try:
            with writer_lock(jobs_lock(cache)):
                jobs.drain(stop)
            has_worked = True
        except IndexBusy:
            return has_worked
        # Looked at once more after the lock is free: who submitted before that may have found it taken, and rely on this process.
        if stop.is_set() or not jobs.is_needed():
            return True
