"""How soon things are done, in seconds. Knows what a user may choose; everything else is fixed, with its reason."""

from dataclasses import dataclass
from typing import Protocol

from scova.config import Config

# A look costs microseconds, but waking up for it a tenth of a millisecond: rarely while nothing happens.
STEP, IDLE_STEP = 0.05, 0.15
IDLE_AFTER = 5.0
LOOK_EVERY = 0.25  # at the lock, and at what others wrote: well within one debounce
TELL_EVERY = 0.3  # writes of the state, unless something important happened
BUSY_EVERY = 0.2  # attempts while another process is writing


class Stop(Protocol):
    """Says when to end: an Event of threading, or the like."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class Pace:
    """What a user may choose."""

    quiet: float = 0.5  # without a change, before changes are acted upon
    max_wait: float = 2.0  # after the first change, whatever comes
    bulk: int = 100  # more changed paths than that are one look at the whole tree

    @classmethod
    def of(cls, config: Config) -> "Pace":
        """What the settings say."""
        return cls(config.watch_quiet_ms / 1000, config.watch_max_wait_ms / 1000, config.watch_bulk)
