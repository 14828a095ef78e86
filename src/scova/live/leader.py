"""The one watcher of an index: takes what the Lookout notices to the index, until it is stopped.

Nothing that was noticed is dropped: it waits while another process writes, and what failed is tried again as a look at the
whole tree. No failure ends it.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress

from scova import tokens
from scova.config import reread, user_file
from scova.core.path_text import stored
from scova.errors import IndexBusy, IndexClosed, ScovaError
from scova.index import Index
from scova.live.board import Board
from scova.live.hurry import Hurry
from scova.live.pace import BUSY_EVERY, IDLE_AFTER, IDLE_STEP, LOOK_EVERY, STEP, Pace, Stop
from scova.live.sweeps import Sweeps
from scova.live.todo import Todo, Work
from scova.lock import holder
from scova.sources.trail import Trail
from scova.stores.layout import inode_of
from scova.types import Progress, Report, Worked
from scova.watch.bell import Bell
from scova.watch.debounce import Debounce
from scova.watch.lookout import Lookout, Noticed

_log = logging.getLogger(__name__)

_PATIENCE_AT_FIRST, _PATIENCE_AT_MOST = 1.0, 60.0  # seconds before what failed is tried again: doubled each time
_TRACKED = "tracked"  # noticed, but no reason by itself: many a `git status` looks like it

Tell = Callable[[Work, Worked], None]


class _CutShort(Exception):
    """Work was given up on the way, because the end has come. What was committed is kept, the rest is found at the next start."""


class Leader:
    """Keeps one index fresh. The caller holds the watch lock."""

    def __init__(self, index: Index, pace: Pace, board: Board, hurry: Hurry, *, stop: Stop, tell: Tell) -> None:
        self._index = index
        self._stop = stop
        self._hurry = hurry
        self._reopened: Index | None = None  # with settings that were changed since
        self._board = board
        self._tell = tell
        debounce = Debounce(quiet=pace.quiet, max_wait=pace.max_wait)
        self._lookout = Lookout(index.root, debounce, [stored(user_file())], Bell(index.layout.bell_folder))
        self._todo = Todo(pace.bulk)
        now = time.monotonic()
        self._sweeps = Sweeps(now)
        self._heard = now
        self._look_at, self._work_at, self._say_at = 0.0, 0.0, 0.0
        self._patience = _PATIENCE_AT_FIRST
        self._store = inode_of(self._index.layout.store_db)
        self._waits_for = ""

    def lead(self, why: str) -> None:
        """Watch, then look at the whole tree because of `why`, then act on every change, until stopped or not the leader any more."""
        try:
            self._say(time.monotonic())
            self._lookout.begin(self._trail(), time.monotonic())
            self._todo.add((), (why,))
            while not self._stop.is_set() and self._leads():
                self._hurry.hear()
                self._step(time.monotonic())
                if self._is_done:
                    self._hurry.answer()
                self._hurry.pause(self._pause(time.monotonic()))
        finally:
            self._lookout.close()
            if self._reopened is not None:
                self._reopened.close()
            with suppress(OSError):  # it speaks of a process that watches no more
                self._index.layout.watch_state.unlink()

    @property
    def _writer(self) -> Index:
        return self._reopened or self._index

    @property
    def _is_done(self) -> bool:
        """Whether everything that is known of is in the index."""
        return self._todo.next() is None and not self._lookout.waiting and not self._lookout.is_root_gone

    def _step(self, now: float) -> None:
        noticed = self._lookout.look(now, at_once=self._hurry.is_on)
        if any(noticed):
            self._take(noticed, now)
        work = self._todo.next()
        if self._lookout.is_root_gone:
            self._heard = now
        elif work is None:
            blind = self._lookout.is_blind
            if self._sweeps.is_due(now, blind=blind) or (blind and self._hurry.is_on):
                self._sweep(now)
        elif now >= self._work_at:
            self._do(work, now)
        if work or any(noticed) or now >= self._say_at:
            self._say(time.monotonic())

    def _take(self, noticed: Noticed, now: float) -> None:
        if noticed.events or noticed.reasons:
            self._heard = now
            self._sweeps.changed(now)
        self._board.count("events", noticed.events)
        self._board.count("batches", bool(noticed.paths))
        reasons = set(noticed.reasons) - {_TRACKED}
        if "settings" in reasons:
            reasons.remove("settings")
            if self._reopen():
                reasons.add("rules")
        self._todo.add(noticed.paths, reasons)

    def _do(self, work: Work, now: float) -> None:
        """One piece of work; when it cannot be done now, it stays to be done."""
        try:
            report = self._writer.refresh(self._go_on) if work.reason else self._writer.update(work.paths, self._go_on)
        except _CutShort:
            return
        except IndexClosed:
            raise  # nothing can be brought in any more
        except IndexBusy as busy:
            self._waits_for = busy.message
            self._work_at = time.monotonic() + BUSY_EVERY
            self._board.count("busy")
        except Exception as error:  # noqa: BLE001 - whatever happens to one piece of work, the next look at the tree mends it
            self._failed(error, time.monotonic())
        else:
            self._todo.done(work)
            self._finished(work, report, now)

    def _go_on(self, progress: Progress) -> None:
        if self._stop.is_set():
            raise _CutShort

    def _finished(self, work: Work, report: Report, started: float) -> None:
        now = time.monotonic()
        self._patience, self._waits_for, self._work_at = _PATIENCE_AT_FIRST, "", 0.0
        self._store = inode_of(self._index.layout.store_db)
        worked = self._board.worked(work, report, now - started)
        if worked.changed or not work.again:
            self._tell(work, worked)
        if work.reason:
            self._sweeps.covered(started)
            self._lookout.covered()
        if work.reason == "sweep" and worked.changed:
            _log.info("%s: %d changes were not told; everything is watched anew", self._index.root, worked.changed)
            self._lookout.renew(now)  # which is a reason for one more look
        if (trail := self._trail()) is not None:
            self._todo.look_again(self._lookout.follow(trail, now))
        if worked.changed:
            self._compact()

    def _trail(self) -> Trail | None:
        """What was walked, as far as that is known; a store that cannot be read shows when there is work to do."""
        try:
            return self._writer.trail
        except ScovaError:
            return None

    def _compact(self) -> None:
        """Have the graph over the vectors built behind, if it is time; searches do without meanwhile."""
        try:
            self._writer.compactor.start_if_due()
        except Exception as error:  # noqa: BLE001 - nothing depends on it, and the next change tries again
            _log.warning("%s: no graph is built: %s", self._index.root, error)
            self._board.failed(f"{type(error).__name__}: {error}")

    def _failed(self, error: Exception, now: float) -> None:
        known = isinstance(error, ScovaError | OSError)
        _log.log(logging.WARNING if known else logging.ERROR, "%s: %s", self._index.root, error, exc_info=not known)
        self._board.failed(f"{type(error).__name__}: {error}")
        self._todo.add((), ("error",))
        self._work_at = now + self._patience
        self._patience = min(2 * self._patience, _PATIENCE_AT_MOST)

    def _sweep(self, now: float) -> None:
        """Compare everything by stats; what differs is work like any other."""
        try:
            stale = self._writer.is_stale()
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error, time.monotonic())
            return
        self._sweeps.took(time.monotonic() - now)
        if stale:
            self._todo.add((), ("sweep",))
        else:
            self._sweeps.covered(now)
            self._board.swept()
            if not self._hurry.is_on:
                self._tidy()

    def _tidy(self) -> None:
        """Do what updates put off, now that nothing else is to be done, and let go of what they left in memory."""
        tokens.forget()
        try:
            self._writer.tidy()
        except IndexBusy:
            pass  # the next time that things are quiet will do
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error, time.monotonic())

    def _reopen(self) -> bool:
        """Take settings that changed into use; whether any did. The index stays where it is."""
        try:
            config = reread(self._writer.config, self._index.root)
        except ScovaError as error:
            self._board.failed(error.message)
            return False
        if config == self._writer.config:
            return False
        if self._reopened is not None:
            self._reopened.close()
        self._reopened = Index(self._index.root, self._index.layout, config)
        return True

    def _leads(self) -> bool:
        """Whether the lock is still there to be held, and the store is the one that is open; looked at now and then."""
        if self._index.is_closed:
            return False
        now = time.monotonic()
        if now < self._look_at:
            return True
        self._look_at = now + 2 * LOOK_EVERY
        if inode_of(self._index.layout.store_db) != self._store:
            _log.warning("%s: the index was replaced; it is opened anew", self._index.root)
            self._store = inode_of(self._index.layout.store_db)
            self._writer.keep_up()
            self._todo.add((), ("restart",))
        return bool(holder(self._index.layout.watch_lock))

    def _pause(self, now: float) -> float:
        if self._hurry.is_on and now >= self._work_at and self._todo.next() is not None:
            return 0.0
        step = IDLE_STEP if now - self._heard > IDLE_AFTER else STEP
        due = self._lookout.due_at()
        return step if due is None else min(step, max(0.0, due - now))

    def _say(self, now: float) -> None:
        lookout, self._say_at = self._lookout, now + LOOK_EVERY
        state = "waiting" if lookout.is_root_gone else "polling" if lookout.is_blind else "watching"
        self._board.tell(
            self._index.layout.watch_state,
            now,
            state="starting" if not self._board.has_worked else state,
            note="; ".join(word for word in (lookout.trouble, self._waits_for) if word),
            branch=lookout.branch,
            folders=lookout.folders,
            queue=lookout.waiting + len(self._todo),
        )
