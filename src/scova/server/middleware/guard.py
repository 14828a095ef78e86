"""Who asks, whether they may, and how often: decided from the head of a request, before its body is read."""

import ipaddress
import re
from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from scova.errors import ScovaError, StoreDamaged
from scova.server import access
from scova.server.limits import Rate
from scova.server.problems import Problem, nowhere, problem_of, refuse, unexpected
from scova.server.tokens import ANYONE, Principal, Tokens

T = TypeVar("T")

_THREADS = 8  # that look at tokens which are far away, apart from those that do the work
_BEARER = re.compile(rb"[Bb]earer +([\x21-\x7e]+) *")
_OWN = ("none", "same-origin")  # as a browser says whose request it is
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
            if access.is_page(scope["method"], scope["path"]):
                await self._looking(self._show, scope)
            elif not access.is_open(scope["method"], scope["path"]):
                scope["scova.principal"] = await self._looking(self._let_in, scope)
        except (StoreDamaged, OSError) as error:  # nobody can be let in, and what is wrong is not for everyone's ears
            await refuse(send, unexpected(error, scope["scova.id"]), scope["scova.id"])
        except ScovaError as error:
            await refuse(send, problem_of(error, scope["scova.id"]), scope["scova.id"])
        else:
            await self._app(scope, receive, send)

    async def _looking(self, judge: Callable[[Scope], T], scope: Scope) -> T:
        """What is decided by looking at tokens, wherever they are."""
        if self._tokens.are_near:
            return judge(scope)
        if self._threads is None:  # made where it is used: it belongs to a running loop
            self._threads = anyio.CapacityLimiter(_THREADS)
        return await run_sync(judge, scope, limiter=self._threads)

    def _show(self, scope: Scope) -> None:
        if self._trusts_all:
            refuse_foreign(scope, is_page=True)

    def _let_in(self, scope: Scope) -> Principal:
        headers = dict(scope["headers"])
        who = self._who(scope, headers)
        name = who.id or (scope.get("client") or ("",))[0]
        if seconds := self._rate.wait(name):
            raise Problem(
                429, "too many requests", "wait as long as Retry-After says, and send fewer", retry_seconds=seconds
            )
        wanted = access.needed(scope["method"], scope["path"])
        if who.scope < wanted:
            if not _leads_somewhere(scope):
                raise nowhere()  # no other token would help
            raise Problem(
                403,
                f"this token may {who.scope.name.lower()}; {wanted.name.lower()} is needed here",
                f"have one made with `scova token create --scope {wanted.name.lower()}`",
            )
        return who

    @property
    def _trusts_all(self) -> bool:
        """Whether nobody is asked who they are."""
        return not self._always and not self._tokens.are_asked_for

    def _who(self, scope: Scope, headers: dict[bytes, bytes]) -> Principal:
        given = headers.get(b"authorization", b"")
        if self._trusts_all:
            refuse_foreign(scope)
            return ANYONE
        bearer = _BEARER.fullmatch(given)
        who = self._tokens.who(bearer[1].decode("ascii")) if bearer else None
        if who is None:
            said = "this token is not known here, or was revoked" if given else "a token is needed here"
            raise Problem(401, said, "send `Authorization: Bearer TOKEN`; `scova token create` makes one")
        return who


def _leads_somewhere(scope: Scope) -> bool:
    """Whether there is a route at this path, by any method."""
    return any(route.matches(scope)[0] is not Match.NONE for route in scope["app"].router.routes)


def refuse_foreign(scope: Scope, *, is_page: bool = False) -> None:
    """Refuse what a page of someone else may have sent: where nobody is asked who they are, a browser must not get in for others, be it
    under a name of theirs that leads here, or by a request from one of their pages. A link that leads to the page is no harm."""
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    host = headers.get(b"host", "")
    named = _HOST.fullmatch(host)
    if not named or not is_loopback(named[1]):
        raise Problem(403, "this server answers under the names of this machine only", "ask 127.0.0.1 or localhost")
    origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site", "none")
    is_followed = is_page and headers.get(b"sec-fetch-mode") == "navigate"
    if (origin is not None and origin.partition("://")[2] != host) or (site not in _OWN and not is_followed):
        raise Problem(403, "this server answers its own page only, and none of another site", "open its own address")
