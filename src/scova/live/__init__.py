"""An index that keeps itself fresh: from a thread of a long-running door, or in the foreground of `scova watch`."""

from scova.live.live import Live
from scova.live.pace import Pace

__all__ = ["Live", "Pace"]
