"""Jobs: the engine of one process. It takes up what waits in the ledger, from whichever process it came, a few jobs at a time.

    with Jobs(ledger, {"index": index_runner()}) as jobs:
        job = jobs.submit("index", "path/to/project")     returns at once
        jobs.get(job.job_id), jobs.cancel(job.job_id), jobs.wait(job.job_id, 5.0)

All state is in the ledger: an engine that is killed loses nothing, and the next one goes on. Submitting and asking need no engine
that was started. Knows nothing of what its runners do.
"""

import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from scova.errors import Cancelled, IndexBusy, ScovaError, StoreAway, UsageError
from scova.jobs.holding import TELL_EVERY, Holding
from scova.jobs.state import StateFile
from scova.protocols import JobLedger
from scova.stores.jobs import stamp
from scova.types import Hold, Job, Progress

Runner = Callable[[Job, Callable[[Progress], None]], Mapping[str, object]]

_LOOK_EVERY = 0.5  # seconds between looks for jobs of other processes
_WAIT_STEP = 0.1  # seconds between looks at a job that someone waits for
_BUSY_PAUSE = 1.0  # seconds before a job is tried again that another process kept from its index
_AWAY_PAUSE = 2.0  # seconds before a database that does not answer is asked again
_STOP_SECONDS = 10.0
_MOST = 1000  # jobs under way that are looked at
_STOPPED = "its process ended; it goes on with the next"

_log = logging.getLogger(__name__)


class _End(NamedTuple):
    """How an attempt ended; `queued` when it is to be made again."""

    status: str
    message: str = ""
    result: Mapping[str, object] = {}
    pause_seconds: float = 0.0


class Jobs:
    """The jobs of a ledger, and the threads that do them while the engine is started: one, unless more `workers` are wanted."""

    def __init__(self, ledger: JobLedger, runners: Mapping[str, Runner], *, workers: int = 1) -> None:
        """`runners` by kind of job; jobs of other kinds are left to others. A result with `failed` in it makes a job partial."""
        self._ledger = ledger
        self._runners = runners
        self._state = StateFile(ledger)
        self._workers = workers
        self._threads: list[threading.Thread] = []
        self._holdings: dict[str, Holding] = {}  # by id of the job; each is put and taken by the worker that has it
        self._seen: Sequence[tuple[str, str]] = ()
        self._wake = threading.Event()  # the worker: there may be something to do
        self._news = threading.Event()  # the clerk: there is something to write down
        self._stopping = threading.Event()
        self._told = threading.Condition()

    def submit(self, kind: str, path: str, *, project_id: str = "", options: Mapping[str, object] | None = None) -> Job:
        """Have something done to what `path` names: a folder, resolved, or whatever the runner knows by that name. The same that is
        queued or running already is returned instead of a second.

        An option that is None or False counts as not given.
        """
        if kind not in self._runners:
            raise UsageError(f"there is no kind of job `{kind}`", f"there is {', '.join(sorted(self._runners))}")
        folder = _written(path)
        given = {name: value for name, value in (options or {}).items() if value is not None and value is not False}
        job_id = f"{kind}-{secrets.token_hex(5)}"
        named = project_id or Path(folder).name
        job = self._ledger.submit(Job(job_id, kind, named, folder, "queued", created_at=stamp(), options=given))
        self._wake.set()
        self._changed()
        return job

    def get(self, job_id: str) -> Job:
        """The job as it stands; UsageError when there is none of that id."""
        return _known(self._ledger.get(job_id), job_id)

    def list(self, limit: int = 20, *, project_id: str = "") -> Sequence[Job]:
        """The newest jobs first, of all processes; of one project, when it is named."""
        return self._ledger.list(limit, project_id=project_id)

    def cancel(self, job_id: str) -> Job:
        """Cancel a job wherever it runs; what it committed is kept. One that runs ends with its next word, others at once."""
        job = _known(self._ledger.cancel(job_id), job_id)
        if (holding := self._holdings.get(job_id)) is not None:
            holding.look()
        self._changed()
        return job

    def wait(self, job_id: str, timeout: float) -> Job:
        """The job once it is over, or as it stands after so many seconds."""
        deadline = time.monotonic() + timeout
        while True:
            job = self.get(job_id)
            left = deadline - time.monotonic()
            if job.is_over or left <= 0:
                return job
            with self._told:
                self._told.wait(min(left, _WAIT_STEP))

    def start(self) -> Self:
        """Take up jobs from now on. Starting twice is fine."""
        if not self._threads:
            self._stopping, looking = threading.Event(), threading.Lock()  # who did not end in time keeps its own
            self._news.set()
            given = (self._stopping, looking)
            self._threads = [
                threading.Thread(target=self._write, args=given[:1], name="scova-jobs-state", daemon=True),
                *(
                    threading.Thread(target=self._work, args=given, name="scova-jobs", daemon=True)
                    for _ in range(self._workers)
                ),
            ]
            for thread in self._threads:
                thread.start()
        return self

    def stop(self, wait_seconds: float = _STOP_SECONDS) -> None:
        """Take up no more; the job in hand goes back to the queue with its next word, or after `wait_seconds` without one."""
        self._stopping.set()
        self._wake.set()
        for holding in list(self._holdings.values()):
            holding.stop()
        ends = time.monotonic() + wait_seconds  # for all of them together
        for thread in self._threads:
            self._news.set()
            thread.join(max(0.0, ends - time.monotonic()))
        for holding in list(self._holdings.values()):
            with suppress(StoreAway):  # then its hold lapses
                self._ledger.release(holding.job.job_id, holding.owner, _STOPPED)
        if self._threads:
            self._write_state()
        self._threads = []
        self._ledger.close()

    def drain(self, stop: threading.Event) -> None:
        """Work until no job is left to do, here or elsewhere, or until `stop` is set."""
        with self:
            while self.is_needed() and not stop.wait(_WAIT_STEP):
                pass

    def is_needed(self) -> bool:
        """Whether there is a job to do, or one under way that may have to be taken over."""
        return any(job.kind in self._runners for job in self._under_way())

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    # --- the worker

    def _work(self, stopping: threading.Event, looking: threading.Lock) -> None:
        while not stopping.is_set():
            try:
                owner = f"{os.getpid()}-{secrets.token_hex(8)}"
                with looking:  # one at a time: the others would ask the same
                    job = self._claimed(owner, stopping)
                if job is None:
                    continue
                self._do(job, owner, stopping)
            except StoreAway as error:
                _log.warning("jobs: %s", error)
                stopping.wait(_AWAY_PAUSE)
                continue
            except Exception:  # noqa: BLE001 - the top of a worker: a ledger that cannot be used now may be later
                _log.exception("jobs: the ledger does not answer")
                stopping.wait(_LOOK_EVERY)
            self._changed()

    def _claimed(self, owner: str, stopping: threading.Event) -> Job | None:
        """The next job, as soon as there is one; None when the engine stops."""
        while not stopping.is_set():
            try:
                if (job := self._ledger.claim(owner, self._runners.keys())) is not None:
                    return job
                self._look()
            except StoreAway as error:
                _log.warning("jobs: %s", error)
                stopping.wait(_AWAY_PAUSE)
            else:
                self._wake.wait(_LOOK_EVERY)
                self._wake.clear()
        return None

    def _look(self) -> None:
        """Have it written down when other jobs are under way than before: who changed that may not have lived to do it."""
        under_way = [(job.job_id, job.status) for job in self._under_way()]
        if under_way != self._seen:
            self._seen = under_way
            self._changed()

    def _under_way(self) -> Sequence[Job]:
        return self._ledger.list(_MOST, status=("queued", "running"))

    def _do(self, job: Job, owner: str, stopping: threading.Event) -> None:
        """One attempt. How it ended is written down after everything it began has ended too; the job is held until then."""
        with Holding(self._ledger, job, owner, changed=self._changed) as holding:
            self._holdings[job.job_id] = holding
            if stopping.is_set():
                holding.stop()
            self._changed()
            end = self._tried(job, holding)
        self._holdings.pop(job.job_id, None)
        if holding.hold is Hold.LOST:
            _log.warning("job %s: another process has it, or it was cancelled", job.job_id)
        elif end.status == "queued":
            pause, begun = end.pause_seconds, holding.is_begun or not end.pause_seconds
            self._ledger.release(job.job_id, owner, end.message, pause_seconds=pause, begun=begun)
        else:
            self._ledger.finish(job._replace(status=end.status, message=end.message, result=end.result), owner)

    def _tried(self, job: Job, holding: Holding) -> _End:
        try:
            result = self._runners[job.kind](job, holding.tell)
        except Cancelled:
            if holding.is_stopped and holding.hold is Hold.HELD:
                return _End("queued", _STOPPED)
            return _End("cancelled", "what was committed is kept")
        except (IndexBusy, StoreAway) as busy:
            return _End("queued", busy.message, pause_seconds=_BUSY_PAUSE)
        except ScovaError as error:
            return _End("failed", f"{error.message}; {error.hint}" if error.hint else error.message)
        except Exception as error:  # noqa: BLE001 - the top of a worker
            _log.exception("job %s (%s of %s) failed", job.job_id, job.kind, job.path)
            return _End("failed", f"{type(error).__name__}: {error}")
        message = str(result.get("message") or "")
        return _End("partial" if result.get("failed") else "done", message, result)

    # --- the clerk

    def _changed(self) -> None:
        with self._told:
            self._told.notify_all()
        self._news.set()
        if not self._threads:
            self._write_state()

    def _write(self, stopping: threading.Event) -> None:
        while not stopping.is_set():
            self._news.wait()
            self._news.clear()
            self._write_state()
            stopping.wait(TELL_EVERY)

    def _write_state(self) -> None:
        try:
            self._state.write()
        except (OSError, ScovaError) as error:
            _log.warning("cannot write %s: %s", self._state.path, error)


def _written(path: str) -> str:
    """A path as it is kept, where readers outside see it too; UsageError when it is no text."""
    try:
        return path.encode().decode()
    except UnicodeEncodeError:
        shown = path.encode(errors="backslashreplace").decode()
        raise UsageError(f"the name of `{shown}` is not UTF-8", "rename it, or index it in the foreground") from None


def _known(job: Job | None, job_id: str) -> Job:
    if job is None:
        raise UsageError(f"there is no job `{job_id}`", "`scova jobs` lists them")
    return job
