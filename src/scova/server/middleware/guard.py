"""Who asks, whether they may, and how often: decided from the head of a request, before its body is read."""

import ipaddress
import re

import anyio
from anyio.to_thread import run_sync
from starlette.types import ASGIApp, Receive, Scope, Send

from scova.errors import ScovaError, StoreDamaged
from scova.server import access
from scova.server.limits import Rate
from scova.server.problems import Problem, problem_of, refuse, unexpected
from scova.server.tokens import ANYONE, Principal, Tokens

_THREADS = 8  # that look at tokens which are far away, apart from those that do the work
_BEARER = re.compile(rb"[Bb]earer +([\x21-\x7e]+) *")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::\d{1,5})?")


def is_loopback(host: str) -> bool:
    """Whether this name or address leads nowhere but to this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets in who may come in. `always` is for a server that other machines can reach: it asks for tokens though there are none."""

    def __init__(self, app: ASGIApp, tokens: Tokens, rate: Rate, *, always: bool) -> None:
        self._app = app
        self._tokens = tokens
        self._rate = rate
        self._always = always
        self._threads: anyio.CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            if not access.is_open(scope["method"], scope["path"]):
                scope["scova.principal"] = await self._admitted(scope)
        except (StoreDamaged, OSError) as error:  # nobody can be let in, and what is wrong is not for everyone's ears
            await refuse(send, unexpected(error, scope["scova.id"]), scope["scova.id"])
        except ScovaError as error:
            await refuse(send, problem_of(error, scope["scova.id"]), scope["scova.id"])
        else:
            await self._app(scope, receive, send)

    async def _admitted(self, scope: Scope) -> Principal:
        if self._tokens.are_near:
            return self._let_in(scope)
        if self._threads is None:  # made where it is used: it belongs to a running loop
            self._threads = anyio.CapacityLimiter(_THREADS)
        return await run_sync(self._let_in, scope, limiter=self._threads)

    def _let_in(self, scope: Scope) -> Principal:
        headers = dict(scope["headers"])
        who = self._who(headers)
        name = who.id or (scope.get("client") or ("",))[0]
        if seconds := self._rate.wait(name):
            raise Problem(
                429, "too many requests", "wait as long as Retry-After says, and send fewer", retry_seconds=seconds
            )
        wanted = access.needed(scope["method"], scope["path"])
        if who.scope < wanted:
            raise Problem(
                403,
                f"this token may {who.scope.name.lower()}; {wanted.name.lower()} is needed here",
                f"have one made with `scova token create --scope {wanted.name.lower()}`",
            )
        return who

    def _who(self, headers: dict[bytes, bytes]) -> Principal:
        given = headers.get(b"authorization", b"")
        if not self._always and not self._tokens.are_asked_for:
            _refuse_foreign_names(headers.get(b"host", b"").decode("latin-1"))
            return ANYONE
        bearer = _BEARER.fullmatch(given)
        who = self._tokens.who(bearer[1].decode("ascii")) if bearer else None
        if who is None:
            said = "this token is not known here, or was revoked" if given else "a token is needed here"
            raise Problem(401, said, "send `Authorization: Bearer TOKEN`; `scova token create` makes one")
        return who


def _refuse_foreign_names(host: str) -> None:
    """Where nobody is asked who they are, a page in a browser must not get in under a name of its own that leads here."""
    named = _HOST.fullmatch(host)
    if not named or not is_loopback(named[1]):
        raise Problem(403, "this server answers under the names of this machine only", "ask 127.0.0.1 or localhost")
