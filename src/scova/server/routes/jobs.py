"""Background jobs: begun, listed, watched, cancelled."""

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

import anyio
from anyio.to_thread import run_sync
from fastapi import Path, Query
from fastapi.responses import JSONResponse, StreamingResponse

from scova.errors import StoreAway
from scova.server import shapes
from scova.server.middleware.bodies import routes
from scova.server.problems import RETRY_SECONDS, Problem
from scova.server.routes.words import BEARER, Who, answering, refusals, sent
from scova.server.schemas import jobs as schemas
from scova.server.schemas import requests

router = routes("jobs")

JobId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

MOST_STREAMS = 32  # of one token; where there are none, of everybody
MOST_STREAMS_TOGETHER = 96  # each is a request under way, and others have to get in
_LOOK_EVERY = 0.2  # seconds between two looks at a job that is watched
_ASK_EVERY = 1.0  # seconds between two looks at whether the token of whoever watches still holds
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One `progress` event whenever something changed, an `end` event at the end.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.post("/jobs", **answering(schemas.Job, status=202))
def submit(asked: requests.JobRequest, who: Who) -> JSONResponse:
    """Have something done in the background; the same that waits or runs already is not begun twice."""
    with who.project(asked.project_id) as tenant:
        job = who.hall.submit(asked.kind, tenant)
    return sent(shapes.job(job), 202)


@router.get("/jobs", **answering(schemas.Jobs, has_body=False))
def listed(asked: Annotated[requests.JobParameters, Query()], who: Who) -> JSONResponse:
    """Jobs, the newest first; of one project, or of all that the token is for."""
    return sent({"jobs": [shapes.job(job) for job in who.jobs(asked.project_id, asked.limit)]})


@router.get("/jobs/{job_id}", **answering(schemas.Job, has_body=False))
def show(job_id: JobId, who: Who) -> JSONResponse:
    """How a job stands."""
    return sent(shapes.job(who.job(job_id)))


@router.delete("/jobs/{job_id}", **answering(schemas.Job, has_body=False))
def cancel(job_id: JobId, who: Who) -> JSONResponse:
    """Cancel a job; what it has done stays."""
    who.job(job_id)
    return sent(shapes.job(who.hall.jobs.cancel(job_id)))


@router.get(
    "/jobs/{job_id}/events",
    response_class=StreamingResponse,
    responses={**refusals(has_body=False), **_STREAM},
    dependencies=[BEARER],
)
async def events(job_id: JobId, who: Who) -> StreamingResponse:
    """How a job goes on, as server-sent events, until it is over."""
    await run_sync(who.job, job_id)
    if who.hall.watching[who.principal.id] >= MOST_STREAMS or who.hall.watching.total() >= MOST_STREAMS_TOGETHER:
        raise Problem(
            429,
            "too many streams of events are open",
            "close some, or ask for the job itself now and then",
            retry_seconds=5,
        )
    return StreamingResponse(
        _counted(job_id, who), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def _counted(job_id: str, who: Who) -> AsyncIterator[str]:
    """The same, while it is known that someone watches."""
    who.hall.watching[who.principal.id] += 1
    try:
        async for said in _told(job_id, who):
            yield said
    finally:
        who.hall.watching[who.principal.id] -= 1


async def _told(job_id: str, who: Who) -> AsyncIterator[str]:
    last, asked = "", time.monotonic()
    while not who.hall.stopping.is_set():
        try:
            if time.monotonic() - asked >= _ASK_EVERY:
                if not await run_sync(who.hall.tokens.is_still, who.principal):
                    return
                asked = time.monotonic()
            job = await run_sync(who.hall.jobs.get, job_id)
        except StoreAway:  # the job may go on elsewhere: whoever watches it waits with us
            await anyio.sleep(RETRY_SECONDS)
            continue
        said = json.dumps(shapes.job(job))
        if job.is_over or said != last:
            yield f"event: {'end' if job.is_over else 'progress'}\ndata: {said}\n\n"
        if job.is_over:
            return
        last = said
        await anyio.sleep(_LOOK_EVERY)
