"""What a host's robots.txt lets us fetch, asked once per host and run.

As RFC 9309 says: where there is none (4xx), everything may be fetched; where it cannot be had now (5xx, 429, no answer), nothing
may, for now. Knows nothing of how the file is fetched.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from protego import Protego

from scova.sources.web.fetched import Fetched, Status

AGENT_NAME = "scova"
MAX_ROBOTS_BYTES = 2_000_000

_READ_BYTES = 512_000  # the standard asks for 500 KiB; what comes after may be passed over
_TOO_MANY = 429


class Verdict(NamedTuple):
    """Whether a page may be fetched; if not, `reason` says why, and `for_now` whether it may be another time."""

    allowed: bool
    reason: str = ""
    for_now: bool = False


@dataclass(frozen=True, slots=True)
class _Rules:
    """What one host says. Without `parser` the verdict is the same for all its pages."""

    parser: Protego | None
    verdict: Verdict


_ALL = _Rules(None, Verdict(True))


class Robots:
    """The rules of every host that is asked about. Safe to share by threads."""

    def __init__(
        self, fetch: Callable[[str], Fetched], *, agent: str = AGENT_NAME, longest_delay: float = 30.0
    ) -> None:
        """`fetch` gets a robots.txt; `longest_delay` is the most seconds between calls that a host may ask for."""
        self._fetch = fetch
        self._agent = agent
        self._longest_delay = longest_delay
        self._lock = threading.Lock()
        self._rules: dict[str, Future[_Rules]] = {}

    def verdict(self, url: str) -> Verdict:
        """Whether this page may be fetched."""
        rules = self._of(url)
        if rules.parser is None:
            return rules.verdict
        if rules.parser.can_fetch(url, self._agent):
            return rules.verdict
        return Verdict(False, "the host's robots.txt does not allow it")

    def delay(self, url: str) -> float:
        """The seconds that the host wants between two calls, capped; 0 when it says nothing."""
        parser = self._of(url).parser
        if parser is None:
            return 0.0
        wanted = parser.crawl_delay(self._agent) or 0.0
        rate = parser.request_rate(self._agent)
        if rate is not None and rate.requests > 0:
            wanted = max(wanted, rate.seconds / rate.requests)
        return min(wanted, self._longest_delay) if wanted > 0 else 0.0  # a delay that is no number is none

    def _of(self, url: str) -> _Rules:
        """The rules for a URL's host; asked for by the first who wants them, while others wait for the answer."""
        try:
            origin = _origin(url)
        except ValueError:
            return _Rules(None, Verdict(False, "this is not a URL"))
        with self._lock:
            future = self._rules.get(origin)
            is_first = future is None
            if future is None:
                future = self._rules[origin] = Future()
        if is_first:
            self._ask(origin, future)
        return future.result()

    def _ask(self, origin: str, future: Future[_Rules]) -> None:
        try:
            future.set_result(self._read(self._fetch(f"{origin}/robots.txt")))
        except BaseException as problem:
            with self._lock:
                del self._rules[origin]  # whoever asks next tries again
            future.set_exception(problem)
            raise

    def _read(self, fetched: Fetched) -> _Rules:
        if fetched.status is Status.OK:
            return _Rules(Protego.parse(_text(fetched.content)), Verdict(True))
        if fetched.status is Status.GONE or (300 <= fetched.http_status < 500 and fetched.http_status != _TOO_MANY):
            return _ALL
        reason = f"robots.txt cannot be had now, so nothing may be fetched: {fetched.error}"
        return _Rules(None, Verdict(False, reason, for_now=True))


def _text(content: bytes) -> str:
    """As much of the file as counts, without half a line at the end."""
    if len(content) > _READ_BYTES:
        content = content[:_READ_BYTES].rpartition(b"\n")[0]
    return content.decode("utf-8-sig", errors="replace")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2].lower()}"
