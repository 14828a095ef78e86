"""Where the tokens of a server are kept. What a token allows is not known here."""

from collections.abc import Sequence
from typing import Protocol

from scova.types import KeptToken


class TokenLedger(Protocol):
    """Tokens as they are kept: hashes, never secrets. Shared by processes, and safe from any thread."""

    def version(self) -> int:
        """A number that differs from the one before when a token was added or revoked since, by whomever. Cheap: asked for
        every request."""
        ...

    def all(self) -> Sequence[KeptToken]:
        """All tokens, the oldest first, revoked ones among them."""
        ...

    def add(self, token: KeptToken) -> None:
        """Keep one more; IndexExists when its id or hash is taken."""
        ...

    def revoke(self, token_id: str, when: str) -> bool:
        """Have a token count no more, from `when` on; one that is revoked already keeps its time. False when there is none."""
        ...
