"""Who may do what: tokens, kept in one file of the data folder as hashes, with their scope and project.

A token is shown once, when it is made. It has 256 bits of chance in it, so that a plain hash of it gives nothing away. Revoked ones stay
in the file: a server that ever had tokens goes on asking for them.

    {"format": 1, "tokens": [{"id", "name", "project", "scope", "sha256", "created_at", "revoked_at"}]}

Knows nothing of requests.
"""

import hashlib
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import IntEnum

from scova.errors import IndexState, UsageError
from scova.lock import writer_lock
from scova.server.layout import ServerLayout, checked_id
from scova.whole import atomic_write

EVERY_PROJECT = "*"
PREFIX = "scova_"
_LOCK_SECONDS = 10.0


class Scope(IntEnum):
    """What a token allows; each allows what those before it do."""

    READ = 1  # questions
    WRITE = 2  # index, delete, sync
    ADMIN = 3  # projects


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of one token."""

    id: str
    name: str
    project: str  # `*` for all
    scope: str
    sha256: str
    created_at: str
    revoked_at: str = ""


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


class Tokens:
    """The tokens of one server. The file is looked at for every request, so that a change holds at once."""

    def __init__(self, place: ServerLayout) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._known: tuple[Token, ...] = ()
        self._valid: dict[str, Principal] = {}

    @property
    def are_asked_for(self) -> bool:
        """Whether there ever was a token."""
        return bool(self.list())

    def list(self) -> Sequence[Token]:
        """All tokens, the oldest first, revoked ones among them."""
        self._look()
        return self._known

    def who(self, secret: str) -> Principal | None:
        """Who brings this token; None when nobody does, or not any more."""
        self._look()
        return self._valid.get(_hash(secret))

    def create(self, project: str, scope: str, name: str = "") -> tuple[Token, str]:
        """A new token, and the secret that is not kept."""
        if project != EVERY_PROJECT:
            checked_id(project)
        if scope.upper() not in Scope.__members__:
            raise UsageError(f"there is no scope `{scope}`", "there are read, write and admin")
        identity = secrets.token_hex(4)
        secret = f"{PREFIX}{identity}_{secrets.token_urlsafe(32)}"
        made = Token(identity, name, project, scope.lower(), _hash(secret), _now())
        self._replace(lambda known: (*known, made))
        return made, secret

    def revoke(self, identity: str) -> Token:
        """Have a token open nothing any more, from the next request on."""
        found = next((token for token in self.list() if token.id == identity), None)
        if found is None:
            raise UsageError(f"there is no token `{identity}`", "`scova token list` lists them")
        gone = replace(found, revoked_at=found.revoked_at or _now())
        self._replace(lambda known: tuple(gone if token.id == identity else token for token in known))
        return gone

    def _replace(self, change: Callable[[tuple[Token, ...]], tuple[Token, ...]]) -> None:
        self._place.root.mkdir(parents=True, exist_ok=True)
        with writer_lock(self._place.tokens_lock, wait_seconds=_LOCK_SECONDS):
            self._look()
            tokens = [asdict(token) for token in change(self._known)]
            with atomic_write(self._place.tokens) as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(json.dumps({"format": 1, "tokens": tokens}, indent=1).encode())

    def _look(self) -> None:
        try:
            status = self._place.tokens.stat()
        except FileNotFoundError:
            if self._seen is not None:
                raise _damaged(self._place, "it is gone") from None
            return
        seen = (status.st_ino, status.st_mtime_ns, status.st_size)
        if seen == self._seen:
            return
        with self._lock:
            known = _read(self._place)
            self._valid = {
                token.sha256: Principal(token.id, token.project, Scope[token.scope.upper()])
                for token in known
                if not token.revoked_at
            }
            self._known, self._seen = known, seen


def _read(place: ServerLayout) -> tuple[Token, ...]:
    """What the file says. Whatever is wrong with it is an error: a server that cannot tell who asks lets nobody in."""
    try:
        said = json.loads(place.tokens.read_bytes())
        tokens = tuple(Token(**one) for one in said["tokens"])
        if said["format"] != 1 or any(token.scope.upper() not in Scope.__members__ for token in tokens):
            raise ValueError("it is of another format")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(place, str(error)) from error
    return tokens


def _damaged(place: ServerLayout, why: str) -> IndexState:
    return IndexState(
        f"`{place.tokens.name}` cannot be read: {why}", "put back a copy of it, or remove it and start anew"
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
