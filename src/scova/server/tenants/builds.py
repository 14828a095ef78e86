"""Sources of a server's project, and builds from them. Only what has a URL is a source here: files of the server's machine are none of its
clients' business, and theirs are pushed.

How far a build is lies in the store (checkpoints.py), what was fetched in the data folder: a process that has another one goes on with the
sources that are left, fetches by itself what is partly done, and comes to the same end.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

from scova.errors import Cancelled, UsageError
from scova.index.embedder import embedder_of
from scova.lock import holder
from scova.projects.building.clearing import clear_source
from scova.projects.building.options import BuildOptions, chunk_options
from scova.projects.building.result import BuildResult, together
from scova.projects.building.run import Watcher, build_slice
from scova.projects.building.slice import Told
from scova.projects.feeds.remote import RemoteFeeds
from scova.projects.spec import SourceSpec
from scova.projects.status import BuildStatus, build_status
from scova.server.housing.telling import fit
from scova.server.tenants.checkpoints import SharedCheckpoints
from scova.server.tenants.parser import Parser
from scova.types import Job, Progress

if TYPE_CHECKING:
    from scova.build.build import Tools
    from scova.config import Config
    from scova.protocols import Embedder
    from scova.server.tenants.tenant import Tenant

_log = logging.getLogger("scova.server")
_ASK_EVERY = 0.5  # seconds between two looks at whether a build is still wanted


class TenantWorks:
    """A project of a server as a build sees it."""

    indexed = True

    def __init__(self, tenant: "Tenant", options: BuildOptions | None = None, *, parser: Parser | None = None) -> None:
        """`parser` is for a build that parses: that of the project is for what is pushed."""
        self._tenant = tenant
        self._parser = parser
        self.manifest = tenant.sources
        self.place = tenant.builds
        self.config: Config = tenant.config
        if options is not None:
            self.config = replace(self.config, embedder_batch=options.chunk_options.embedding_batch_size)

    @cached_property
    def embedder(self) -> "Embedder | None":
        """Where its vectors come from, in batches of the size that was asked for."""
        return embedder_of(self.config)

    def checkpoints(self) -> SharedCheckpoints:
        """How far its builds are, as every process knows it."""
        return self._tenant.checkpoints

    def said(self, error: Exception) -> str:
        """What clients may know of an error; the log has the rest."""
        from scova.sources.pdf.opened import PdfUnreadable  # only here: what a build reads is loaded when it is read

        _log.warning("a source of `%s`: %s: %s", self._tenant.project_id, type(error).__name__, error)
        told = error if isinstance(error, PdfUnreadable) else fit(error)
        return f"{told.message} ({told.hint})" if told.hint else told.message

    def tools(self) -> "Tools":
        """What a build of the index works with."""
        tools = self._tenant.tools(patience=1)
        return replace(tools, embedder=self.embedder, apart=self._parser or tools.apart)

    @contextmanager
    def building(self) -> Iterator[None]:
        """Be the one who builds it; IndexBusy, naming the other, while another does."""
        with self._tenant.building():
            self.manifest = self._tenant.sources  # as of now: none is removed while this is held
            yield

    def writing(self) -> AbstractContextManager[None]:
        """Be the one who writes to its index; IndexBusy after waiting too long for another."""
        return self._tenant.held()


def add_sources(tenant: "Tenant", specs: Iterable[SourceSpec]) -> tuple[list[SourceSpec], list[SourceSpec]]:
    """Add sources; those added, and those that were there already and got other tags or patterns if these differ."""
    with tenant.held():
        before = tenant.sources
        begun = replace(before, created_at=before.created_at or time.strftime("%Y-%m-%dT%H:%M:%S%z"))
        after, added, there = begun.having(specs)
        if after != before:
            tenant.keep_sources(after)
    return added, there


def remove_source(tenant: "Tenant", source_id: str) -> None:
    """Remove a source with all it brought; raises IndexBusy while the project is being built.

    The index goes first: killed in between, the source is still there, and is built again or removed again.
    """
    works = TenantWorks(tenant)
    found = next((spec for spec in works.manifest.sources if spec.source_id == source_id), None)
    if found is None:
        known = ", ".join(spec.source_id for spec in works.manifest.sources[:5]) or "none yet"
        raise UsageError(f"project `{tenant.project_id}` has no source `{source_id}`", f"there are: {known}")
    with works.building():
        clear_source(works, found)
        with tenant.held():
            tenant.keep_sources(tenant.sources.without(source_id))


def options_of(given: Mapping[str, object]) -> BuildOptions:
    """The options of a build as a request or a job has them; UsageError for what is out of range or unknown."""
    known = {one.name for one in fields(BuildOptions)}
    if unknown := given.keys() - known:
        raise UsageError(f"unknown option `{min(unknown)}` of a build", f"there are {', '.join(sorted(known))}")
    chosen = given.get("chunk_options") or {}
    if not isinstance(chosen, Mapping):
        raise UsageError("chunk_options is no object", "GET /openapi.json has its fields")
    return BuildOptions(**{**given, "chunk_options": chunk_options(chosen)})  # type: ignore[arg-type]  # the form was checked


def wish(given: Mapping[str, object], *, whole: bool) -> dict[str, object]:
    """The options of a build as a job keeps them: there, what is false counts as not given."""
    return {**given, "whole": whole, "anew": given.get("resume_from_checkpoint") is False}


def planned(tenant: "Tenant", options: BuildOptions) -> BuildResult:
    """What a build would do. Touches nothing."""
    return build_slice(TenantWorks(tenant, options), RemoteFeeds, replace(options, dry_run=True), Watcher())


def status_of(tenant: "Tenant", builder: str) -> BuildStatus:
    """How the build of a project stands; `builder` is who is known to be at it, in words."""
    busy = builder or ("another request" if holder(tenant.builds.build_lock) else "")
    return build_status(tenant.sources, tenant.checkpoints.shared(), builder=busy)


def build_job(tenant: "Tenant", job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
    """Do a `build` job: one slice, or with `whole` one after the other until nothing is left. Cancelled when it is not wanted any more;
    how far it came is written down then."""
    given = dict(job.options)
    goes_on = bool(given.pop("whole", False))
    if given.pop("anew", False):
        given["resume_from_checkpoint"] = False
    options = options_of(given)
    if job.attempts > 1:  # what an earlier attempt has written down is this job's own
        options = replace(options, resume_from_checkpoint=None, checkpoint_id="")
    result = _built(tenant, options, _Watch(tell), goes_on=goes_on)
    still = {str(one["source_id"]) for one in status_of(tenant, "").failures}
    failed = [one for one in result.errors if one["source_id"] in still]
    return {**result.to_json(), "errors": failed, "failed": failed}


def _built(tenant: "Tenant", options: BuildOptions, watch: "_Watch", *, goes_on: bool) -> BuildResult:
    with closing(Parser(1)) as parser:

        def sliced(options: BuildOptions) -> BuildResult:
            works = TenantWorks(tenant, options, parser=parser)
            result = build_slice(works, RemoteFeeds, options, Watcher(watch.take, watch.is_over))
            watch.check()
            return result

        result = sliced(options)
        following = replace(options, resume_from_checkpoint=None, checkpoint_id="")
        while goes_on and result.progress.has_more:
            result = together(result, sliced(following))
        return result


class _Watch:
    """Passes on how far a build is, and hears whether it is still wanted."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._last = Progress("parse", 0, 0)
        self._asked = time.monotonic()
        self._cancelled: Cancelled | None = None

    def take(self, told: Told) -> None:
        """So far a slice is."""
        self._last = Progress("parse", told.done, told.total, told.chunks)
        self._pass_on()

    def is_over(self) -> bool:
        """Whether to stop; asked all the time, so it does not ask on each time."""
        if time.monotonic() - self._asked >= _ASK_EVERY:
            self._pass_on()
        return self._cancelled is not None

    def check(self) -> None:
        """Raise what was heard."""
        if self._cancelled is not None:
            raise self._cancelled

    def _pass_on(self) -> None:
        self._asked = time.monotonic()
        try:
            self._tell(self._last)
        except Cancelled as cancelled:
            self._cancelled = cancelled
