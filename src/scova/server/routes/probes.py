"""For what starts and watches a server: is it up, is it ready, how much has it done."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from scova.errors import FolderAway, ScovaError, StoreAway
from scova.server.hall import Hall
from scova.server.routes.words import BEARER, Responses, Who, refusals, sent
from scova.server.schemas import answers

router = APIRouter(tags=["server"])

_LOOK_SECONDS = 5.0  # for what is kept to be read; who asks whether a server is ready has others to send requests to

_TEXT: Responses = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "In the form of Prometheus."}
}


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", response_model=answers.Health)
async def healthz() -> JSONResponse:
    """Whether the server is up."""
    return sent({"status": "ok"})


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz", response_model=answers.Health, responses={503: {"model": answers.Health, "description": "Not now."}}
)
async def readyz(request: Request) -> JSONResponse:
    """Whether it takes requests: it is not stopping, and what it keeps can be read."""
    hall: Hall = request.app.state.hall
    if hall.stopping.is_set():
        return sent({"status": "stopping"}, 503)
    try:
        is_read = await hall.looked.is_done(_LOOK_SECONDS)
    except (ScovaError, OSError) as error:
        if isinstance(error, StoreAway) and not isinstance(error, FolderAway):
            return sent({"status": "the database does not answer"}, 503)
        return sent({"status": "the data folder cannot be read"}, 503)
    return sent({"status": "ready"}) if is_read else sent({"status": "what is kept here does not answer"}, 503)


@router.get(
    "/metrics",
    response_class=Response,
    responses={**refusals(has_body=False), **_TEXT},
    dependencies=[BEARER],
)
def metrics(who: Who) -> Response:
    """Numbers for Prometheus. With tokens, one for all projects is needed."""
    who.check_everywhere()
    return Response(who.hall.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
