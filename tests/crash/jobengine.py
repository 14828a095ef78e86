"""An engine of background jobs in a process of its own, for tests that kill it: `python jobengine.py CACHE LEASE LOG KIND…`.

`index` jobs are real; a `note` job writes its process id to LOG, slowly. It ends when its input is closed.
"""

import os
import sys
import threading
from pathlib import Path

from scova.jobs import Jobs, index_runner
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import jobs_db
from scova.types import Progress


def main(cache, lease, log, *kinds):
    def note(job, tell):
        with Path(log).open("a") as file:
            file.write(f"{job.job_id} {os.getpid()}\n")
        for turn in range(20):
            tell(Progress("parse", turn, 20))
            threading.Event().wait(0.02)
        return {"pid": os.getpid()}

    runners = {"index": index_runner(), "note": note}
    ledger = SqliteJobs(jobs_db(Path(cache)), lease_seconds=float(lease))
    with Jobs(ledger, {kind: runners[kind] for kind in kinds}):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
