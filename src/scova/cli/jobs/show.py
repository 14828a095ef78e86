"""Jobs as text for people, and as JSON. Prints nothing."""

import json
from collections.abc import Iterator, Mapping, Sequence

from scova.cli.render import clean
from scova.types import Job

_SHOWN_FAILED = 20


def jobs(found: Sequence[Job], *, as_json: bool) -> str:
    """One line for each job."""
    if as_json:
        return _json({"jobs": [job._asdict() for job in found]})
    return "".join(f"{_line(job)}\n" for job in found) or "no jobs\n"


def job(found: Job, *, as_json: bool) -> str:
    """Everything there is to say of one job."""
    return _json(found._asdict()) if as_json else "".join(f"{line}\n" for line in _lines(found))


def started(found: Job, *, as_json: bool) -> str:
    """A job that was left behind; `indexing_started` also when it had been before."""
    message = found.message or "indexing goes on in the background; `scova jobs` tells how far it is"
    if as_json:
        return _json({"status": "indexing_started", "job_id": found.job_id, "message": message})
    return f"{found.job_id}: {clean(message)}\n"


def worked(done: bool, *, as_json: bool) -> str:
    """How a working process ended."""
    message = "no more to do here" if done else "another process is doing the jobs"
    return _json({"worked": done, "message": message}) if as_json else f"{message}\n"


def _line(one: Job) -> str:
    when = one.finished_at or one.started_at or one.created_at
    said = f"  {clean(one.message)}" if one.message else ""
    return f"{one.job_id:<18} {one.status:<10} {when[:19]}  {clean(one.path)}{_far(one)}{said}"


def _far(one: Job) -> str:
    if one.status != "running":
        return ""
    files = f" {one.files_processed}/{one.files_total} files" if one.files_total else ""
    rate = f", {one.rate:.0f}/s" if one.rate else ""
    left = f", {one.eta_seconds:.0f} s left" if one.eta_seconds is not None else ""
    return f"  {one.stage}{files}{rate}{left}"


def _lines(one: Job) -> Iterator[str]:
    yield _line(one)
    for name in ("project_id", "created_at", "started_at", "finished_at", "attempts"):
        if value := getattr(one, name):
            yield f"  {name:<12} {clean(str(value))}"
    if one.options:
        yield f"  options      {clean(json.dumps(one.options))}"
    report = one.result.get("report")
    if isinstance(report, Mapping):
        yield "  report       " + ", ".join(f"{name} {value}" for name, value in report.items() if value)
    failed = one.result.get("failed")
    if isinstance(failed, list) and failed:
        yield f"  failed       {len(failed)}"
        for skip in failed[:_SHOWN_FAILED]:
            yield f"    {skip['reason']:<12} {clean(skip['path'])}  {clean(skip['detail'])}".rstrip()
        if len(failed) > _SHOWN_FAILED:
            yield "    … (--json lists all)"


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value) + "\n"
