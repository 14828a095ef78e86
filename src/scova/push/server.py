"""Asks one server, one request at a time: at its pace, and again where that may help.

What is asked again: connections that cannot be made or are cut, no answer in time, 408, 425, 429 and 5xx, and 409 where the server
says when to come back; with growing pauses, or as long as the server asks for, and within a bounded time as often as it does. A token goes into one header and nothing else;
redirects are not followed, so that nobody else is sent it; certificates are checked. What a reply means is the caller's business, but
for those that mean the same everywhere: they are a PushError.
"""

import json
import math
import ssl
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from scova.errors import PushError
from scova.push.address import Address
from scova.push.pace import PATIENT, Patience, TokenBucket
from scova.sources.web.polite import retry_after

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 256 << 20  # of a reply: a million paths that the server has and we have not
NEEDS = "a push needs a token of this project with the scope `write`, and `admin` to make the project"
STRANGER_ATTEMPTS = 4  # while a server has not answered once: most likely it is not there
LEAST_SECONDS = 1.0  # for one attempt: with less left it is not made
CONNECT_SECONDS = 10.0
SILENT = 0  # the status of a reply that never came

_MOST_SAID = 300  # letters of the server's own words

_BUSY = frozenset((408, 425, 429, 502, 503, 504))


class Reply(NamedTuple):
    """What came back. `said` is the server's word, or what happened instead."""

    status: int
    body: Mapping[str, Any]
    said: str
    hint: str = ""
    wait: float | None = None  # seconds that the server asks to wait

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_busy(self) -> bool:
        """Whether the server is there, but not for us now."""
        return self.status in _BUSY or (self.status == 409 and self.wait is not None)

    @property
    def is_fault(self) -> bool:
        """Whether the server failed, or was not heard of again: at this content, or at any."""
        return self.status == SILENT or (self.status >= 500 and not self.is_busy)


class Forbidden(PushError):
    """The token is known, and does not allow this."""


class Server:
    """One server. Close it, or use it in a `with`. Threads may ask at the same time; numbers are of one thread only."""

    def __init__(
        self, address: Address, bucket: TokenBucket, *, patience: Patience = PATIENT, needs: str = NEEDS
    ) -> None:
        """`needs` tells whoever may not do what is asked here which token could."""
        self.address = address
        self.patience = patience
        self.requests = 0
        self.retries = 0
        self._bucket = bucket
        self._needs = needs
        self._has_answered = False
        self._client: httpx2.Client | None = None

    def post(self, path: str, body: bytes, *, patience: Patience | None = None) -> Reply:
        """The reply to a request after as many attempts as help; PushError where none will."""
        return self._tried("POST", path, body, patience or self.patience)

    def get(self, path: str, *, patience: Patience | None = None) -> Reply:
        """The same for what is only looked at."""
        return self._tried("GET", path, b"", patience or self.patience)

    def remove(self, path: str) -> Reply:
        """The same for what is to go."""
        return self._tried("DELETE", path, b"", self.patience)

    def _tried(self, method: str, path: str, body: bytes, patience: Patience) -> Reply:
        deadline = time.monotonic() + patience.total
        attempt = 0
        while True:
            attempt += 1
            self._wait_for_turn()
            seconds = max(min(patience.seconds, LEAST_SECONDS), min(patience.seconds, deadline - time.monotonic()))
            reply = self._once(method, path, body, seconds)
            self._has_answered = self._has_answered or reply.status != SILENT
            if not (reply.is_busy or reply.is_fault):
                self._refuse(reply)
                return reply
            pause = patience.pause(attempt) if reply.wait is None else reply.wait
            if attempt >= self._attempts(reply, patience):
                # Who says when to come back will be there then: what is left of the time is what counts.
                if not reply.is_busy or reply.wait is None or patience.total == math.inf:
                    return reply
                pause = max(pause, patience.pause(attempt))
            if pause > patience.longest_asked and reply.wait is not None:
                return reply
            if deadline - time.monotonic() - pause < min(patience.seconds, LEAST_SECONDS):
                return reply
            self._bucket.pause(pause)
            self.retries += 1

    def is_there(self) -> bool:
        """Whether the server answers at all, now."""
        self._wait_for_turn()
        return self._once("GET", "/healthz", b"", CONNECT_SECONDS).is_ok

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _attempts(self, reply: Reply, patience: Patience) -> int:
        if reply.status == SILENT and not self._has_answered:
            return min(STRANGER_ATTEMPTS, patience.attempts)
        return patience.attempts if reply.is_busy or reply.status == SILENT else patience.answered

    def _wait_for_turn(self) -> None:
        self._opened()  # before, since the first time takes longer than a turn: two requests would go out at once
        self._bucket.take()

    def _once(self, method: str, path: str, body: bytes, seconds: float) -> Reply:
        import httpx2

        self.requests += 1
        limits = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        try:
            with self._opened().stream(
                method, f"{self.address.url}{path}", content=body, headers=self._headers(), timeout=limits
            ) as response:
                content = _content(response, time.monotonic() + seconds)
                return self._read(response.status_code, content, response.headers.get("retry-after", ""))
        except _Endless as problem:
            return _silent(str(problem))
        except httpx2.TimeoutException:
            return _silent(f"did not answer within {seconds:g} s")
        except httpx2.ConnectError as error:
            self._refuse_certificate(error)
            return _silent(f"cannot be reached: {error}")
        except httpx2.HTTPError as error:
            return _silent(f"broke off: {str(error) or type(error).__name__}")

    def _opened(self) -> "httpx2.Client":
        if self._client is None:
            import httpx2

            self._client = httpx2.Client(follow_redirects=False)
        return self._client

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        token = self.address.token
        return headers | ({"Authorization": f"Bearer {token}"} if token else {})

    def _read(self, status: int, content: bytes, asked: str) -> Reply:
        """A reply that came, whatever it holds."""
        try:
            body = json.loads(content)
        except ValueError:
            body = {}
        if not isinstance(body, dict):
            body = {}
        said = self.words(body.get("error") or content[:400].decode("utf-8", "replace"))
        return Reply(status, body, said, self.words(body.get("hint") or ""), retry_after(asked))

    def words(self, value: object) -> str:
        """The server's own words, shortened in the middle, harmless for a terminal, and without the token."""
        words = self.address.without_token(str(value))
        if len(words) > _MOST_SAID:  # what it is about stands first, what is wrong with it last
            words = f"{words[: _MOST_SAID // 2]} … {words[-_MOST_SAID // 2 :]}"
        return "".join(letter if letter.isprintable() else " " for letter in words).strip()

    def _refuse(self, reply: Reply) -> None:
        """PushError for what every later request would be answered with too."""
        url, name = self.address.url, self.address.token_env
        if 300 <= reply.status < 400:
            raise PushError(
                f"{url} sends elsewhere ({reply.status}), where nothing is sent to",
                "give the address it has moved to with --server",
            )
        if reply.status == 401:
            what = "refuses the token" if self.address.token else "wants a token"
            raise PushError(
                f"{url} {what} (401): {reply.said}",
                f"set the environment variable {name or 'SCOVA_TOKEN'} to a token that `scova token create` printed on the server",
            )
        if reply.status == 403:
            raise Forbidden(f"{url} does not allow this (403): {reply.said}", self._needs)

    def _refuse_certificate(self, error: BaseException) -> None:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                raise PushError(
                    f"the certificate of {self.address.url} is not to be trusted: {cause.verify_message}",
                    "name the authority that signed it with SSL_CERT_FILE; nothing was sent",
                ) from None
            cause = cause.__cause__ or cause.__context__


class _Endless(Exception):
    """A reply that goes on for too long."""


def _content(response: "httpx2.Response", deadline: float) -> bytes:
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > MOST_BYTES:
            raise _Endless("sends more than anyone asked for")
        if time.monotonic() > deadline:
            raise _Endless("did not come to the end of its answer in time")
    return bytes(content)


def _silent(said: str) -> Reply:
    return Reply(SILENT, {}, said)
