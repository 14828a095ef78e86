"""Who may do what: tokens, with their scope and project, wherever they are kept.

A token is shown once, when it is made. It has 256 bits of chance in it, so that a plain hash of it, which is all that is kept, gives
nothing away. Revoked ones stay: a server that ever had tokens goes on asking for them.

Knows nothing of requests.
"""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from scova.errors import ScovaError, StoreDamaged, UsageError
from scova.protocols import TokenLedger
from scova.server.layout import checked_id
from scova.types import KeptToken

EVERY_PROJECT = "*"
PREFIX = "scova_"
AGAIN = 0.1  # seconds before tokens that are far away are looked at once more for one that is not known


class Scope(IntEnum):
    """What a token allows; each allows what those before it do."""

    READ = 1  # questions
    WRITE = 2  # index, delete, sync
    ADMIN = 3  # projects


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: a token, or anyone (with no id) where no tokens are asked for."""

    id: str
    project: str
    scope: Scope

    def may_see(self, project_id: str) -> bool:
        """Whether this is a project of theirs."""
        return self.project in (EVERY_PROJECT, project_id)


ANYONE = Principal("", EVERY_PROJECT, Scope.ADMIN)


@dataclass(frozen=True, slots=True)
class _Look:
    """When tokens were looked at, and what was in the way. One record: a look that failed is never taken for one that went well."""

    at: float
    failure: ScovaError | None = None


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept, as of one version of the ledger."""

    version: int | None = None
    known: Sequence[KeptToken] = ()
    valid: Mapping[str, Principal] = field(default_factory=dict)


class Tokens:
    """The tokens of one server."""

    def __init__(self, ledger: TokenLedger, *, every: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        """What others change is seen after `every` seconds at the latest; 0: at once, where looking costs next to nothing."""
        self._ledger = ledger
        self._every = every
        self._clock = clock
        self._lock = threading.Lock()
        self._last: _Look | None = None
        self._kept = _Kept()

    @property
    def are_near(self) -> bool:
        """Whether asking for them makes nobody wait."""
        return not self._every

    @property
    def are_asked_for(self) -> bool:
        """Whether there ever was a token."""
        return bool(self.list())

    def list(self) -> Sequence[KeptToken]:
        """All tokens, the oldest first, revoked ones among them."""
        self._look(self._every)
        return self._kept.known

    def who(self, secret: str) -> Principal | None:
        """Who brings this token; None when nobody does, or not any more."""
        self._look(self._every)
        key = _hash(secret)
        if key not in self._kept.valid and self._every:
            self._look(min(AGAIN, self._every))  # it may have been made just now
        return self._kept.valid.get(key)

    def is_still(self, who: Principal) -> bool:
        """Whether someone who was let in would be now: a token that was not revoked, or anyone, where none are asked for."""
        self._look(self._every)
        kept = self._kept
        return who in kept.valid.values() if who.id else not kept.known

    def create(self, project: str, scope: str, name: str = "") -> tuple[KeptToken, str]:
        """A new token, and the secret that is not kept."""
        if project != EVERY_PROJECT:
            checked_id(project)
        if scope.upper() not in Scope.__members__:
            raise UsageError(f"there is no scope `{scope}`", "there are read, write and admin")
        identity = secrets.token_hex(4)
        secret = f"{PREFIX}{identity}_{secrets.token_urlsafe(32)}"
        made = KeptToken(identity, name, project, scope.lower(), _hash(secret), _now())
        self._ledger.add(made)
        self._look(0.0)
        return made, secret

    def revoke(self, identity: str) -> KeptToken:
        """Have a token open nothing any more; how soon every process knows is said above."""
        if not self._ledger.revoke(identity, _now()):
            raise UsageError(f"there is no token `{identity}`", "`scova token list` lists them")
        self._look(0.0)
        return next(token for token in self._kept.known if token.id == identity)

    def _look(self, age: float) -> None:
        """Know what is kept, as of `age` seconds ago at the most; raises what the last look raised."""
        if self._is_fresh(age):
            return
        with self._lock:
            if self._is_fresh(age):  # another thread has looked meanwhile
                return
            began = self._clock()
            try:
                self._load()
            except ScovaError as error:
                self._last = _Look(self._clock(), error)  # for those who wait: they need not wait as long
                raise
            self._last = _Look(began)

    def _is_fresh(self, age: float) -> bool:
        last = self._last
        if last is None or self._clock() - last.at >= age:
            return False
        if (failure := last.failure) is not None:
            raise type(failure)(failure.message, failure.hint)
        return True

    def _load(self) -> None:
        version = self._ledger.version()
        if version == self._kept.version:
            return
        known = self._ledger.all()
        try:
            valid = {token.sha256: _principal(token) for token in known if not token.revoked_at}
        except KeyError as error:
            hint = "a newer scova may have made it: upgrade this one, or revoke it there"
            raise StoreDamaged(f"a token has the unknown scope {error}", hint) from error
        self._kept = _Kept(version, known, valid)


def _principal(token: KeptToken) -> Principal:
    return Principal(token.id, token.project, Scope[token.scope.upper()])


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
