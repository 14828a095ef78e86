"""What becomes of a job when someone takes it, beats, gives it back or ends it: the same in every ledger.

Values of columns go in and come out. Until when a hold or a pause lasts is left to the ledger, which knows by what clock.
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scova.types import Advance, Job

LEASE_SECONDS = 10.0
MOST_DEATHS = 5
MOST_PAUSE = 60.0  # a longer one was made before the clock was set, or the machine started anew
KEPT = 200  # jobs of one project that are over
MOST_KEPT = 20_000  # of all projects

FIELDS = ", ".join(Job._fields)
OPEN = "status IN ('queued', 'running')"
_JSON = ("result", "options")

Values = dict[str, object]


class Standing(NamedTuple):
    """How a job stands before it changes hands."""

    cancel: bool
    waits: bool
    started_at: str
    attempts: int
    deaths: int
    message: str
    files_processed: int


STANDING = ", ".join(Standing._fields)


def taken(before: Standing, owner: str, *, died: bool) -> Values:
    """For who takes a job that waits, or that was left by a process that died."""
    again = "taken up again after its process ended" if died else before.message
    values: Values = {
        "owner": owner,
        "attempts": before.attempts + 1,
        "deaths": before.deaths + died,
        "message": again if before.waits or died else "",
    }
    if not before.waits:
        values |= {"status": "running", "started_at": before.started_at or stamp()}
    return values


def advanced(before: Standing, advance: Advance) -> Values:
    """For a holder who says how far the job is."""
    values: Values = {**advance._asdict(), "status": "running", "waits": False}
    if advance.files_processed > before.files_processed:
        values["deaths"] = 0  # it comes further each time: whatever kills it, it is not this job
    if before.waits:
        values |= {"message": "", "started_at": before.started_at or stamp()}
    return values


def freed(before: Standing, message: str, *, paused: bool, begun: bool) -> Values:
    """For a job that is given back; with a pause it waits until its next holder says how far it is. An attempt that was not `begun` does
    not count."""
    values: Values = {"status": "queued", "owner": None, "deaths": 0, "message": message, "rate": 0.0}
    values |= {"eta_seconds": None} | ({"waits": True} if paused else {})
    return values if begun else values | {"attempts": before.attempts - 1, "started_at": ""}


def ended(status: str, message: str) -> Values:
    """For a job that is over."""
    return {
        "status": status,
        "message": message,
        "finished_at": stamp(),
        "owner": None,
        "cancel": False,
        "waits": False,
        "rate": 0.0,
        "eta_seconds": None,
    }


def is_dealt_with(status: str) -> bool:
    """Whether every file of a job that ended so was dealt with: one that could not be read was, too."""
    return status in ("done", "partial")


def is_given_up(before: Standing, *, died: bool) -> bool:
    """Whether a job lost its process too often in a row."""
    return died and before.deaths + 1 >= MOST_DEATHS


def killed(before: Standing) -> str:
    """Why a job was given up."""
    times = before.deaths + 1
    return (
        f"its process was killed {times} times in a row; find out why (memory is the usual reason) and start it again"
    )


def stamp() -> str:
    """The time of day, for people."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def plain(name: str, value: object) -> object:
    """The value of a field of a job as it is kept."""
    return json.dumps(value, sort_keys=True) if name in _JSON else value


def kept_fields(job: Job) -> list[object]:
    """All fields of a job as they are kept."""
    return [plain(name, value) for name, value in zip(job._fields, job, strict=True)]


def job_of(row: Sequence[object]) -> Job:
    """The job whose fields were kept so."""
    values: Mapping[str, object] = dict(zip(Job._fields, row, strict=True))
    return Job(**{**values, **{name: json.loads(str(values[name])) for name in _JSON}})
