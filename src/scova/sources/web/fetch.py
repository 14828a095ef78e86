"""Fetches over HTTP: politely, within limits, and nothing that the guard refuses.

One request is up to `attempts` tries, each of which follows redirects; every hop is judged by the guard and waits for its turn at
its host. A page that cannot be had is an answer in words, never an exception; only being stopped is (Cancelled). Nothing
is remembered between requests but open connections: no cookies, no credentials, no proxies from the environment. Knows nothing of
what the content means.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from ssl import SSLCertVerificationError
from typing import Protocol, Self

import httpcore2

from scova.core import own_folder
from scova.sources.web.answer import Answer, answer_of
from scova.sources.web.fetched import Fetched, Limits, Status
from scova.sources.web.guard import Guard, Refused, Resolve, Target
from scova.sources.web.polite import Gate
from scova.sources.web.unpack import ENCODINGS, Damaged, TooLarge, Unpacker
from scova.sources.web.wire import GuardedBackend, Patience, Stop

AGENT = f"scova/{version('scova')}"
Wanted = Callable[[str], str]  # media type -> why it is not wanted, or empty

_ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/pdf;q=0.8, */*;q=0.5"
_MOST_CONNECTIONS = 64


def never() -> bool:
    """The answer of a caller who does not stop."""
    return False


def anything(media_type: str) -> str:
    """The answer of a caller who takes every media type."""
    return ""


class _Sink(Protocol):
    """Takes what a body holds."""

    def write(self, data: bytes, /) -> object: ...


@dataclass(frozen=True, slots=True)
class _Ask:
    """One request as the caller means it."""

    url: str
    validators: tuple[tuple[str, str], ...]
    seconds: float
    max_bytes: int
    wanted: Wanted = anything


class _Failure(Exception):
    """An attempt that brought nothing; `again` says whether another may, `wait` how long the server asks to wait first."""

    def __init__(self, said: str, *, again: bool, answer: Answer | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.again = again
        self.answer = answer
        self.wait = answer.wait if answer else None


class _Memory:
    """A sink that keeps everything."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)


class Fetcher:
    """Fetches pages. Safe to share by threads; close it, or use it in a `with`."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        allow: Iterable[str] = (),
        stop: Stop = never,
        resolve: Resolve | None = None,
    ) -> None:
        """`allow` names hosts that may be reached though they are not public (see Guard); `stop` is asked at every step."""
        self.limits = limits or Limits()
        self._guard = Guard(allow, resolve=resolve)
        self._patience = Patience(stop)
        self._gate = Gate(self.limits.delay, self._patience.pause)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpcore2.default_ssl_context(),
            max_connections=_MOST_CONNECTIONS,
            keepalive_expiry=15.0,
            network_backend=GuardedBackend(self._guard, self._patience),
        )

    def get(
        self, url: str, *, etag: str = "", last_modified: str = "", wanted: Wanted = anything, max_bytes: int = 0
    ) -> Fetched:
        """The content of a URL. With validators of an earlier answer it may be `unchanged`, and is then not sent again.

        What `wanted` gives a reason against is not read, and failed with that reason; `max_bytes` lowers the limit.
        """
        limit = min(max_bytes or self.limits.max_bytes, self.limits.max_bytes)
        ask = _Ask(url, _validators(etag, last_modified), self.limits.seconds, limit, wanted)
        memory = _Memory()

        def empty() -> _Memory:
            memory.pieces.clear()
            return memory

        found = self._tried(ask, empty)
        return replace(found, content=b"".join(memory.pieces)) if found.is_ok else found

    def download(self, url: str, path: Path, *, etag: str = "", last_modified: str = "") -> Fetched:
        """Fetch into a file, which is replaced when everything is there and left alone otherwise. OSError if it cannot be written."""
        ask = _Ask(url, _validators(etag, last_modified), self.limits.download_seconds, self.limits.max_bytes)
        part = path.with_name(path.name + ".part")
        try:
            with open(part, "wb", opener=own_folder.opener) as file:

                def empty() -> _Sink:
                    file.seek(0)
                    file.truncate()
                    return file

                found = self._tried(ask, empty)
            if found.is_ok:
                part.replace(path)
            return found
        finally:
            part.unlink(missing_ok=True)

    def slow(self, url: str, seconds: float) -> None:
        """Leave at least so many seconds between calls to the host of this URL."""
        with suppress(Refused):  # nothing will be fetched from there
            self._gate.slow(self._guard.target(url).host, seconds)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tried(self, ask: _Ask, empty: Callable[[], _Sink]) -> Fetched:
        """The outcome of as many attempts as are needed and allowed."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return replace(self._attempt(ask, empty()), attempts=attempt)
            except _Failure as failure:
                if not failure.again or attempt >= self.limits.attempts or not self._waited(failure, attempt):
                    return _failed(ask, failure, attempt)

    def _waited(self, failure: _Failure, attempt: int) -> bool:
        """Wait before the next attempt; False if the server asks for more patience than we have."""
        if failure.wait is None or failure.answer is None:
            backoff = self.limits.first_wait * 2 ** (attempt - 1)
            self._patience.pause(min(backoff, self.limits.longest_wait) * random.uniform(0.5, 1.0))
            return True
        if failure.wait > self.limits.longest_wait:
            return False
        self._gate.hold(self._guard.target(failure.answer.url).host, failure.wait)
        return True

    def _attempt(self, ask: _Ask, sink: _Sink) -> Fetched:
        """Follow redirects to an answer, and take it. Raises _Failure."""
        place, visited = ask.url, set[str]()
        left = ask.seconds
        for _ in range(self.limits.redirects + 1):
            target = self._target(place)
            self._gate.wait(target.host)
            self._patience.begin(left)  # waiting for one's turn is not the server's fault
            with self._asked(target, ask) as (answer, response):
                if not answer.is_redirect:
                    return self._taken(ask, answer, response, sink)
            visited.add(str(target.url))
            place = _location(answer)
            if place.partition("#")[0] in visited:
                raise _Failure("it redirects in a circle", again=False, answer=answer)
            left = self._patience.left()
        raise _Failure(f"it redirects more than {self.limits.redirects} times", again=False, answer=answer)

    def _target(self, place: str) -> Target:
        try:
            return self._guard.target(place)
        except Refused as refused:
            raise _Failure(str(refused), again=False) from None

    @contextmanager
    def _asked(self, target: Target, ask: _Ask) -> Iterator[tuple[Answer, httpcore2.Response]]:
        """The beginning of the server's answer; every problem with the connection becomes a _Failure, inside the block too."""
        headers = [("Host", target.url.netloc.decode("ascii")), ("User-Agent", AGENT), ("Accept", _ACCEPT)]
        headers += [("Accept-Encoding", ENCODINGS), *ask.validators]
        url = httpcore2.URL(
            scheme=target.url.raw_scheme, host=target.host.encode(), port=target.port, target=target.url.raw_path
        )
        timeout = {"pool": self._patience.left()}
        try:
            with self._pool.stream("GET", url, headers=headers, extensions={"timeout": timeout}) as response:
                yield answer_of(target.url, response), response
        except Refused as refused:
            raise _Failure(str(refused), again=False) from None
        except httpcore2.TimeoutException as problem:
            # One that was silent for the whole time has had its chance; another try would cost as much again.
            raise _Failure(
                f"it took too long, more than {ask.seconds:g} s in all ({_said(problem)})", again=False
            ) from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError) as problem:
            untrusted = any(isinstance(cause, SSLCertVerificationError) for cause in problem.args)
            raise _Failure(f"the connection failed: {_said(problem)}", again=not untrusted) from None

    def _taken(self, ask: _Ask, answer: Answer, response: httpcore2.Response, sink: _Sink) -> Fetched:
        """What a final answer means, with its body in the sink."""
        if answer.status == 304 and ask.validators:
            return answer.fetched(Status.UNCHANGED, ask.url)
        if answer.is_gone:
            return replace(answer.fetched(Status.GONE, ask.url), error=answer.said)
        if not answer.has_content:
            raise _Failure(answer.said, again=answer.is_worth_retrying, answer=answer)
        unwanted = ask.wanted(answer.media_type)
        if unwanted:
            raise _Failure(unwanted, again=False, answer=answer)
        try:
            size = self._pour(ask, answer, response, sink)
        except TooLarge as problem:
            raise _Failure(f"it is too large: {problem}", again=False, answer=answer) from None
        except Damaged as problem:
            raise _Failure(str(problem), again=True, answer=answer) from None
        return replace(answer.fetched(Status.OK, ask.url), size=size)

    def _pour(self, ask: _Ask, answer: Answer, response: httpcore2.Response, sink: _Sink) -> int:
        if answer.declared_bytes > ask.max_bytes:
            raise TooLarge(f"{answer.declared_bytes:,} bytes; the limit is {ask.max_bytes:,}")
        encoding = answer.headers.get("content-encoding", "")
        unpacker = Unpacker(encoding, max_bytes=ask.max_bytes, max_ratio=self.limits.max_ratio)
        size = 0
        for packed in response.iter_stream():
            if self._patience.left() <= 0:  # a fast stream without end never has to wait
                raise httpcore2.ReadTimeout("it is still being sent")
            for piece in unpacker.feed(packed):
                sink.write(piece)
                size += len(piece)
        unpacker.end()
        return size


def _validators(etag: str, last_modified: str) -> tuple[tuple[str, str], ...]:
    given = (("If-None-Match", etag), ("If-Modified-Since", last_modified))
    return tuple((name, value) for name, value in given if value and value.isascii() and value.isprintable())


def _location(answer: Answer) -> str:
    try:
        return answer.location()
    except ValueError as problem:
        raise _Failure(str(problem), again=False, answer=answer) from None


def _failed(ask: _Ask, failure: _Failure, attempts: int) -> Fetched:
    answer = failure.answer
    tries = f", {attempts} times" if attempts > 1 else ""
    patience = f" and asks to wait {failure.wait:,.0f} s" if failure.wait and failure.again else ""
    final = str(answer.url) if answer else ""
    status = answer.status if answer else 0
    return Fetched(
        Status.FAILED, ask.url, final, error=f"{failure.said}{tries}{patience}", http_status=status, attempts=attempts
    )


def _said(problem: Exception) -> str:
    return str(problem) or type(problem).__name__
