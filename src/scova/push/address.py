"""Where a server is and by which token it knows us; checked before anything is sent.

The token is in no text that this room makes. Knows nothing of requests.
"""

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from scova.errors import UsageError

_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Address:
    """A server that was checked by `address`; `url` has no slash at its end."""

    url: str
    token: str = field(default="", repr=False)
    token_env: str = ""  # where the token comes from, to name it to who has to set it
    is_open: bool = False  # the way there can be listened to

    @property
    def note(self) -> str:
        """What is to be said of it, in words."""
        if self.is_open:
            what = "the token and everything else" if self.token else "everything"
            return f"{what} travels to {self.url} unencrypted: use https where others can listen"
        return ""

    def without_token(self, words: str) -> str:
        """Words of a server, should it repeat what it must not."""
        return words.replace(self.token, "…") if self.token else words


def address(url: str, *, token: str = "", token_env: str = "") -> Address:
    """The server at a URL; UsageError when that cannot be one, or the token cannot be a token."""
    hint = "give it as https://HOST[:PORT], or http://127.0.0.1:8766"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError("the address of the server is not a URL", hint) from None
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the address of the server has a user or password in it",
            f"put a token into the environment variable {token_env or 'SCOVA_TOKEN'} instead",
        )
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise UsageError(f"`{url}` is not the address of a server", hint)
    token = token.strip()
    if not (token.isascii() and token.isprintable()) or " " in token:
        # Found here, because the library would quote it.
        raise UsageError(
            f"`{token_env}` does not hold a token: it has characters that no token has",
            f"set {token_env} to the token alone, as `scova token create` printed it",
        )
    is_open = parts.scheme == "http" and not _is_loopback(host)
    return Address(url.rstrip("/"), token, token_env, is_open)


def project_name(text: str) -> str:
    """A name that a project on a server can have; UsageError when this is none."""
    if not _PROJECT.fullmatch(text):
        raise UsageError(
            f"`{text[:80]}` cannot be the name of a project",
            "use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit",
        )
    return text


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
