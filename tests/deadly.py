"""Content that takes down the process that reads it, for tests of who survives that."""

import os
import signal
from dataclasses import dataclass

from scova.server.tenants.pushed import PushedSource


@dataclass(frozen=True, slots=True)
class DeadlySource(PushedSource):
    """As parsers do it: the process is gone, with no exception to catch. Never in the process of the tests."""

    survivor: int = 0

    def read(self, item):
        if item.path.startswith("deadly") and os.getpid() != self.survivor:
            os.kill(os.getpid(), signal.SIGSEGV)
        return PushedSource.read(self, item)
