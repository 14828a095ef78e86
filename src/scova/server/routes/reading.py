"""Files and figures, for people who look: lines as they are kept, and how a project is."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from scova.projects.provenance import provenance
from scova.server import shapes
from scova.server.hall import BUILDS
from scova.server.reading.file import Wanted
from scova.server.reading.health import told
from scova.server.routes.patience import QUESTIONED
from scova.server.routes.projects import ProjectId
from scova.server.routes.words import Who, answering, sent
from scova.server.schemas import reading

router = APIRouter(tags=["reading"], dependencies=[QUESTIONED])


@router.get("/projects/{project_id}/file", **answering(reading.File, has_body=False))
def file(project_id: ProjectId, asked: Annotated[reading.FileParameters, Query()], who: Who) -> JSONResponse:
    """Lines of a file as it is kept, and what it defines; at most 2,000 lines at once."""
    with who.project(project_id) as tenant:
        found = tenant.read(Wanted(asked.path, asked.start, asked.end, asked.outline))
        listed = tenant.sources
    origin = {"provenance": provenance(listed, found.path)._asdict()} if listed.holds(found.path) else {}
    return sent({**asdict(found), **origin})


@router.get("/projects/{project_id}/health", **answering(reading.Health, has_body=False))
def health(project_id: ProjectId, who: Who) -> JSONResponse:
    """How a project is: how much there is of what, what was left out, how fresh it is, how it grew, how long things took."""
    with who.project(project_id) as tenant:
        standing, census, embedder = tenant.standing(), tenant.census(), tenant.config.embedder
        builds = [job for job in who.hall.jobs_of(tenant) if job.kind in BUILDS]
        latency = who.hall.latency.of(tenant.address)
    status = shapes.status(project_id, embedder, standing)
    watcher = shapes.plain(standing.watcher) if standing.watcher else None
    return sent(
        {
            "project_id": project_id,
            **told(standing, census, builds),
            **{name: status[name] for name in ("change_seq", "embedder", "behind", "freshness", "ready")},
            "watcher": watcher,
            "latency": latency,
        }
    )
