"""What is done for each kind of job. A new kind is one function here, and a name in the doors that offer it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from scova.core.path_text import native, stored
from scova.counted import counted
from scova.errors import UsageError
from scova.index import Index
from scova.types import Job, Progress

MOST_FAILED = 1000  # files named in a result; the report counts all

_CHOSEN = ("data", "workers")


def index_options(
    *, force: bool = False, data: str | None = None, workers: int | None = None, yes: bool = False
) -> dict[str, object]:
    """The options of an `index` job: read every file again, where the index lies, how many processes,
    whether a folder may be more than a project. Only what was asked for is
    in it, so that the same wish is the same job."""
    chosen: dict[str, object] = {"data": stored(Path(data).absolute())} if data else {}
    chosen |= {"yes": True} if yes else {}
    return chosen | ({"force": True} if force else {}) | ({} if workers is None else {"workers": workers})


def data_of(job: Job) -> str | None:
    """Where the index of an `index` job lies, if that was chosen."""
    data = job.options.get("data")
    return str(native(data)) if isinstance(data, str) else data  # type: ignore[return-value]  # settings check their own types


def index_runner() -> Callable[[Job, Callable[[Progress], None]], Mapping[str, object]]:
    """Brings the index of a job's path up to date. The result is the `report` of the build, and the files that `failed`.

    What was committed stays when it is cut short, and the next attempt goes on from there; one with `force` reads all files again.
    """
    return _index


def _index(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
    unknown = job.options.keys() - {"force", "yes", *_CHOSEN}
    if unknown:
        raise UsageError(f"unknown option `{min(unknown)}` of an index job", "there are force, data, workers and yes")
    workers = job.options.get("workers")
    with Index.open(native(job.path), data=data_of(job), workers=workers) as index:  # type: ignore[arg-type]  # settings check types
        report = index.refresh(tell, force=bool(job.options.get("force")), yes=bool(job.options.get("yes")))
        report = index.compactor.finished(report, tell)
        failed = _failed(index) if report.unreadable else []
    message = f"{counted(report.unreadable, 'file')} could not be read" if failed else report.note
    return {"report": asdict(report), "failed": failed, "message": message}


def _failed(index: Index) -> list[dict[str, str]]:
    from scova.build.build import is_surprising

    found = [skip for skip in index.skips() if is_surprising(skip)]
    return [skip._asdict() for skip in found[:MOST_FAILED]]
