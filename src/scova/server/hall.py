"""What all requests of one server share: its projects, its tokens, its numbers, its jobs. And who is asking for what: the Caller.

A route gets a project from its Caller only, who looks whether the token is for it.
"""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastapi import Request

from scova.errors import IndexMissing, ProjectError, UsageError
from scova.jobs.engine import Jobs
from scova.server.layout import ServerLayout
from scova.server.limits import Limits
from scova.server.metrics import Metrics
from scova.server.premises.bounded import Bounded
from scova.server.premises.parts import Parts
from scova.server.premises.served import served
from scova.server.problems import Problem
from scova.server.reading.latency import Latency
from scova.server.tenants.tenant import Tenant
from scova.server.tokens import EVERY_PROJECT, Principal
from scova.types import Job

if TYPE_CHECKING:
    from scova.config import Config
    from scova.server.tenants.asked import Asked


_RECENT = 1000  # jobs that are looked through
BUILDS = ("build", "index")  # kinds of job that bring something in
_WORKERS = 4  # jobs at a time: those that fetch mostly wait


class Hall:
    """One server, whatever it is reached by."""

    def __init__(
        self, place: ServerLayout, config: "Config", limits: Limits | None = None, *, parts: Parts | None = None
    ) -> None:
        """What is kept at `place` is served, unless other `parts` are given."""
        self.config = config
        self.limits = limits or Limits.of(config)
        self.parts = parts or served(place, config)
        self.tokens, self.tenants = self.parts.tokens, self.parts.tenants
        self.metrics = Metrics()
        self.latency = Latency()
        self.jobs = Jobs(self.parts.jobs, self.parts.runners, workers=_WORKERS)
        self.stopping = threading.Event()
        self.looked = Bounded(self._look)
        self.watching: Counter[str] = Counter()  # streams of events, by who has them

    def open(self) -> None:
        """Take up jobs, those among them that another process left behind."""
        self.jobs.start()
        self.parts.upkeep.start()

    def submit(self, kind: str, tenant: "Asked", options: Mapping[str, object] | None = None) -> Job:
        """Have something done to a project in the background."""
        carried = {**tenant.job_options, **(options or {})}
        return self.jobs.submit(kind, tenant.address, project_id=tenant.project_id, options=carried)

    def jobs_of(self, tenant: "Asked") -> list[Job]:
        """Jobs of a project, the newest first; not those of another that had its name."""
        # Where all is one user's, others have named it before: by its folder.
        named = "" if self.parts.home else tenant.project_id
        return [job for job in self.jobs.list(_RECENT, project_id=named) if job.path == tenant.address]

    def builder(self, tenant: "Asked") -> str:
        """The job that is building a project, or is about to, in words; empty when there is none."""
        wanted = [job for job in self.jobs_of(tenant) if job.kind in BUILDS and not job.is_over]
        job = max(wanted, key=lambda job: job.status == "running", default=None)
        return f"job {job.job_id}" if job else ""

    def _look(self) -> None:
        """See whether what is kept can be read."""
        self.tokens.list()
        self.tenants.names()

    def close(self) -> None:
        """Leave jobs to the next process, and let everything go."""
        self.stopping.set()
        self.jobs.stop()
        self.parts.upkeep.stop()
        self.tenants.close()
        self.parts.close()


class Caller:
    """Who sent a request, and what they get to work with."""

    def __init__(self, request: Request) -> None:
        self._scope = request.scope
        self.hall: Hall = request.app.state.hall
        self.principal: Principal = request.scope["scova.principal"]
        self.request_id: str = request.scope["scova.id"]
        self.is_broken = bool(request.scope.get("scova.broken"))  # some of what it said is not UTF-8

    @contextmanager
    def project(self, project_id: str) -> Iterator["Asked"]:
        """A project of theirs, open."""
        self.check(project_id)
        with self.hall.tenants.lease(project_id) as tenant:
            yield tenant

    @contextmanager
    def pushed(self, project_id: str) -> Iterator[Tenant]:
        """The same, to be pushed to."""
        with self.project(project_id) as tenant:
            if not isinstance(tenant, Tenant):
                raise ProjectError(
                    f"nothing is pushed to `{project_id}`", "it is made from what is on this machine: change it there"
                )
            yield tenant

    def check(self, project_id: str) -> None:
        """Refuse another's project, whether there is one or not."""
        if not self.principal.may_see(project_id):
            raise Problem(
                403, f"this token is not for the project `{project_id}`", "use one that is, or one for all projects"
            )
        self._scope["scova.project"] = project_id

    def check_everywhere(self) -> None:
        """Refuse a token that is for one project only."""
        if self.principal.project != EVERY_PROJECT:
            raise Problem(403, "this is about the whole server", "use a token for all projects (`--project '*'`)")

    def job(self, job_id: str) -> Job:
        """A job of theirs; what belongs to others is as if it were not there."""
        try:
            found = self.hall.jobs.get(job_id)
        except UsageError:
            found = None
        if found is None or not self.principal.may_see(found.project_id) or not self._is_theirs(found):
            raise IndexMissing(f"there is no job `{job_id}`", "GET /jobs lists them")
        return found

    def jobs(self, project_id: str | None, limit: int) -> list[Job]:
        """Jobs of theirs, the newest first; of one project, when it is named. Those of a project of the same name that was removed are
        told only to who sees every project, and names none."""
        named = project_id
        if named is None and self.principal.project != EVERY_PROJECT:
            named = self.principal.project
        if named is None:
            return [*self.hall.jobs.list(limit)]
        try:
            with self.project(named) as tenant:
                return self.hall.jobs_of(tenant)[:limit]
        except IndexMissing:
            return []

    def _is_theirs(self, job: Job) -> bool:
        """Whether a job is about the project that their token is for now, and not about one of the same name that was removed."""
        if self.principal.project == EVERY_PROJECT:
            return True
        try:
            with self.hall.tenants.lease(job.project_id) as tenant:
                return job.path == tenant.address
        except IndexMissing:
            return False


async def caller(request: Request) -> Caller:
    """For routes: who asks."""
    return Caller(request)
