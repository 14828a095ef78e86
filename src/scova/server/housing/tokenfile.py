"""Tokens in one file of the data folder, replaced whole. It can be read by whoever runs the server, and by nobody else.

    {"format": 1, "tokens": [{"id", "name", "project", "scope", "sha256", "created_at", "revoked_at"}]}

What a token allows is not known here.
"""

import json
from collections.abc import Callable, Sequence

from scova.core import own_folder
from scova.core.small_files import STATE_LIMIT, read_small
from scova.errors import IndexExists, StoreDamaged
from scova.lock import writer_lock
from scova.server.housing.house import folder_away
from scova.server.layout import ServerLayout
from scova.types import KeptToken
from scova.whole import atomic_write

_LOCK_SECONDS = 10.0

_Change = Callable[[Sequence[KeptToken]], Sequence[KeptToken]]


class TokenFile:
    """The TokenLedger of one data folder."""

    def __init__(self, place: ServerLayout, *, is_served: bool = False) -> None:
        """What `is_served` was there when the server started: where it is not any more, nobody can tell whether tokens are asked for."""
        self._place = place
        self._is_served = is_served
        self._was_there = False

    def version(self) -> int:
        """Which file it is, as far as a stat tells; 0 when there never was one. StoreDamaged when it went, FolderAway when all did."""
        try:
            status = self._place.tokens.stat()
        except FileNotFoundError:
            if self._is_served and not self._place.tenants.is_dir():
                raise folder_away(self._place.tenants) from None
            if self._was_there:
                raise self._damaged("it is gone") from None
            return 0
        self._was_there = True
        return hash((status.st_ino, status.st_mtime_ns, status.st_size)) or 1

    def all(self) -> Sequence[KeptToken]:
        """What the file says. Whatever is wrong with it is an error: a server that cannot tell who asks lets nobody in."""
        if not self.version():
            return ()
        try:
            said = json.loads(read_small(self._place.tokens, STATE_LIMIT) or b"")
            if said["format"] != 1:
                raise ValueError("it is of another format")
            return tuple(KeptToken(**one) for one in said["tokens"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._damaged(str(error)) from error

    def add(self, token: KeptToken) -> None:
        """Keep one more; IndexExists when its id or hash is taken."""

        def added(known: Sequence[KeptToken]) -> Sequence[KeptToken]:
            if any(token.id == one.id or token.sha256 == one.sha256 for one in known):
                raise IndexExists(f"there is a token `{token.id}` already", "make another one")
            return (*known, token)

        self._replace(added)

    def revoke(self, token_id: str, when: str) -> bool:
        """Have a token count no more, from `when` on; one that is revoked already keeps its time. False when there is none."""
        if all(one.id != token_id for one in self.all()):
            return False
        self._replace(
            lambda known: [
                one._replace(revoked_at=one.revoked_at or when) if one.id == token_id else one for one in known
            ]
        )
        return True

    def _replace(self, change: _Change) -> None:
        own_folder.make_marked(self._place.root)
        with writer_lock(self._place.tokens_lock, wait_seconds=_LOCK_SECONDS):
            tokens = [token._asdict() for token in change(self.all())]
            with atomic_write(self._place.tokens) as file:
                file.write(json.dumps({"format": 1, "tokens": tokens}, indent=1).encode())

    def _damaged(self, why: str) -> StoreDamaged:
        return StoreDamaged(
            f"`{self._place.tokens.name}` cannot be read: {why}", "put back a copy of it, or remove it and start anew"
        )
