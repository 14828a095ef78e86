"""One address that turns texts into vectors: calls it, waits for its turn, and asks again where that may help.

Speaks the form of OpenAI's embeddings: `POST {address}/embeddings {"model", "input", "dimensions"?}`. Responsible for the key,
for time limits and for patience; what a reply says is read by `replies`. Knows nothing of chunks or caches.

What is asked again: 429, 5xx, no answer in time, and connections that cannot be made or are cut; with growing pauses, a part of
them random, or as long as the endpoint asks for (`Retry-After`, up to a minute). Everything else would be refused again. The key
goes into one header of the calls, and into nothing else; redirects are not followed, so that nobody else is sent it.
"""

import json
import random
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scova.errors import EmbedderError

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 64 << 20  # of a reply: a hundred vectors of 4096 numbers take a seventh of it
CONNECT_SECONDS = 5.0
STRANGER_ATTEMPTS = 2  # while an endpoint has not answered once: most likely it is not there


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """What is known of an endpoint, as plain values. `width` 0: as wide as the model makes them."""

    model: str
    width: int = 0
    key: str = field(default="", repr=False)
    key_env: str = "SCOVA_EMBEDDER_KEY"  # where the key comes from, to name it to who has to set it
    price: float = 0.0  # USD per million tokens
    batch: int = 50
    timeout_seconds: float = 120.0


class Pace(NamedTuple):
    """How fast an endpoint is called, in seconds."""

    apart: float = 0.1  # between the beginnings of two calls
    first_pause: float = 0.5  # before the second attempt; each further one is twice as long
    longest_pause: float = 60.0  # whatever the endpoint asks for


class Patience(NamedTuple):
    """How much is done for one call."""

    attempts: int
    seconds: float  # for one attempt
    longest_pause: float  # rather than wait longer than this, it is given up


class TooLong(Exception):
    """The endpoint takes shorter texts, or fewer at a time. Says so in its own words."""


class _Reply(NamedTuple):
    """What came back; `status` is 0 when nothing did, and `body` says then what happened."""

    status: int
    body: bytes
    retry_after: str = ""


class Endpoint:
    """Calls one model at one address. Threads may share it."""

    def __init__(self, address: str, settings: RemoteSettings, pace: Pace) -> None:
        self.address = address
        self.calls = 0  # that were made, in vain or not
        self.deadline = float("inf")  # by the monotonic clock: nothing goes on beyond it
        self._settings = settings
        self._pace = pace
        self._lock = threading.Lock()
        self._next_call = 0.0
        self._has_answered = False
        self._client: httpx2.Client | None = None

    def post(self, texts: Sequence[str], patience: Patience) -> bytes:
        """The body of the reply. TooLong when that is what the endpoint says, EmbedderError when there is none to be had."""
        asked: dict[str, object] = {"model": self._settings.model, "input": list(texts)}
        if self._settings.width:
            asked["dimensions"] = self._settings.width
        body = json.dumps(asked).encode()
        attempt = 0
        while True:
            attempt += 1
            self._wait_for_turn()
            reply = self._once(body, min(patience.seconds, self._left()))
            self._has_answered = self._has_answered or reply.status > 0
            if reply.status == 200:
                return reply.body
            if reply.status not in (0, 408, 429) and reply.status < 500:
                raise self._refused(reply)
            attempts = patience.attempts if self._has_answered else min(STRANGER_ATTEMPTS, patience.attempts)
            pause = self._pause(reply, attempt)
            if attempt >= attempts or pause > patience.longest_pause or pause >= self._left():
                raise self._given_up(reply, attempt)
            time.sleep(pause)

    def _once(self, body: bytes, seconds: float) -> _Reply:
        import httpx2

        self.calls += 1
        deadline = time.monotonic() + seconds
        limits = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        try:
            with self._opened().stream(
                "POST", f"{self.address}/embeddings", content=body, headers=self._headers(), timeout=limits
            ) as response:
                content = bytearray()
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > MOST_BYTES:
                        return _Reply(413, b"the reply is larger than 64 MB")
                    if time.monotonic() > deadline:
                        return _Reply(0, f"did not answer within {seconds:g} s".encode())
                return _Reply(response.status_code, bytes(content), response.headers.get("retry-after", ""))
        except httpx2.ConnectTimeout:
            return _Reply(0, b"cannot be reached: the connection timed out")
        except httpx2.TimeoutException:
            return _Reply(0, f"did not answer within {seconds:g} s".encode())
        except httpx2.ConnectError as error:
            return _Reply(0, f"cannot be reached: {error}".encode())
        except httpx2.HTTPError as error:
            return _Reply(0, f"broke off: {str(error) or type(error).__name__}".encode())

    def _opened(self) -> "httpx2.Client":
        with self._lock:
            if self._client is None:
                import httpx2

                self._client = httpx2.Client()
                weakref.finalize(self, self._client.close)
            return self._client

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = self._settings.key.strip()
        if not (key.isascii() and key.isprintable()):
            # Found here, because the library would quote it.
            raise EmbedderError(
                f"`{self._settings.key_env}` does not hold a key: it has characters that no key has",
                f"set {self._settings.key_env} to the key alone",
            )
        return headers | ({"Authorization": f"Bearer {key}"} if key else {})

    def _wait_for_turn(self) -> None:
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_call)
            self._next_call = turn + self._pace.apart
        if turn > now:
            time.sleep(turn - now)

    def _left(self) -> float:
        return max(0.001, self.deadline - time.monotonic())

    def _pause(self, reply: _Reply, attempt: int) -> float:
        """How long to wait before the next attempt."""
        asked = _seconds_of(reply.retry_after)
        if asked is not None:
            return min(asked, self._pace.longest_pause)
        longest: float = min(self._pace.first_pause * 2 ** (attempt - 1), self._pace.longest_pause)
        return longest * random.uniform(0.5, 1.0)

    def _refused(self, reply: _Reply) -> Exception:
        """What an answer means that would be the same the next time."""
        name, said = self._settings.key_env, self._said(reply)
        if reply.status in (401, 403):
            what = "refuses the key" if self._settings.key else "wants a key"
            return EmbedderError(
                f"`{self.address}` {what} ({reply.status})",
                f"set the environment variable {name} to a key of this endpoint",
            )
        if reply.status == 404:
            return EmbedderError(
                f"`{self.address}/embeddings` does not know the model `{self._settings.model}`, or is no such address (404): {said}",
                "check `embedder` and `embedder_model`",
            )
        if 300 <= reply.status < 400:
            return EmbedderError(
                f"`{self.address}` sends elsewhere ({reply.status})", "set `embedder` to the address it has moved to"
            )
        if self._settings.width and any(word in said.lower() for word in ("dimension", "matryoshka")):
            return EmbedderError(
                f"`{self._settings.model}` makes no vectors of {self._settings.width} components: {said}",
                "set `embedder_width` to 0 to take them as they are",
            )
        if is_too_long(reply.status, said):
            return TooLong(said)
        return EmbedderError(
            f"`{self.address}` refuses what it is asked ({reply.status}): {said}", "see its documentation"
        )

    def _given_up(self, reply: _Reply, attempts: int) -> EmbedderError:
        times = f", {attempts} times" if attempts > 1 else ""
        if not reply.status:
            return EmbedderError(
                f"`{self.address}` {self._said(reply)}{times}",
                "see that the endpoint is running, and that `embedder` is right",
            )
        if reply.status == 429:
            return EmbedderError(
                f"`{self.address}` has had too many calls{times}: {self._said(reply)}",
                "go on later: what was done is kept",
            )
        return EmbedderError(
            f"`{self.address}` failed ({reply.status}){times}: {self._said(reply)}",
            "go on later: what was done is kept",
        )

    def _said(self, reply: _Reply) -> str:
        """The endpoint's own words, shortened, without the key should it repeat it."""
        words = reply.body.decode("utf-8", "replace")
        try:
            error = json.loads(words)["error"]
            words = str(error["message"] if isinstance(error, dict) else error)
        except (ValueError, LookupError, TypeError):
            pass
        key = self._settings.key.strip()
        words = words.replace(key, "…") if key else words
        return "".join(letter if letter.isprintable() else " " for letter in words)[:200].strip() or "without a word"


def is_too_long(status: int, said: str) -> bool:
    """Whether an endpoint refuses a call for its size. There is no one way to say it, so its words are looked at."""
    words = ("too long", "too large", "too many", "maximum", "max_", "context length", "limit", "exceed", "batch size")
    return status == 413 or (status in (400, 422) and any(word in said.lower() for word in words))


def _seconds_of(retry_after: str) -> float | None:
    """What a Retry-After asks for: seconds, or a date."""
    if retry_after.strip().isdecimal():
        return float(retry_after)
    if not retry_after:
        return None
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
