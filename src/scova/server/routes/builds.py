"""Sources of a project, and builds from them."""

from typing import Annotated

from fastapi import Path
from fastapi.responses import JSONResponse

from scova.projects.building.options import build_options
from scova.projects.spec import SourceSpec, SourceType, address, chosen, to_json
from scova.server import shapes
from scova.server.middleware.bodies import routes
from scova.server.routes.projects import ProjectId
from scova.server.routes.words import Responses, Who, answering, sent
from scova.server.schemas import answers, builds
from scova.server.schemas import jobs as schemas

router = routes("builds")

SourceId = Annotated[str, Path(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
_PLANNED: Responses = {200: {"model": builds.Built, "description": "With `dry_run`: what would be done."}}


@router.get("/projects/{project_id}/sources", **answering(builds.Sources, has_body=False))
def listed(project_id: ProjectId, who: Who) -> JSONResponse:
    """The sources of a project."""
    with who.project(project_id) as tenant:
        return sent({"sources": [to_json(spec) for spec in tenant.sources.sources]})


@router.post("/projects/{project_id}/sources", **answering(builds.Added))
def add(project_id: ProjectId, asked: builds.NewSources, who: Who) -> JSONResponse:
    """Add sources; one that is there already gets these tags and patterns."""
    specs = [_spec(one) for one in asked.sources]
    with who.project(project_id) as tenant:
        added, there = who.hall.parts.works.add_sources(tenant, specs)
    return sent({"added": [spec.source_id for spec in added], "there": [spec.source_id for spec in there]})


@router.delete("/projects/{project_id}/sources/{source_id}", **answering(answers.Removed, has_body=False))
def remove(project_id: ProjectId, source_id: SourceId, who: Who) -> JSONResponse:
    """Remove a source with all it brought."""
    with who.project(project_id) as tenant:
        who.hall.parts.works.remove_source(tenant, source_id)
    return sent({"deleted": source_id})


@router.post("/projects/{project_id}/build", **answering(schemas.Job, status=202, more=_PLANNED))
def build(project_id: ProjectId, asked: builds.BuildRequest, who: Who) -> JSONResponse:
    """Build in the background; the same that waits or runs already is not begun twice. With `dry_run` the answer is what would be done."""
    given = asked.model_dump(exclude_unset=True)
    is_whole, is_dry = given.pop("whole", False), given.pop("dry_run", False)
    with who.project(project_id) as tenant:
        if is_dry:
            return sent(who.hall.parts.works.planned(tenant, build_options(given)).to_json())
        job = who.hall.submit("build", tenant, who.hall.parts.works.wished(tenant, given, whole=is_whole))
    return sent(shapes.job(job), 202)


@router.get("/projects/{project_id}/build", **answering(builds.BuildStatus, has_body=False))
def status(project_id: ProjectId, who: Who) -> JSONResponse:
    """How the build of a project stands, and what to do next."""
    with who.project(project_id) as tenant:
        return sent(who.hall.parts.works.status_of(tenant, who.hall.builder(tenant)).to_json())


def _spec(asked: builds.NewSource) -> SourceSpec:
    spec = SourceSpec(SourceType(asked.type), address(asked.uri))
    return chosen(spec, tags=asked.tags, include=asked.include, exclude=asked.exclude, max_pages=asked.max_pages)
