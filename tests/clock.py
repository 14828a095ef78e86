"""A clock that goes on only when someone waits by it: how long was waited is counted, and costs no time on any machine."""

import threading
import time


class Clock:
    """In the place of the module `time`, for the modules that a test names."""

    def __init__(self, monkeypatch, *modules, stands=False):
        """With `stands` it does not even go on then: threads that wait at once are told how long by the same moment."""
        self.now = 1000.0
        self.slept = []  # seconds, in order
        self.lock = threading.RLock()
        self._stands = stands
        for module in modules:
            monkeypatch.setattr(module, "time", self)

    def monotonic(self):
        with self.lock:
            return self.now

    def sleep(self, seconds):
        with self.lock:
            self.slept.append(seconds)
            self.now += 0.0 if self._stands else seconds

    def __getattr__(self, name):
        return getattr(time, name)
