"""What is done to a project in the background. A new kind is one function here, and a word in the form of the request."""

from collections.abc import Callable, Mapping

from scova.server.tenants.builds import build_job
from scova.server.tenants.registry import Tenants
from scova.types import Job, Progress

Runner = Callable[[Job, Callable[[Progress], None]], Mapping[str, object]]

_MOST_FINDINGS = 100


def runners(tenants: Tenants) -> dict[str, Runner]:
    """By kind of job."""

    def tidy(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with tenants.lease(job.project_id) as tenant:
            tell(Progress("text", 0, 0))
            tenant.tidy()
            return {"change_seq": tenant.standing().freshness.change_seq}

    def audit(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with tenants.lease(job.project_id) as tenant:
            tell(Progress("scan", 0, 0))
            found = tenant.audit()
            findings = [finding._asdict() for finding in found[:_MOST_FINDINGS]]
            return {"clean": not found, "count": len(found), "findings": findings}

    def build(job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        with tenants.lease(job.project_id) as tenant:
            return build_job(tenant, job, tell)

    return {"tidy": tidy, "audit": audit, "build": build}
