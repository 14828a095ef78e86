"""Keeps a project on a server up with a folder: looks at the folder when asked, and pushes what has changed since.

A look costs a stat per file; what is pushed is what differs from what the server is known to have. It is done by one thread, so that
whoever asks need not wait longer than they want to. Nothing is kept on this machine.
"""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from scova.errors import Cancelled, ScovaError
from scova.push.address import Address
from scova.push.memory import Memory
from scova.push.pace import PATIENT, Patience
from scova.push.push import Push, PushOptions
from scova.push.result import Pushed
from scova.push.server import Forbidden
from scova.types import Progress, Skip

HASTY = Patience(attempts=2, answered=2, seconds=60.0)  # while someone waits for an answer

_STOP_SECONDS = 2.0  # for a request under way; what it brings is as good without us
_log = logging.getLogger(__name__)

Tell = Callable[[Progress], None]


class Settled(NamedTuple):
    """How many files are known not to be on the server as they are here, and what is in the way, in words."""

    pending: int = 0
    problem: str = ""


class _Last(NamedTuple):
    """What came of the last look, as one value: whoever asks meanwhile gets both from the same look."""

    pending: int = 0
    problem: ScovaError | None = None


class Following:
    """One folder, and the project that follows it. Stop it in the end."""

    def __init__(self, address: Address, project: str, folder: Path) -> None:
        self.folder = folder
        self.project = project
        self._address = address
        self._memory = Memory()
        self._last = _Last()
        self._pass = threading.Lock()  # one look at a time
        self._news = threading.Condition()
        self._wanted = self._done = 0  # looks: asked for, and come to their end
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_known(self) -> bool:
        """Whether it has been compared with the server, and nobody doubts it."""
        return self._memory.held is not None

    @property
    def change_seq(self) -> int:
        """The change at which the project was when it was last pushed to."""
        return self._memory.change_seq

    @property
    def left_out(self) -> tuple[Skip, ...]:
        """What is not pushed, and why, as of the last look."""
        return self._memory.left_out

    @property
    def problem(self) -> ScovaError | None:
        """What was in the way of the last look; None when nothing was."""
        return self._last.problem

    @property
    def is_forbidden(self) -> bool:
        """Whether the token does not allow to push. Only `push` finds out that it does by now."""
        return isinstance(self._last.problem, Forbidden)

    def push(self, tell: Tell | None = None, *, force: bool = False) -> Pushed:
        """Look now, and push what is to be pushed, however long it takes; with `force`, read every file again and compare them all."""
        with self._pass:
            if force:
                self._memory = Memory()
            return self._run(PushOptions(replaces=False, patience=PATIENT), tell)

    def settle(self, seconds: float) -> Settled:
        """Have what was saved before brought to the server, and wait for it, `seconds` at most."""
        with self._news:
            self._wanted += 1
            turn = self._wanted
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="scova-follow", daemon=True)
                self._thread.start()
            self._news.notify_all()
            if not self._news.wait_for(lambda: self._done >= turn or self._stopping.is_set(), seconds):
                return Settled(max(1, self._last.pending))
        pending, problem = self._last
        return Settled(pending, f"{problem.message}; {problem.hint}" if problem else "")

    def doubt(self) -> None:
        """Compare with the server at the next look: it has changed, and not from here."""
        self._memory.doubt()

    def stop(self) -> None:
        """Look no more; a push under way ends with its next request."""
        self._stopping.set()
        with self._news:
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def _work(self) -> None:
        while not self._stopping.is_set():
            with self._news:
                self._news.wait_for(lambda: self._wanted > self._done or self._stopping.is_set())
                turn = self._wanted
            try:
                with self._pass:
                    self._run(PushOptions(replaces=False, patience=HASTY, alone=HASTY), None)
            except (ScovaError, OSError):
                pass  # kept as the problem
            except Exception as error:  # noqa: BLE001 - the top of a worker: it goes on whatever happens
                _log.exception("%s: cannot be pushed", self.folder)
                self._failed(ScovaError(f"{self.folder} cannot be pushed ({error!r})", "the log has the details"))
            with self._news:
                self._done = turn
                self._news.notify_all()

    def _run(self, options: PushOptions, tell: Tell | None) -> Pushed:
        heard = tell or (lambda advance: None)
        push = Push(self._address, self.project, options, tell=heard, stop=self._stopping.is_set)
        try:
            done = push.run(self.folder, self._memory)
        except Cancelled:
            raise
        except ScovaError as error:
            self._failed(error)
            raise
        except OSError as error:
            self._failed(ScovaError(f"{self.folder} cannot be read: {error.strerror or error}", "make it readable"))
            raise
        self._last = _Last(done.left, ScovaError(done.message, "ask again") if done.ended_early else None)
        return done

    def _failed(self, problem: ScovaError) -> None:
        self._last = _Last(max(1, self._last.pending), problem)
