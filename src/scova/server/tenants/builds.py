"""Sources of a server's project, and builds from them. Only what has a URL is a source here: files of the server's machine are none of its
clients' business, and theirs are pushed.

How far a build is lies in the store (checkpoints.py), what was fetched in the data folder: a process that has another one goes on with the
sources that are left, fetches by itself what is partly done, and comes to the same end.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from scova.errors import UsageError
from scova.index.embedder import embedder_of
from scova.lock import holder
from scova.projects import job as jobs
from scova.projects.building.clearing import clear_source
from scova.projects.building.options import BuildOptions
from scova.projects.building.result import BuildResult
from scova.projects.building.run import build_slice
from scova.projects.building.watching import Watcher
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


def planned(tenant: "Tenant", options: BuildOptions) -> BuildResult:
    """What a build would do. Touches nothing."""
    return build_slice(TenantWorks(tenant, options), RemoteFeeds, replace(options, dry_run=True), Watcher())


def status_of(tenant: "Tenant", builder: str) -> BuildStatus:
    """How the build of a project stands; `builder` is who is known to be at it, in words."""
    busy = builder or ("another request" if holder(tenant.builds.build_lock) else "")
    return build_status(tenant.sources, tenant.checkpoints.shared(), builder=busy)


def build_job(tenant: "Tenant", job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
    """Do a `build` job of a project."""
    with closing(Parser(1)) as parser:

        def sliced(options: BuildOptions, watcher: Watcher) -> BuildResult:
            return build_slice(TenantWorks(tenant, options, parser=parser), RemoteFeeds, options, watcher)

        return jobs.build_job(job, tell, sliced)
