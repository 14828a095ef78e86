"""A folder of chunk files followed: it is read again when its files have changed and then left alone for a moment.

    for reload in follow(folder, stop):
        if reload.problem: …           the file that is damaged; the chunks from before are still served
        else: …                        reload.changes, for searchers

Puts together what reads the files (`chunks`) and what hears of changes (`watch`), and knows no more of either.
"""

import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from scova.chunks.exchange import names
from scova.chunks.folder import ChunkFolder
from scova.errors import ScovaError, WatchLost
from scova.types import Changes
from scova.watch.debounce import Debounce
from scova.watch.watcher import Watcher

QUIET_SECONDS = 0.5  # without a change, before the files are read again
MAX_WAIT_SECONDS = 2.0  # after the first change, whatever comes
_STEP = 0.05
_LOOK_EVERY = 2.0  # seconds: what the system does not tell is found by a stat per file


class Reload(NamedTuple):
    """What one reading brought."""

    changes: Changes
    problem: ScovaError | None = None  # why it brought nothing, and the chunks are those from before


def follow(
    folder: ChunkFolder,
    stop: threading.Event,
    *,
    quiet: float = QUIET_SECONDS,
    max_wait: float = MAX_WAIT_SECONDS,
) -> Iterator[Reload]:
    """Reload the folder now, and again whenever its files have changed and then not for `quiet` seconds, or `max_wait` after the
    first change. Ends when `stop` is set. Many writes in that time are one reload."""
    ears = _Ears(folder)
    debounce = Debounce(quiet=quiet, max_wait=max_wait)
    try:
        ears.listen()  # before the first reading, so that nothing written meanwhile is missed
        yield _reloaded(folder)
        while not stop.wait(_STEP):
            debounce.add(ears.heard(), time.monotonic())
            if debounce.take(time.monotonic()) and folder.changed():
                yield _reloaded(folder)
    finally:
        ears.close()


def _reloaded(folder: ChunkFolder) -> Reload:
    try:
        return Reload(folder.reload())
    except ScovaError as problem:
        return Reload(Changes(), problem)


class _Ears:
    """Hears of changes to the files of one folder; looks for them now and then, since not everything is told."""

    def __init__(self, folder: ChunkFolder) -> None:
        self._folder = folder
        self._watcher = Watcher(folder.path.resolve())
        self._next_look = 0.0

    def listen(self) -> None:
        """Begin, where that is possible; otherwise looking must do."""
        try:
            self._watcher.rewatch([""])
        except WatchLost:
            self._watcher.close()

    def heard(self) -> set[str]:
        """The files that changed since the last time."""
        try:
            told = {seen.path for seen in self._watcher.poll()} & names.ALL
        except WatchLost:
            self._watcher.close()
            told = set()
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _LOOK_EVERY
            if not self._watcher.folders:
                self.listen()  # the folder was not there, or is another one by now
            if self._folder.changed():
                told.add("")
        return told

    def close(self) -> None:
        """Stop listening."""
        self._watcher.close()
