"""Who has the graph built: the end of a foreground build, which waits for it, or a watcher, which does not.

Knows when and by which process, not how a graph is made.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from logging import getLogger
from pathlib import Path
from typing import NamedTuple

from scova.build.compaction.compact import NICENESS, settle
from scova.build.compaction.due import Place
from scova.stores.ann.metadata import VectorIndexMetadata
from scova.types import Progress, Report

_log = getLogger(__name__)


class Compaction(NamedTuple):
    """What came of the end of a build: whether a graph was built, and in what time."""

    hnsw_rebuild_triggered: bool = False
    hnsw_rebuild_ms: float = 0.0
    hnsw_skipped: bool = False


class Compactor:
    """The graph of one index. Needs no write lock of it, and keeps none from anybody."""

    def __init__(self, place: Place, *, threads: int = 0) -> None:
        self.place = place
        self._threads = threads  # in the foreground
        self._behind: threading.Thread | None = None
        self._starting = threading.Lock()

    def is_due(self) -> bool:
        """Whether a graph is worth building now. Costs about a millisecond."""
        return self.place.due() is not None

    def end_indexing(
        self, *, skip_hnsw_rebuild: bool = False, tell: Callable[[Progress], None] | None = None
    ) -> Compaction:
        """The end of a build: have the graph built if it is due, and wait for it; or, to skip that, mark it stale."""
        if not self.place.model:
            return Compaction()
        if skip_hnsw_rebuild:
            VectorIndexMetadata(self.place.layout).mark_stale()
            return Compaction(hnsw_skipped=True)
        settle(self.place)
        return self._run(tell, behind=False) if self.is_due() else Compaction()

    def finished(self, report: Report, tell: Callable[[Progress], None] | None = None) -> Report:
        """The report of a foreground build after its end, which says too what became of the graph."""
        done = self.end_indexing(tell=tell)
        triggered, milliseconds = done.hnsw_rebuild_triggered, done.hnsw_rebuild_ms
        return replace(report, hnsw_rebuild_triggered=triggered, hnsw_rebuild_ms=milliseconds)

    def start_if_due(self) -> bool:
        """Have the graph built behind, at low priority, if that is worth it and nobody is at it. Returns at once."""
        with self._starting:
            if not self.place.model or (self._behind is not None and self._behind.is_alive()):
                return False
            settle(self.place)
            if not self.is_due():
                return False
            self._behind = threading.Thread(target=self._run, kwargs={"behind": True}, name="compaction", daemon=True)
            self._behind.start()
            return True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for what was started here; whether it has come to its end."""
        if self._behind is not None:
            self._behind.join(seconds)
        return self._behind is None or not self._behind.is_alive()

    def _run(self, tell: Callable[[Progress], None] | None = None, *, behind: bool) -> Compaction:
        """One compaction in a process of its own. Whatever becomes of it, there is no less to search than before."""
        started = time.monotonic()
        process = self._process(behind=behind)
        try:
            rebuilt = self._followed(process, tell)
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
            if process.stdout:
                process.stdout.close()
        if process.returncode:
            _log.warning("%s: no graph was built: exit code %d", self.place.layout.root, process.returncode)
        milliseconds = round(1000 * (time.monotonic() - started), 1)
        return Compaction(rebuilt, milliseconds if rebuilt else 0.0)

    def _process(self, *, behind: bool) -> "subprocess.Popen[bytes]":
        place = self.place
        told = {
            "data": str(place.layout.root),
            "model": place.model,
            "store_id": place.store_id,
            "ann_from": place.ann_from,
            "threads": 1 if behind else self._threads,
            "niceness": NICENESS if behind else 0,
        }
        here = str(Path(__file__).parents[3])  # where this package is found, however it was
        paths = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "scova.build.compaction.compact", json.dumps(told)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=behind,  # an interrupt at the terminal is not meant for it
        )

    def _followed(self, process: "subprocess.Popen[bytes]", tell: Callable[[Progress], None] | None) -> bool:
        """Pass on what the process says of its progress; whether it built a graph."""
        rebuilt = False
        for line in process.stdout or ():
            said = json.loads(line)
            rebuilt = bool(said.get("rebuilt"))
            if "error" in said:
                _log.warning("%s: no graph was built: %s", self.place.layout.root, said["error"])
            if tell and "done" in said:
                tell(Progress("graph", said["done"], said["total"]))
        return rebuilt
