"""The outermost: gives each request an id, counts it, logs how it ended, and answers when everything else failed."""

import logging
import re
import secrets
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scova.server.metrics import Metrics
from scova.server.problems import refuse, unexpected
from scova.server.tokens import PREFIX

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_METHODS = ("GET", "POST", "DELETE")
_QUIET = ("/healthz", "/readyz", "/metrics", "/", "/page/{name:path}")
# An answer is what it says it is, and no page of another site may have it as a part of its own.
_SAFE = ((b"x-content-type-options", b"nosniff"), (b"cross-origin-resource-policy", b"same-origin"))

_log = logging.getLogger("scova.server")


class Record:
    """One line of the log, and one count, for each request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        scope["scova.id"] = given.decode() if _is_id(given) else secrets.token_hex(8)
        began, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message["headers"], *_SAFE, (b"x-request-id", scope["scova.id"].encode())]
                message = {**message, "headers": headers}
            await send(message)

        self._metrics.begin()
        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - the top of a door
            problem = unexpected(error, scope["scova.id"])
            if not status:
                await refuse(sending, problem, scope["scova.id"])
        finally:
            self._end(scope, status, time.perf_counter() - began)

    def _end(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        # Anyone may make up other methods, and each would be a line of its own.
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.end(method, route, status, seconds)
        who = scope.get("scova.principal")
        told = {
            "request_id": scope["scova.id"],
            "method": scope["method"],
            "route": route,
            "status": status,
            "ms": round(1000 * seconds, 1),
            "token": who.id if who else "",
            "project": scope.get("scova.project", ""),
        }
        _log.log(logging.DEBUG if route in _QUIET else logging.INFO, "request", extra=told)


def _is_id(given: bytes) -> bool:
    """Whether a client's own id is taken; never one with a token in it, sent by mistake: ids are logged."""
    return bool(_ID.fullmatch(given)) and PREFIX.encode() not in given.lower()
