"""What routes have in common: who asks, what every error looks like, and answers as they are sent."""

from typing import Annotated, Any

from fastapi import Depends
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer

from scova.server.hall import Caller, caller
from scova.server.schemas import answers, requests
from scova.types import Filters

Who = Annotated[Caller, Depends(caller)]
BEARER = Depends(HTTPBearer(auto_error=False, description="A token of `scova token create`."))

Responses = dict[int | str, dict[str, Any]]

_RETRY = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
_REFUSED = {
    400: "The body is not JSON in UTF-8.",
    401: "A token is needed, or this one is not known.",
    403: "The token does not allow this, or is for another project.",
    404: "There is no such project, or nothing of that name.",
    413: "The body is too large.",
    422: "The request cannot be read.",
    429: "Too many requests.",
    503: "Not at the moment: others are writing, or the server has enough to do.",
    507: "There is no room left on the disk of the server.",
}
_WITH_BODY = {408: "The body came too slowly.", 415: "The body is not JSON."}


def refusals(*, has_body: bool = True) -> Responses:
    """Every error a route may answer with."""
    found = _REFUSED | (_WITH_BODY if has_body else {})
    return {
        status: {"model": answers.Error, "description": text} | ({"headers": _RETRY} if status in (429, 503) else {})
        for status, text in found.items()
    }


def answering(
    model: type, *, status: int = 200, has_body: bool = True, more: Responses | None = None
) -> dict[str, Any]:
    """How a route says what it answers with; what is sent has been shaped already, and is not checked again."""
    responses = {**refusals(has_body=has_body), **(more or {}), status: {"model": model}}
    return {"responses": responses, "status_code": status, "response_model": None, "dependencies": [BEARER]}


def filters_of(asked: requests.Placed) -> Filters:
    """What a question is limited to."""
    places = (tuple(asked.paths), tuple(asked.not_paths), tuple(asked.languages))
    if not isinstance(asked, requests.Filtered):
        return Filters(*places)
    return Filters(*places, tuple(asked.chunk_types), tuple(asked.tags), tuple(asked.kinds))


def sent(value: object, status: int = 200) -> JSONResponse:
    """An answer; no browser keeps it."""
    return JSONResponse(value, status, headers={"cache-control": "no-store"})
