"""Talks to one Qdrant server: JSON over HTTP, asked again where that may help.

Qdrant's own client is not used: it takes a second to load, and brings a second HTTP library and gRPC along for the ten calls that
are needed here. Responsible for the key, for time limits and for patience; knows no collection.

What is asked again: 408, 429, 5xx, and connections that cannot be made or are cut; all that is sent here may be sent twice. After a
question found nobody, others fail at once for a few seconds: text and names answer meanwhile, and should not wait each time.
"""

import json
import threading
import time
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from scova.errors import UsageError, VectorsAway

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 3.0
AWAY_SECONDS = 5.0  # for so long nobody asks a server that did not answer


class Patience(NamedTuple):
    """How much is done for one call."""

    attempts: int
    seconds: float  # for one attempt
    first_pause: float


ASKING = Patience(2, 10.0, 0.05)
WRITING = Patience(4, 30.0, 0.2)


class Wire:
    """One server. Threads may share it."""

    def __init__(self, url: str) -> None:
        """`url` may hold the key as a password."""
        parts = urlsplit(url)
        try:
            port = f":{parts.port}" if parts.port else ""
        except ValueError as error:
            raise UsageError("the port of the Qdrant server is not a number", "http://HOST:6333") from error
        if not parts.hostname:
            raise UsageError("the address of the Qdrant server names no host", "http://HOST:6333")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self.where = urlunsplit((parts.scheme, host + port, parts.path.rstrip("/"), "", ""))
        self._key = unquote(parts.password or "")
        if not (self._key.isascii() and self._key.isprintable()):
            raise UsageError("the key of the Qdrant server has characters that no key has", "https://:KEY@HOST:6333")
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._away: tuple[float, VectorsAway] | None = None  # until when, and why

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """What the server answers, None when there is no such thing. VectorsAway when it does not, or did not a moment ago."""
        if self._away and time.monotonic() < self._away[0]:
            raise VectorsAway(self._away[1].message, self._away[1].hint)
        try:
            return self._called(method, path, body, ASKING)
        except VectorsAway as error:
            self._away = (time.monotonic() + AWAY_SECONDS, error)
            raise

    def write(self, method: str, path: str, body: object = None) -> Any:
        """The same for something that changes: it is tried for longer."""
        found = self._called(method, path, body, WRITING)
        self._away = None
        return found

    def close(self) -> None:
        """Let go of connections; the next call makes new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _called(self, method: str, path: str, body: object, patience: Patience) -> Any:
        content = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
        for attempt in range(1, patience.attempts + 1):
            status, said = self._once(method, path, content, patience.seconds)
            if status == 404:
                return None
            if 200 <= status < 300:
                return json.loads(said)["result"]
            if 0 < status < 500 and status not in (408, 429):
                raise self._refused(status, said)
            if attempt < patience.attempts:
                time.sleep(patience.first_pause * 2 ** (attempt - 1))
        how = f"failed ({status}): {_words(said)}" if status else _words(said)
        raise VectorsAway(f"Qdrant at {self.where} {how}", "see that it is running; what it holds can be made again")

    def _once(self, method: str, path: str, content: bytes, seconds: float) -> tuple[int, bytes]:
        """The status and what was said; 0 when nobody answered."""
        import httpx2

        limits = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        try:
            reply = self._opened().request(method, f"{self.where}{path}", content=content, timeout=limits)
            return reply.status_code, reply.content
        except httpx2.TimeoutException:
            return 0, b"does not answer in time"
        except httpx2.HTTPError as error:
            return 0, f"does not answer: {str(error) or type(error).__name__}".encode()

    def _opened(self) -> "httpx2.Client":
        with self._lock:
            if self._client is None:
                import httpx2

                headers = {"Content-Type": "application/json"} | ({"api-key": self._key} if self._key else {})
                self._client = httpx2.Client(
                    headers=headers
                )  # follows no redirects, so that nobody else is sent the key
                weakref.finalize(self, self._client.close)
            return self._client

    def _refused(self, status: int, said: bytes) -> VectorsAway:
        """What an answer means that would be the same the next time."""
        if status in (401, 403):
            hint = "give the key in the address: https://:KEY@HOST:6333"
            return VectorsAway(f"Qdrant at {self.where} {'refuses the key' if self._key else 'wants a key'}", hint)
        words = _words(said).replace(self._key, "…") if self._key else _words(said)
        return VectorsAway(f"Qdrant at {self.where} refuses what it is asked ({status}): {words}", "see its log")


def _words(said: bytes) -> str:
    """The server's own words, shortened."""
    words = said.decode("utf-8", "replace")
    with suppress(ValueError, LookupError, TypeError):
        words = str(json.loads(words)["status"]["error"])
    return "".join(letter if letter.isprintable() else " " for letter in words)[:200].strip() or "without a word"
