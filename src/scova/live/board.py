"""What Live has done, counted, and told to other processes through the state file. Never fails: what cannot be written is not."""

import logging
import os
import time
from collections import Counter
from pathlib import Path

from scova.live.pace import TELL_EVERY
from scova.live.todo import Work
from scova.types import Report, Watching, Worked
from scova.watch.state import write_state

_log = logging.getLogger(__name__)


_COUNTED = ("events", "batches", "updates", "looks", "busy", "errors")


class Board:
    """Counters of one watcher. Only its own thread changes them; `state` is one reference, for anyone to read."""

    def __init__(self) -> None:
        self.state = Watching(os.getpid(), _stamp(time.time()), "starting")
        self._counts: Counter[str] = Counter()
        self._reconciles: Counter[str] = Counter()
        self._last_error = ""
        self._last_batch: Worked | None = None
        self._is_news = self._is_unwritten = True
        self._complained = False
        self._next = 0.0

    @property
    def has_worked(self) -> bool:
        """Whether anything came to its end yet."""
        return self._last_batch is not None

    def count(self, what: str, number: int = 1) -> None:
        """Something happened that is only counted: events, batches, busy, looks."""
        self._counts[what] += number

    def swept(self) -> None:
        """The whole tree was looked at, and nothing was found."""
        self._reconciles["sweep"] += 1

    def worked(self, work: Work, report: Report, seconds: float) -> Worked:
        """A piece of work came to its end."""
        changed = report.added + report.changed + report.removed + report.moved
        how = "reconcile" if work.reason else "update"
        ms = round(1000 * seconds, 1)
        done = Worked(how, work.reason, _stamp(time.time()), len(work.paths), changed, ms, report.change_seq)
        if work.reason:
            self._reconciles[work.reason] += 1
        else:
            self._counts["looks" if work.again else "updates"] += 1
        if changed or not work.again:
            self._last_batch = done
        self._last_error, self._is_news = "", True
        return done

    def failed(self, what: str) -> None:
        """Something went wrong; it is shown until something went well again."""
        self._counts["errors"] += 1
        self._last_error, self._is_news = what, True

    def tell(self, path: Path, now: float, *, state: str, note: str, **current: "int | str") -> None:
        """Say how things stand, here at once, in the file when it is time. `current` are fields of Watching."""
        said = Watching(
            pid=self.state.pid,
            since=self.state.since,
            state=state,
            note=note,
            **current,  # type: ignore[arg-type]
            **{name: self._counts[name] for name in _COUNTED},  # type: ignore[arg-type]
            reconciles=dict(self._reconciles),
            last_error=self._last_error,
            last_batch=self._last_batch,
        )
        self._is_news = self._is_news or _gist(said) != _gist(self.state)
        self._is_unwritten = self._is_unwritten or said != self.state
        self.state = said
        if self._is_unwritten and (self._is_news or now >= self._next):
            self._is_news, self._next = False, now + TELL_EVERY
            self._write(path)

    def _write(self, path: Path) -> None:
        try:
            write_state(path, self.state)
        except FileNotFoundError:
            pass  # a writer cleared up beside it; the next time will do
        except OSError as error:
            if not self._complained:
                _log.warning("cannot write %s: %s", path, error)
            self._complained = True
        else:
            self._is_unwritten = self._complained = False


def _gist(state: Watching) -> tuple[str, str, str]:
    return state.state, state.note, state.branch


def _stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(seconds))
