"""What all requests of one server share: its projects, its tokens, its numbers, its jobs. And who is asking for what: the Caller.

A route gets a project from its Caller only, who looks whether the token is for it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastapi import Request

from scova.jobs.engine import Jobs
from scova.server.layout import ServerLayout
from scova.server.limits import Limits
from scova.server.metrics import Metrics
from scova.server.problems import Problem
from scova.server.tenants.chores import runners
from scova.server.tenants.registry import Tenants
from scova.server.tokens import EVERY_PROJECT, Principal, Tokens
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import jobs_db
from scova.types import Job

if TYPE_CHECKING:
    from scova.config import Config
    from scova.server.tenants.tenant import Tenant


class Hall:
    """One server, whatever it is reached by."""

    def __init__(self, place: ServerLayout, config: "Config", limits: Limits | None = None) -> None:
        place.root.mkdir(parents=True, exist_ok=True)
        self.place = place
        self.config = config
        self.limits = limits or Limits.of(config)
        self.tokens = Tokens(place)
        self.tenants = Tenants(place, config)
        self.metrics = Metrics()
        self.jobs = Jobs(SqliteJobs(jobs_db(place.root)), runners(self.tenants))
        self.stopping = threading.Event()

    def open(self) -> None:
        """Take up jobs, those among them that another process left behind."""
        self.jobs.start()

    def close(self) -> None:
        """Leave jobs to the next process, and let everything go."""
        self.stopping.set()
        self.jobs.stop()
        self.tenants.close()


class Caller:
    """Who sent a request, and what they get to work with."""

    def __init__(self, request: Request) -> None:
        self._scope = request.scope
        self.hall: Hall = request.app.state.hall
        self.principal: Principal = request.scope["scova.principal"]
        self.request_id: str = request.scope["scova.id"]
        self.is_broken = bool(request.scope.get("scova.broken"))  # some of what it said is not UTF-8

    @contextmanager
    def project(self, project_id: str) -> Iterator["Tenant"]:
        """A project of theirs, open."""
        self.check(project_id)
        with self.hall.tenants.lease(project_id) as tenant:
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
        from scova.errors import IndexMissing, UsageError

        try:
            found = self.hall.jobs.get(job_id)
        except UsageError:
            found = None
        if found is None or not self.principal.may_see(found.project_id):
            raise IndexMissing(f"there is no job `{job_id}`", "GET /jobs lists them")
        return found


async def caller(request: Request) -> Caller:
    """For routes: who asks."""
    return Caller(request)
