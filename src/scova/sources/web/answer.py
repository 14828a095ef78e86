"""Reads one HTTP answer: what its status means, where it redirects to, what its headers say.

Knows nothing of connections, retries or limits.
"""

import http
from dataclasses import dataclass

import httpcore2
import httpx2

from scova.sources.web.fetched import Fetched, Status
from scova.sources.web.polite import retry_after

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_RETRIED = frozenset((408, 425, 429))
_GONE = frozenset((404, 410))


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and headers of an answer to a request for `url`."""

    url: httpx2.URL
    status: int
    headers: httpx2.Headers

    @property
    def is_redirect(self) -> bool:
        return self.status in _REDIRECTS and "location" in self.headers

    @property
    def is_worth_retrying(self) -> bool:
        return self.status in _RETRIED or self.status >= 500

    @property
    def is_gone(self) -> bool:
        return self.status in _GONE

    @property
    def has_content(self) -> bool:
        return 200 <= self.status < 300 and self.status != 206  # nobody asked for a part

    @property
    def wait(self) -> float | None:
        """The seconds that the server asks to wait; None when it does not."""
        return retry_after(self.headers.get("retry-after", ""))

    @property
    def said(self) -> str:
        """The status in words."""
        try:
            return f"the server answered {self.status} ({http.HTTPStatus(self.status).phrase})"
        except ValueError:
            return f"the server answered {self.status}"

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        for parameter in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip("\"'").lower()
        return ""

    @property
    def declared_bytes(self) -> int:
        """The size that the server announces; 0 when it does not."""
        text = self.headers.get("content-length", "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0

    def location(self) -> str:
        """Where a redirect leads to; ValueError if that is no URL."""
        try:
            return str(self.url.join(self.headers["location"]))
        except (httpx2.InvalidURL, TypeError) as problem:
            raise ValueError(f"it redirects to something that is not a URL: {problem}") from None

    def fetched(self, status: Status, asked: str) -> Fetched:
        """What the headers say of the outcome of a request for the URL `asked`."""
        return Fetched(
            status,
            asked,
            str(self.url),
            media_type=self.media_type,
            charset=self.charset,
            etag=self.headers.get("etag", ""),
            last_modified=self.headers.get("last-modified", ""),
            http_status=self.status,
        )


def answer_of(url: httpx2.URL, response: httpcore2.Response) -> Answer:
    """The answer that a response begins with."""
    return Answer(url, response.status, httpx2.Headers(response.headers))
