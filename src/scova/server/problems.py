"""What goes wrong, as HTTP says it: one table of statuses, one form of answer. Never a traceback, and nothing of a request but its id.

{"error": what is wrong, "hint": what to do, "request_id": by which the server's log knows it}
"""

import json
import logging
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import Send

from scova.errors import (
    CheckpointError,
    DiskFull,
    EmbedderError,
    IndexBusy,
    IndexExists,
    IndexMissing,
    IndexReadOnly,
    IndexState,
    ProjectError,
    QueryError,
    ScovaError,
    UsageError,
)
from scova.server.housing.telling import fit, full_of
from scova.server.schemas.plainly import wrong

RETRY_SECONDS = 2

# The first that fits. What is not here is the server's own fault.
STATUSES: tuple[tuple[type[ScovaError], int], ...] = (
    (IndexMissing, 404),
    (IndexExists, 409),
    (IndexBusy, 503),
    (DiskFull, 507),
    (IndexReadOnly, 503),
    (EmbedderError, 503),
    (QueryError, 422),
    (UsageError, 422),
    (CheckpointError, 422),
    (ProjectError, 409),
    (IndexState, 503),
)

_HINTS = {
    400: "send a JSON object in UTF-8",
    404: "GET /openapi.json lists every route",
    405: "GET /openapi.json lists the methods of every route",
}

_log = logging.getLogger("scova.server")


class Problem(ScovaError):
    """What the door itself refuses, with its status."""

    def __init__(self, status: int, message: str, hint: str = "", *, retry_seconds: float = 0.0) -> None:
        super().__init__(message, hint)
        self.status = status
        self.retry_seconds = retry_seconds

    @property
    def headers(self) -> dict[str, str]:
        """What goes beside the answer."""
        headers = {"retry-after": str(max(1, math.ceil(self.retry_seconds)))} if self.retry_seconds else {}
        return headers | ({"www-authenticate": "Bearer"} if self.status == 401 else {})


def nowhere() -> Problem:
    """That no route leads there, as the framework says it."""
    return Problem(404, "Not Found", _HINTS[404])


def body(message: str, hint: str, request_id: str, **more: object) -> dict[str, object]:
    """The answer that every error has."""
    return {"error": message, "hint": hint, "request_id": request_id, **more}


async def refuse(
    send: Send, problem: Problem, request_id: str, drain: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Answer before anything was handed on. With `drain`, the connection ends after it: what is still coming is not wanted."""
    content = json.dumps(body(problem.message, problem.hint, request_id)).encode()
    headers = {"content-type": "application/json", "content-length": str(len(content)), **problem.headers}
    if drain is not None:
        headers["connection"] = "close"
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": raw})
    await send({"type": "http.response.body", "body": content, "more_body": drain is not None})
    if drain is not None:
        # Closing at once would make the system throw away the answer while the client is still sending.
        await drain()
        await send({"type": "http.response.body", "body": b""})


def add_handlers(app: FastAPI) -> None:
    """Have every error answered in the one form."""
    app.add_exception_handler(ScovaError, _on_error)
    app.add_exception_handler(OSError, _on_system)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)


def unexpected(error: BaseException, request_id: str) -> Problem:
    """What is said of an error nobody foresaw; the log has the rest."""
    _log.error("request %s failed", request_id, exc_info=error)
    return Problem(500, "something went wrong here", f"report it with the request id {request_id}")


def _answer(request: Request, problem: Problem) -> JSONResponse:
    said = body(problem.message, problem.hint, request.scope["scova.id"])
    return JSONResponse(said, problem.status, headers=problem.headers)


def problem_of(error: ScovaError, request_id: str) -> Problem:
    """What is said of an error; the log has the rest: where things are kept, and what the system said, is not for clients."""
    if isinstance(error, Problem):
        return error
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
    if status == 500:
        return unexpected(error, request_id)
    told = fit(error)
    if status >= 500:
        cause = f" ({error.__cause__})" if error.__cause__ else ""
        level = logging.INFO if isinstance(error, IndexBusy) else logging.ERROR
        _log.log(level, "request %s: %s%s", request_id, error.message, cause)
    return Problem(status, told.message, told.hint, retry_seconds=RETRY_SECONDS if status == 503 else 0)


async def _on_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ScovaError)
    return _answer(request, problem_of(error, request.scope["scova.id"]))


async def _on_system(request: Request, error: Exception) -> JSONResponse:
    full = full_of(error)
    if full is None:
        raise error  # nobody foresaw it
    return _answer(request, problem_of(full, request.scope["scova.id"]))


async def _on_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    answer = _answer(request, Problem(error.status_code, str(error.detail), _HINTS.get(error.status_code, "")))
    for name, value in (error.headers or {}).items():
        answer.headers[name] = value
    if error.status_code == 405 and (known := _methods(request)):  # the page is not described
        answer.headers["allow"] = ", ".join(known)
    return answer


def _methods(request: Request) -> list[str]:
    """Every method that the API has at this path; the framework knows only of the first route that it met."""
    found: set[str] = set()
    for template, methods in request.app.openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\\?\{\w+\\?\}", "[^/]+", re.escape(template)), request.url.path):
            found |= {method.upper() for method in methods}
    return sorted(found)


async def _on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _answer(request, Problem(400, f"the body is not JSON: {_why(first)}", _HINTS[400]))
    more = f" (and {len(error.errors()) - 1} more)" if len(error.errors()) > 1 else ""
    field = first["loc"][1:]  # before it stands which part of the request it is in
    said = f"{wrong({**first, 'loc': field}, whole='the body')}{more}"
    return _answer(request, Problem(422, said, "GET /openapi.json has the form of every request"))


def _why(said: Mapping[str, Any]) -> str:
    return str(said.get("ctx", {}).get("error", said["msg"]))
