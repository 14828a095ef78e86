"""Projects: made, listed, looked at, removed."""

import logging
from typing import Annotated

from fastapi import Path, Query
from fastapi.responses import JSONResponse

from scova.server import shapes
from scova.server.layout import PROJECT_ID
from scova.server.middleware.bodies import routes
from scova.server.routes.words import Responses, Who, answering, sent
from scova.server.schemas import answers, requests

router = routes("projects")

_log = logging.getLogger("scova.server")

ProjectId = Annotated[str, Path(pattern=PROJECT_ID, max_length=64)]
_CONFLICT: Responses = {409: {"model": answers.Error, "description": "There is a project of that id."}}


@router.post("/projects", **answering(answers.Project, status=201, more=_CONFLICT))
def create(asked: requests.NewProject, who: Who) -> JSONResponse:
    """Make an empty project."""
    who.check(asked.project_id)
    who.hall.tenants.create(asked.project_id)
    return sent(_project(who, asked.project_id), 201)


@router.get("/projects", **answering(answers.Projects, has_body=False))
def listed(who: Who) -> JSONResponse:
    """The projects that the token is for."""
    return sent({"projects": [name for name in who.hall.tenants.names() if who.principal.may_see(name)]})


@router.get("/projects/{project_id}", **answering(answers.Project, has_body=False))
def show(project_id: ProjectId, who: Who) -> JSONResponse:
    """One project, and how much is in it."""
    return sent(_project(who, project_id))


@router.delete("/projects/{project_id}", **answering(answers.Removed, has_body=False))
def remove(project_id: ProjectId, who: Who) -> JSONResponse:
    """Remove a project with all it holds."""
    who.check(project_id)
    who.hall.tenants.remove(project_id)
    return sent({"deleted": project_id})


@router.get("/status", **answering(answers.Status, has_body=False))
def status(asked: Annotated[requests.OneProject, Query()], who: Who) -> JSONResponse:
    """How a project stands: how much is in it, how fresh it is."""
    with who.project(asked.project_id) as tenant:
        standing, embedder = tenant.standing(), tenant.config.embedder
    for part, why in standing.behind.items():
        _log.warning("request %s: `%s`: %s is behind: %s", who.request_id, asked.project_id, part, why)
    return sent(shapes.status(asked.project_id, embedder, standing))


@router.get("/stats", **answering(answers.Stats, has_body=False))
def stats(asked: Annotated[requests.OneProject, Query()], who: Who) -> JSONResponse:
    """What is in a project, counted."""
    with who.project(asked.project_id) as tenant:
        return sent(shapes.stats(asked.project_id, tenant.standing()))


def _project(who: Who, project_id: str) -> dict[str, object]:
    with who.project(project_id) as tenant:
        files, chunks, change_seq = tenant.size
    return {"project_id": project_id, "files": files, "chunks": chunks, "change_seq": change_seq}
