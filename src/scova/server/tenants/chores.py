"""What is done to a project in the background. A new kind is one function here, and a word in the form of the request."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from scova.errors import Cancelled, ScovaError
from scova.server.housing.telling import fit
from scova.server.tenants.builds import build_job
from scova.server.tenants.registry import Tenants
from scova.server.tenants.tenant import Tenant
from scova.types import Job, Progress

_log = logging.getLogger("scova.server")

Runner = Callable[[Job, Callable[[Progress], None]], Mapping[str, object]]

_MOST_FINDINGS = 100


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

    def tidy(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with of(job) as tenant:
            tell(Progress("text", 0, 0))
            tenant.tidy()
            return {"change_seq": tenant.standing().freshness.change_seq}

    def audit(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with of(job) as tenant:
            tell(Progress("scan", 0, 0))
            found = tenant.audit()
            findings = [finding._asdict() for finding in found[:_MOST_FINDINGS]]
            return {"clean": not found, "count": len(found), "findings": findings}

    def build(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with of(job) as tenant:
            return build_job(tenant, job, tell)

    return {"tidy": tidy, "audit": audit, "build": build}
