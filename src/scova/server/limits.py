"""How much a server takes: of one request, of one token in a second, of all requests at once. Knows numbers and a clock."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scova.config import Config

_MOST_BUCKETS = 10_000  # tokens and addresses that are remembered
_MANIFEST = 4  # times as large as anything else: it has a line for every file of a project
QUESTION_SECONDS = 5.0  # for one question over HTTP, unless the setting says otherwise
_BODIES = 32  # of the largest size, held in memory at once


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server takes."""

    body_bytes: int = 8_388_608
    batch_files: int = 100
    rate: int = 100  # requests a second for each token; 0: any number
    body_seconds: float = 30.0  # for a body to arrive
    requests: int = 256  # under way at once
    connections: int = 1024  # open at once; fewer where the system lets a process open few files
    question_seconds: float = QUESTION_SECONDS  # for one question, before it is answered with what was found
    answer_bytes: int = 64_000_000  # that one answer may hold
    head_seconds: float = 10.0  # for the head of a request to arrive
    idle_seconds: int = 30  # until a connection without a request is closed
    stalled_seconds: float = 30.0  # until one is closed that takes nothing of its answer
    pause_seconds: float = 2.0  # until one whose body hardly arrives may be closed for another, where no place is left

    @property
    def bytes_held(self) -> int:
        """Of all bodies at once."""
        return _BODIES * self.body_bytes

    def body_for(self, path: str) -> int:
        """How large a body may be on this route."""
        return _MANIFEST * self.body_bytes if path == "/sync" else self.body_bytes

    @classmethod
    def of(cls, config: "Config") -> "Limits":
        """What the settings say."""
        return cls(
            config.serve_max_body_bytes,
            config.serve_batch_files,
            config.serve_rate,
            question_seconds=config.deadline_ms / 1000 or QUESTION_SECONDS,
        )


class Rate:
    """So many requests a second for each name, twice as many at once."""

    def __init__(self, rate: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and as of when
        self._lock = threading.Lock()

    def wait(self, name: str) -> float:
        """Take one; 0 when there was one, else the seconds until there is."""
        if not self._rate:
            return 0.0
        now, most = self._clock(), 2.0 * self._rate
        with self._lock:
            left, since = self._buckets.pop(name, (most, now))
            left = min(most, left + (now - since) * self._rate)
            taken = left >= 1.0
            self._buckets[name] = (left - taken, now)
            if len(self._buckets) > _MOST_BUCKETS:
                self._buckets.popitem(last=False)
        return 0.0 if taken else (1.0 - left) / self._rate
