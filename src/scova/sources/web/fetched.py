"""What fetching gives, and the limits it keeps. Plain values, without behaviour."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """What became of a request."""

    OK = "ok"
    UNCHANGED = "unchanged"  # the server says that it is as it was
    GONE = "gone"  # the server says that there is no such thing
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much, how long and how often. Times are in seconds."""

    max_bytes: int = 200_000_000  # as sent and as unpacked, each
    max_ratio: float = 200.0  # how many times its size something may unpack to, once that is some megabytes
    seconds: float = 30.0  # for one attempt with all its redirects
    download_seconds: float = 300.0  # the same, into a file
    redirects: int = 10
    attempts: int = 3
    first_wait: float = 0.5  # after the first failure; doubled after each
    longest_wait: float = 60.0  # what a server may ask for; who asks for more is left alone
    delay: float = 0.1  # between calls to one host


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of a request, and what it brought."""

    status: Status
    url: str  # as asked
    final_url: str = ""  # after redirects
    content: bytes = b""  # empty after a download, which lies in its file
    size: int = 0
    media_type: str = ""  # lower case, without parameters
    charset: str = ""  # as the header says
    etag: str = ""
    last_modified: str = ""
    error: str = ""  # why it failed or is gone, in words
    http_status: int = 0  # 0 when no server answered
    attempts: int = 0

    @property
    def is_ok(self) -> bool:
        """Whether there is content."""
        return self.status is Status.OK
