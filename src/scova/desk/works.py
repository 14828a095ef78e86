"""Builds for the page of a user: a folder is brought up to date, a named project is built from its sources, both as jobs.

The same builds as those of `scova index` and `scova project build`, by the same locks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from scova.config import cache_folder
from scova.core.path_text import native, stored
from scova.desk.desk import Desk
from scova.desk.places import LocalFolder, LocalProject
from scova.errors import UsageError
from scova.jobs.engine import Runner
from scova.jobs.runners import data_of, index_options, index_runner
from scova.lock import holder
from scova.projects.build import project_build
from scova.projects.building.options import BuildOptions
from scova.projects.building.result import BuildResult
from scova.projects.building.watching import Watcher
from scova.projects.catalog import Catalog
from scova.projects.job import build_job, wish
from scova.projects.removal import remove_source
from scova.projects.spec import SourceSpec
from scova.projects.status import BuildStatus, build_status
from scova.server.tenants.chores import order
from scova.stores.project_layout import project_layout
from scova.types import Job, Progress

Place = LocalFolder | LocalProject

_RECOMMENDED = {  # of a folder, by how it stands
    "in_progress": "it is being indexed",
    "checkpoint_available": "the index is not complete: build again to go on",
    "idle": "nothing to do: changes are brought in by themselves",
}


class DeskWorks:
    """Sources and builds of what is on a user's desk."""

    def add_sources(self, tenant: Place, specs: Iterable[SourceSpec]) -> tuple[list[SourceSpec], list[SourceSpec]]:
        """Add sources to a named project."""
        return Catalog(cache_folder()).add(_project(tenant).project_id, specs)

    def remove_source(self, tenant: Place, source_id: str) -> None:
        """Remove a source with all it brought."""
        remove_source(_project(tenant).project_id, source_id)

    def planned(self, tenant: Place, options: BuildOptions) -> BuildResult:
        """What a build would do. Touches nothing."""
        return project_build(_project(tenant).project_id, replace(options, dry_run=True))

    def status_of(self, tenant: Place, builder: str) -> BuildStatus:
        """How the build of a project stands, whoever is at it."""
        if isinstance(tenant, LocalProject):
            busy = builder or holder(tenant.place.build_lock)
            return build_status(tenant.manifest, tenant.checkpoints().latest(), builder=busy)
        busy = builder or holder(tenant.layout.lock)
        # What a first build that was cancelled or has failed committed stays: the next one goes on from there.
        state = "in_progress" if busy else "idle" if tenant.is_complete else "checkpoint_available"
        return BuildStatus(True, tenant.project_id, state, None, 0, 0, _RECOMMENDED[state], builder=busy)

    def wished(self, tenant: Place, given: Mapping[str, object], *, whole: bool) -> dict[str, object]:
        """The options of a build as a job keeps them; UsageError for what a folder does not have."""
        if isinstance(tenant, LocalProject):
            return wish(given, whole=whole)
        if other := given.keys() - {"force"}:
            raise UsageError(f"a folder has no `{min(other)}`", "it is indexed whole: `force` reads every file again")
        return index_options(force=bool(given.get("force")))


def runners(desk: Desk) -> dict[str, Runner]:
    """By kind of job. Jobs are the user's: one may have been wished for on the page of another folder."""
    index = index_runner()

    def brought_in(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        try:
            return index(job, tell)
        finally:
            desk.keep_fresh()

    def build(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        def sliced(options: BuildOptions, watcher: Watcher) -> BuildResult:
            return project_build(job.project_id, options, tell=watcher.tell, stop=watcher.stop)

        return build_job(job, tell, sliced) if _is_of_project(job) else brought_in(job, tell)

    return {"index": brought_in, "build": build, **order(lambda job: _leased(desk, job))}


@contextmanager
def _leased(desk: Desk, job: Job) -> Iterator[Place]:
    """What a job is about: a named project, the folder of this page, or that of another. A name alone does not say which."""
    if _is_of_project(job) or job.path == desk.folder.address:
        with desk.lease(job.project_id if _is_of_project(job) else desk.home) as place:
            yield place
    else:
        with LocalFolder.open(native(job.path), data=data_of(job)) as folder:
            yield folder


def _is_of_project(job: Job) -> bool:
    return job.path == stored(project_layout(cache_folder(), job.project_id).root)


def _project(tenant: Place) -> LocalProject:
    if not isinstance(tenant, LocalProject):
        raise UsageError(f"`{tenant.project_id}` is a folder, and has no sources", "make a project for them")
    return tenant
