"""The two tools that are not questions: `index` begins a build in the background, `status` tells how things stand."""

from collections.abc import Mapping
from typing import Any

from scova.mcp.arguments import Arguments, Parameter
from scova.mcp.workplace import Workplace
from scova.types import Job

P = Parameter

MOST_WAIT = 600
UNDER_WAY = ("queued", "running")

INDEX = (
    P("force", "boolean", "read every file again", False),
    P("wait_seconds", "integer", "wait for the end, with progress; 0 returns at once", 0, least=0, most=MOST_WAIT),
    P("cancel", "string", "a job id: cancel it instead", ""),
    P("project", "string", "folder of another project", ""),
)
STATUS = (
    P("job_id", "string", "only this job", ""),
    P("project", "string", "folder of another project", ""),
)
INDEX_ABOUT = (
    "Begin to index in the background; answers at once with a job id. Rarely needed: the index keeps itself fresh."
)
STATUS_ABOUT = "State of the index: files, freshness, watcher, jobs with progress."


def begun(desk: Workplace, given: Arguments) -> Job:
    """The job that was asked for: begun, already under way, or cancelled."""
    if given["cancel"]:
        return desk.jobs.cancel(given["cancel"])
    return desk.begin(given["project"], force=given["force"])


def started(job: Job) -> dict[str, Any]:
    """A job as `index` answers it."""
    words = {
        "queued": ("indexing_started", "indexing goes on in the background; `status` tells how far it is"),
        "running": ("indexing_started", "indexing goes on in the background; `status` tells how far it is"),
    }
    status, message = words.get(job.status, (job.status, job.message or f"the job is {job.status}"))
    return {"status": status, "job_id": job.job_id, "message": job.message or message, "job": told(job)}


def told(job: Job) -> dict[str, Any]:
    """A job in few fields."""
    fields: Mapping[str, Any] = job._asdict()
    return {name: value for name, value in fields.items() if value not in ("", None, {}, ()) and name != "job_id"}


def state(desk: Workplace, given: Arguments) -> dict[str, Any]:
    """How the project and its jobs stand."""
    if given["job_id"]:
        return {"jobs": {given["job_id"]: told(desk.jobs.get(given["job_id"]))}}
    stands = desk.state(given["project"])
    found = stands.status
    said: dict[str, Any] = {
        "root": found.root,
        "branch": found.branch,
        "indexed": found.indexed,
        "files": found.files,
        "chunks": found.chunks,
        "languages": dict(found.languages),
        "skipped": dict(found.skipped),
        "indexed_at": found.indexed_at,
        "freshness": {**found.freshness._asdict(), "tiers": dict(found.freshness.tiers)},
        "watcher_alive": found.watcher_alive,
        "watching_here": stands.is_followed,
        "healthy": not (found.damaged or found.behind or found.grammar_faults),
        "jobs": {job.job_id: told(job) for job in desk.jobs.list(5) if job.path == found.root},
        **({"ignored_settings": list(found.ignored_settings)} if found.ignored_settings else {}),
        **stands.beside,
    }
    if not said["healthy"]:
        problems = {
            "damaged": list(found.damaged),
            "behind": dict(found.behind),
            "grammars": dict(found.grammar_faults),
        }
        said["problems"] = problems
    return said
