"""What is done to a project in the background. A new kind is one function here, and a word in the form of the request."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from scova.errors import Cancelled, ScovaError
from scova.jobs.engine import Runner
from scova.server.housing.telling import fit
from scova.server.tenants.builds import build_job
from scova.server.tenants.registry import Tenants
from scova.server.tenants.tenant import Tenant
from scova.types import Finding, Job, Progress

_log = logging.getLogger("scova.server")

_MOST_FINDINGS = 100


class Kept(Protocol):
    """A project whose index can be kept in order."""

    @property
    def size(self) -> tuple[int, int, int]:
        """How many files and chunks there are, and at which change."""
        ...

    def tidy(self) -> None:
        """Bring what is derived up to date with the store."""
        ...

    def audit(self) -> list[Finding]:
        """Everything in any part of the index that does not agree with the rest."""
        ...


def order(of: Callable[[Job], AbstractContextManager[Kept]]) -> dict[str, Runner]:
    """Jobs that keep an index in order, by kind; `of` is what a job is about. The same wherever a project lies."""

    def tidy(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with of(job) as kept:
            tell(Progress("text", 0, 0))
            kept.tidy()
            return {"change_seq": kept.size[2]}

    def audit(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with of(job) as kept:
            tell(Progress("scan", 0, 0))
            found = kept.audit()
            findings = [finding._asdict() for finding in found[:_MOST_FINDINGS]]
            return {"clean": not found, "count": len(found), "findings": findings}

    return {"tidy": tidy, "audit": audit}


def runners(tenants: Tenants) -> dict[str, Runner]:
    """By kind of job."""

    @contextmanager
    def of(job: Job) -> Iterator[Tenant]:
        """The project that a job is about; what goes wrong is told as clients may know it. Cancelled for one that was removed, though
        another may have its name by now."""
        try:
            with tenants.lease(job.project_id) as tenant:
                if tenant.address != job.path:
                    raise Cancelled(f"project `{job.project_id}` is another one by now", "what was committed is kept")
                yield tenant
        except Exception as error:
            told = fit(error)
            if told is error:
                raise
            trace = None if isinstance(error, ScovaError) else error
            _log.warning("job %s (%s of `%s`): %s", job.job_id, job.kind, job.project_id, error, exc_info=trace)
            raise told from error

    def build(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with of(job) as tenant:
            return build_job(tenant, job, tell)

    return {**order(of), "build": build}
