"""A build as a job: what was wished for, one slice or all that are left, and whether it is still wanted. Where the project is kept, and who
keeps the jobs, is the caller's business."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce

from scova.errors import Cancelled
from scova.projects.building.options import BuildOptions, build_options
from scova.projects.building.result import BuildResult, together
from scova.projects.building.watching import Told, Watcher
from scova.types import Job, Progress

_ASK_EVERY = 0.5  # seconds between two looks at whether a build is still wanted


def wish(given: Mapping[str, object], *, whole: bool) -> dict[str, object]:
    """The options of a build as a job keeps them: there, what is false counts as not given. UsageError for what cannot be wished for."""
    build_options(given)
    return {**given, "whole": whole, "anew": given.get("resume_from_checkpoint") is False}


def slices(
    sliced: Callable[[BuildOptions], BuildResult], options: BuildOptions, *, whole: bool
) -> Iterator[BuildResult]:
    """One slice, or with `whole` one after the other until nothing is left."""
    result = sliced(options)
    yield result
    while whole and result.progress.has_more:
        result = sliced(_going_on(options))
        yield result


def build_job(
    job: Job, tell: Callable[[Progress], None], sliced: Callable[[BuildOptions, Watcher], BuildResult]
) -> Mapping[str, object]:
    """Do a `build` job. Cancelled when it is not wanted any more; how far it came is written down then."""
    given = dict(job.options)
    is_whole = bool(given.pop("whole", False))
    if given.pop("anew", False):
        given["resume_from_checkpoint"] = False
    options = build_options(given)
    if job.attempts > 1:  # what an earlier attempt has written down is this job's own
        options = _going_on(options)
    watch = _Watch(tell)
    result = reduce(together, slices(lambda options: watch.heeded(sliced, options), options, whole=is_whole))
    return {**result.to_json(), "failed": list(result.errors)}


def _going_on(options: BuildOptions) -> BuildOptions:
    return replace(options, resume_from_checkpoint=None, checkpoint_id="")


class _Watch:
    """Passes on how far a build is, over all its slices, and hears whether it is still wanted."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._last = Progress("scan", 0, 0)
        self._asked = time.monotonic()
        self._cancelled: Cancelled | None = None
        self._chunks = 0  # of the slices before

    def heeded(self, sliced: Callable[[BuildOptions, Watcher], BuildResult], options: BuildOptions) -> BuildResult:
        """One slice; raises Cancelled if that was heard meanwhile."""
        result = sliced(options, Watcher(self._take, self._is_over))
        if self._cancelled is not None:
            raise self._cancelled
        self._chunks += result.chunks_added
        return result

    def _take(self, told: Told) -> None:
        step = told.step
        chunks = self._chunks + step.chunks
        if step.stage == "embed":  # it counts what it was given: some of that may have its vectors, or be from before
            total = max(chunks, step.total)
            step = step._replace(done=total - (step.total - step.done), total=total)
        self._last = step._replace(chunks=chunks)
        self._pass_on()

    def _is_over(self) -> bool:
        """Whether to stop; asked all the time, so it does not ask on each time."""
        if time.monotonic() - self._asked >= _ASK_EVERY:
            self._pass_on()
        return self._cancelled is not None

    def _pass_on(self) -> None:
        self._asked = time.monotonic()
        try:
            self._tell(self._last)
        except Cancelled as cancelled:
            self._cancelled = cancelled
