"""How much comes in: too large a body is refused by its announced length, or as soon as it is too large; too slow a one, too.

What fits is read whole and handed on. Whatever is not JSON in UTF-8 ends here, so that a page in a browser, which may send forms and
plain text anywhere, cannot make this server do anything.
"""

import asyncio
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scova.server import access
from scova.server.limits import Limits
from scova.server.metrics import Metrics
from scova.server.middleware.quota import Held, Quota
from scova.server.problems import Problem, refuse
from scova.server.tokens import Principal

_DRAINED_BYTES = 16 << 20
_DRAINED_SECONDS = 2.0
_WITH_BODY = ("POST", "PUT", "PATCH")


class Intake:
    """Bodies, read whole within limits."""

    def __init__(self, app: ASGIApp, limits: Limits, metrics: Metrics) -> None:
        self._app = app
        self._limits = limits
        self._metrics = metrics
        self._bytes = Quota(limits.bytes_held, "too much is being received")
        self._requests = Quota(limits.requests, "too many requests are under way")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or access.is_probe(scope["path"]):  # a busy server is a healthy one
            await self._app(scope, receive, send)
            return
        client = _client(scope)
        # A request takes its place once it is here; until then it holds what has arrived of it, whatever it announced.
        with self._bytes.holding(client) as held, self._requests.holding(client) as place:
            is_read = False
            try:
                self._check(scope)
                body = await self._read(receive, self._limits.body_for(scope["path"]), held)
                is_read = True
                body = _text(body, scope)
                place.take(1)
            except Problem as problem:
                await refuse(send, problem, scope["scova.id"], None if is_read else lambda: _drain(receive))
            else:
                self._metrics.received(len(body))
                await self._app(scope, _replayed(body, receive), send)

    def _check(self, scope: Scope) -> None:
        """Refuse what its head says to be too large, or no JSON."""
        headers = dict(scope["headers"])
        length, chunked = headers.get(b"content-length", b""), b"transfer-encoding" in headers
        # Who sends in chunks sends as much as they like, whatever length stands beside it.
        announced = None if chunked else int(length) if length.isdigit() else 0
        limit = self._limits.body_for(scope["path"])
        if announced is not None and announced > limit:
            raise _too_large(limit)
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if scope["method"] in _WITH_BODY and announced != 0 and kind != b"application/json":
            raise Problem(415, "the body must be JSON", "send `Content-Type: application/json`")

    async def _read(self, receive: Receive, limit: int, held: Held) -> bytes:
        parts: list[bytes] = []
        size = 0
        deadline = time.monotonic() + self._limits.body_seconds
        while True:
            try:
                message = await asyncio.wait_for(receive(), max(0.001, deadline - time.monotonic()))
            except TimeoutError:
                seconds = self._limits.body_seconds
                raise Problem(
                    408, f"the body did not arrive within {seconds:.0f} seconds", "send it again, or less"
                ) from None
            if message["type"] == "http.disconnect":
                raise Problem(400, "the connection was cut", "send it again")
            size += len(message.get("body", b""))
            if size > limit:
                raise _too_large(limit)
            held.take(len(message.get("body", b"")))
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                return b"".join(parts)


def _too_large(limit: int) -> Problem:
    return Problem(413, f"the body is larger than {limit:,} bytes", "send fewer files at a time")


def _text(body: bytes, scope: Scope) -> bytes:
    """The body, if it is UTF-8. Of files to be indexed only those fail that are not: what is wrong is left in them, in a form that
    JSON can be read in."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        if (scope["method"], scope["path"]) != ("POST", "/index"):
            raise Problem(400, f"the body is not UTF-8: {error.reason} at byte {error.start}", "send UTF-8") from None
        scope["scova.broken"] = True
        return body.decode(errors="surrogateescape").encode(errors="surrogatepass")
    return body


def _client(scope: Scope) -> str:
    """Whose share of what there is a request takes."""
    principal: Principal | None = scope.get("scova.principal")
    return (principal.id if principal else "") or str((scope.get("client") or ("",))[0])


async def _drain(receive: Receive) -> None:
    """Read some of what is still coming, so that the client gets to read its answer."""
    deadline, size = time.monotonic() + _DRAINED_SECONDS, 0
    while size < _DRAINED_BYTES and (left := deadline - time.monotonic()) > 0:
        try:
            message = await asyncio.wait_for(receive(), left)
        except TimeoutError:
            return
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, and then whatever else comes."""
    is_given = False

    async def replaying() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replaying
