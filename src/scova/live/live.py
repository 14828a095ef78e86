"""Live: keeps one index fresh, whoever else works with it.

    with Live(index):              in a thread, for as long as a door is open
        ...
    Live(index).run(stop)          in the foreground, until `stop` is set

Of all processes that want to watch an index one does, by a lock that dies with it; the others follow, and one of them takes over
at once. All of them hear of what was written to the index without being asked a question.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from scova import tokens
from scova.errors import IndexBusy, IndexClosed
from scova.index import Index
from scova.index.keeping import prepare
from scova.live.board import Board
from scova.live.hurry import Hurry
from scova.live.leader import Leader
from scova.live.pace import LOOK_EVERY, Pace, Stop
from scova.live.todo import Work
from scova.lock import holder, writer_lock
from scova.types import Watching, Worked
from scova.watch.state import watcher_of

_log = logging.getLogger(__name__)

_BEHIND_EVERY = 5.0  # seconds between attempts to heal a searcher that could not follow
_FORGET_EVERY = 60.0  # seconds that words are remembered which were met
_RESTART_AT_FIRST, _RESTART_AT_MOST = 0.5, 60.0


class Live:
    """Keeps one index fresh while it runs."""

    def __init__(
        self,
        index: Index,
        *,
        pace: Pace | None = None,
        tell: Callable[[Work, Worked], None] | None = None,
        tell_role: Callable[[str], None] | None = None,
    ) -> None:
        """`tell` hears of each piece of work that was done; `tell_role` who watches: empty for this process, else who."""
        self._index = index
        self._pace = pace or Pace.of(index.config)
        self._tell = tell or (lambda work, worked: None)
        self._tell_role = tell_role or (lambda who: None)
        self._board = Board()
        self._hurry = Hurry()
        self._told: str | None = None
        self._has_role = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> Watching:
        """What this watcher has done; a follower has done nothing yet."""
        return self._board.state

    @property
    def leads(self) -> bool:
        """Whether this process watches, and none before it."""
        return self._told == ""

    def settle(self, seconds: float) -> int:
        """Have what was saved before brought in without the pause that a watcher makes after a change, and wait for it, `seconds`
        at most; returns how many paths are known not to be in the index then. A follower can only tell what the watcher says.
        """
        began = time.monotonic()
        self._has_role.wait(seconds)
        if not self.leads:
            state = watcher_of(self._index.layout)
            return state.queue if state else 0
        return 0 if self._hurry.ask(seconds - (time.monotonic() - began)) else max(1, self.state.queue)

    def run(self, stop: Stop, *, undaunted: bool = False) -> None:
        """Watch, or follow whoever does, until `stop` is set. Only what makes it impossible to begin is raised, unless `undaunted`."""
        patience = _RESTART_AT_FIRST
        why = "start"
        while not stop.is_set() and not self._index.is_closed:
            started = time.monotonic()
            try:
                if self._lead(stop, why):
                    why = "restart"
                else:
                    why = "takeover"
                    stop.wait(LOOK_EVERY)
            except IndexClosed:
                return  # there is nothing to keep fresh any more
            except Exception:  # the top of a worker: it goes on whatever happens
                if self._told is None and not undaunted:
                    raise
                _log.exception("%s: watching failed, and begins anew", self._index.root)
                self._board.failed("watching failed, and began anew")
                patience = _RESTART_AT_FIRST if time.monotonic() - started > _RESTART_AT_MOST else 2 * patience
                stop.wait(min(patience, _RESTART_AT_MOST))
                why = "restart"

    def start(self) -> Self:
        """Watch in a thread of its own."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run_both, name="scova-live", daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Stop watching; work under way is given up at its next step. Stopping twice is fine."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def _run_both(self) -> None:
        """Watch, and beside it follow what is written, so that a long piece of work delays no reload."""
        follower = threading.Thread(target=self._follow, name="scova-follow", daemon=True)
        follower.start()
        try:
            self.run(self._stop, undaunted=True)
        finally:
            follower.join()

    def _follow(self) -> None:
        """Keep the searchers of this process up with the store, whoever writes."""
        heal_at, forget_at = 0.0, time.monotonic() + _FORGET_EVERY
        while not self._stop.wait(LOOK_EVERY):
            try:
                now = time.monotonic()
                self._index.keep_up(heal=now >= heal_at)
                heal_at = now + _BEHIND_EVERY if now >= heal_at else heal_at
                if now >= forget_at:
                    forget_at = now + _FORGET_EVERY
                    tokens.forget()
            except IndexClosed:
                return
            except Exception:  # noqa: BLE001 - the top of a worker, as above
                _log.exception("%s: cannot follow what was written", self._index.root)

    def _lead(self, stop: Stop, why: str) -> bool:
        """Watch until stopped, unless another process does: then not at all."""
        with self._lock() as is_ours:
            if is_ours:
                self._role("")
                Leader(self._index, self._pace, self._board, self._hurry, stop=stop, tell=self._tell).lead(why)
            return is_ours

    @contextmanager
    def _lock(self) -> Iterator[bool]:
        path = self._index.layout.watch_lock
        prepare(self._index.layout, self._index.root, self._index.config)
        lock = writer_lock(path)
        try:
            lock.__enter__()
        except IndexBusy:
            self._role(holder(path))
            yield False
            return
        try:
            yield True
        finally:
            lock.__exit__(None, None, None)

    def _role(self, who: str) -> None:
        if who != self._told:
            self._told = who
            self._has_role.set()
            self._tell_role(who)
