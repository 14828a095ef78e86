"""Questions that cannot wait for the pause after a change: whoever asks one rings, and hears when nothing is left to be done.

Knows neither what is to be done nor who does it.
"""

import threading


class Hurry:
    """Between those who ask and the one who works."""

    def __init__(self) -> None:
        self._moved = threading.Condition()
        self._asked = 0  # how often someone rang
        self._heard = 0  # what the worker knew of when it last began
        self._done = 0  # and what of that is done

    @property
    def is_on(self) -> bool:
        """Whether someone waits."""
        return self._asked > self._done

    def ask(self, seconds: float) -> bool:
        """Wait until everything that happened before is done, `seconds` at most; whether it is."""
        with self._moved:
            self._asked += 1
            mine = self._asked
            self._moved.notify_all()
            return self._moved.wait_for(lambda: self._done >= mine, seconds)

    def hear(self) -> None:
        """The worker begins: whoever has rung by now is waiting for what it finds from here on."""
        self._heard = self._asked

    def answer(self) -> None:
        """The worker has nothing left to do."""
        with self._moved:
            self._done = self._heard
            self._moved.notify_all()

    def pause(self, seconds: float) -> None:
        """The worker rests, until someone rings whom it has not heard."""
        with self._moved:
            self._moved.wait_for(lambda: self._asked > self._heard, seconds)
