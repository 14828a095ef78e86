"""The engine, with real threads and a real ledger; runners that do what a test needs."""

import json
import threading
import time

import pytest

from scova.errors import IndexBusy, NotAFolder, StoreAway, UsageError
from scova.jobs import Jobs
from scova.stores.jobs import SqliteJobs
from scova.types import Progress
from until import until


@pytest.fixture
def engine(tmp_path):
    """Makes engines over one ledger, each as in a process of its own; all are stopped at the end."""
    made = []

    def make(runner, *, lease_seconds=10.0, ledger=None, start=True):
        jobs = Jobs(ledger or SqliteJobs(tmp_path / "jobs.db", lease_seconds=lease_seconds), {"index": runner})
        made.append(jobs)
        return jobs.start() if start else jobs

    yield make
    for jobs in made:
        jobs.stop()


class Steps:
    """A runner that tells its progress over and over until the test lets it end."""

    def __init__(self, *, silent=False):
        self.begun, self.end = threading.Event(), threading.Event()
        self.silent = silent
        self.ended_by = None
        self.runs = 0

    def __call__(self, job, tell):
        self.runs += 1
        self.begun.set()
        try:
            while not self.end.wait(0.01):
                if not self.silent:
                    tell(Progress("parse", self.runs, 100))
        except Exception as error:
            self.ended_by = error
            raise
        return {"report": {"added": 1}}


def test_a_job_is_submitted_at_once_done_behind_and_its_result_kept(engine, tmp_path):
    seen = []

    def runner(job, tell):
        seen.append(job)
        tell(Progress("parse", 3, 3, 9, 100))
        return {"report": {"added": 3}, "message": "three"}

    jobs = engine(runner)
    job = jobs.submit("index", str(tmp_path), options={"force": True, "data": None, "other": False})
    assert job.status == "queued" and job.path == str(tmp_path) and job.project_id == tmp_path.name
    done = jobs.wait(job.job_id, 120)
    assert (done.status, done.result["report"], done.message) == ("done", {"added": 3}, "three")
    assert (done.files_processed, done.chunks_processed, done.attempts) == (3, 9, 1)
    assert [one.options for one in seen] == [{"force": True}]
    assert done.created_at <= done.started_at <= done.finished_at


def test_of_many_idle_workers_one_looks_and_all_work(tmp_path):
    """Each look is two questions to a database that may serve many processes."""
    ledger = SqliteJobs(tmp_path / "jobs.db")
    looks, claim = [], ledger.claim
    ledger.claim = lambda owner, kinds: looks.append(threading.current_thread().ident) or claim(owner, kinds)
    together = threading.Barrier(4, timeout=120)
    with Jobs(ledger, {"index": lambda job, tell: {"place": together.wait()}}, workers=4) as jobs:
        until(lambda: len(looks) >= 3, "some looks")
        assert len(set(looks)) == 1
        asked = [jobs.submit("index", str(tmp_path / str(number))).job_id for number in range(4)]
        assert [jobs.wait(job_id, 120).status for job_id in asked] == ["done"] * 4
        assert len(set(looks)) == 4


def test_submitting_waits_for_no_job_that_runs(engine, tmp_path):
    steps = Steps(silent=True)
    jobs = engine(steps)
    jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    queued = [jobs.submit("index", str(tmp_path / str(number))) for number in range(60)]
    assert {job.status for job in queued} == {"queued"}
    assert steps.runs == 1, "the first one still runs, and says nothing"
    steps.end.set()


def test_the_same_wish_is_one_job(engine, tmp_path):
    steps = Steps()
    jobs = engine(steps)
    first = jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    assert jobs.submit("index", str(tmp_path), options={"force": False}).job_id == first.job_id
    steps.end.set()
    assert jobs.wait(first.job_id, 120).status == "done"
    assert jobs.submit("index", str(tmp_path)).job_id != first.job_id


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (NotAFolder("`x` is gone", "give another"), "`x` is gone; give another"),
        (ZeroDivisionError("division"), "ZeroDivisionError: division"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_a_job_that_fails_says_why_and_the_engine_goes_on(engine, tmp_path, raised, message):
    def runner(job, tell):
        if job.path == str(tmp_path):
            raise raised
        return {}

    jobs = engine(runner)
    failed = jobs.wait(jobs.submit("index", str(tmp_path)).job_id, 10)
    assert failed.status == "failed" and message in failed.message
    assert jobs.wait(jobs.submit("index", str(tmp_path / "other")).job_id, 10).status == "done"


def test_a_job_with_files_that_failed_is_partial(engine, tmp_path):
    failed = [{"path": "a.py", "reason": "crashed", "detail": "killed by SIGSEGV"}]
    jobs = engine(lambda job, tell: {"failed": failed})
    done = jobs.wait(jobs.submit("index", str(tmp_path)).job_id, 10)
    assert done.status == "partial" and done.result["failed"] == failed


def test_a_running_job_is_cancelled_from_another_engine(engine, tmp_path):
    steps = Steps()
    jobs, other = engine(steps), engine(steps, start=False)
    job = jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    other.cancel(job.job_id)
    assert jobs.wait(job.job_id, 120).status == "cancelled"
    assert type(steps.ended_by).__name__ == "Cancelled"


def test_a_queued_job_is_cancelled_and_never_run(engine, tmp_path):
    steps = Steps()
    jobs = engine(steps)
    jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    waiting = jobs.submit("index", str(tmp_path / "other"))
    assert jobs.cancel(waiting.job_id).status == "cancelled"
    steps.end.set()
    until(lambda: not jobs.is_needed())
    assert steps.runs == 1


def test_an_engine_that_is_stopped_gives_its_job_back_and_the_next_goes_on_at_once(engine, tmp_path):
    steps = Steps()
    jobs = engine(steps)
    job = jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    jobs.stop()
    assert (jobs.get(job.job_id).status, "goes on" in jobs.get(job.job_id).message) == ("queued", True)
    done = engine(lambda job, tell: {}).wait(job.job_id, 5)
    assert (done.status, done.attempts) == ("done", 2)


def test_a_stop_does_not_wait_for_work_that_says_nothing(engine, tmp_path):
    steps = Steps(silent=True)
    jobs = engine(steps)
    job = jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    jobs.stop(wait_seconds=0.2)
    assert jobs.get(job.job_id).status == "queued"
    other = engine(lambda job, tell: {"by": "the other"})
    assert other.wait(job.job_id, 5).result == {"by": "the other"}
    steps.end.set()  # what the first one ends with comes too late
    until(lambda: not [thread for thread in threading.enumerate() if thread.name == "scova-job-heart"])
    assert other.get(job.job_id).result == {"by": "the other"}


def test_a_long_silence_does_not_cost_the_hold(engine, tmp_path):
    """Not a word from the work: the heart keeps it, beat by beat, and each one makes the hold last as long as a new one."""
    steps, now = Steps(silent=True), [1000.0]
    ledger = Counted(tmp_path / "jobs.db", lease_seconds=10.0, clock=lambda: now[0])
    jobs = engine(steps, ledger=ledger)
    job = jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    other = SqliteJobs(tmp_path / "jobs.db", lease_seconds=10.0, clock=lambda: now[0])
    for _ in range(4):
        now[0] += 9.0  # nearly a whole lease goes by
        heard = len(ledger.beats)
        until(lambda heard=heard: len(ledger.beats) >= heard + 2, "a beat")  # one of them began after that
        assert other.claim("thief", ("index",)) is None
    now[0] += 10.5
    other.close()
    steps.end.set()
    assert jobs.wait(job.job_id, 120).attempts == 1


def test_a_job_that_another_process_took_over_is_left_to_it(engine, tmp_path):
    steps = Steps()
    jobs = engine(steps)
    job = jobs.submit("index", str(tmp_path))
    assert steps.begun.wait(120)
    ahead = SqliteJobs(tmp_path / "jobs.db", clock=lambda: time.monotonic() + 10.5)  # as if the hold had not been kept
    assert ahead.claim("thief", ("index",)).job_id == job.job_id
    ahead.close()
    thief = SqliteJobs(tmp_path / "jobs.db")
    thief.beat(job.job_id, "thief")
    until(lambda: steps.ended_by)
    thief.beat(job.job_id, "thief")
    assert jobs.get(job.job_id).status == "running"
    assert thief.finish(jobs.get(job.job_id)._replace(status="done", message="by the thief"), "thief")
    thief.close()
    assert jobs.wait(job.job_id, 120).message == "by the thief"


def test_a_job_waits_as_queued_while_another_process_writes_the_index(engine, tmp_path):
    busy, tries = threading.Event(), []
    busy.set()

    def runner(job, tell):
        tries.append(job)
        if busy.is_set():
            raise IndexBusy("another process is writing this index: process 4711", "wait")
        tell(Progress("scan", 0, 0))
        return {}

    jobs = engine(runner)
    job = jobs.submit("index", str(tmp_path))
    until(lambda: "process 4711" in jobs.get(job.job_id).message)

    def tried_again():
        seen = jobs.get(job.job_id)
        assert (seen.status, "4711" in seen.message) == ("queued", True)
        return len(tries) >= 4

    until(tried_again)
    busy.clear()
    done = jobs.wait(job.job_id, 120)
    assert (done.status, done.attempts, done.message) == ("done", 1, "")


class Counted(SqliteJobs):
    """A ledger that counts what is written to it while a job runs."""

    def __init__(self, path, **how):
        super().__init__(path, **how)
        self.beats = []  # by which thread each was made

    def beat(self, job_id, owner, advance=None):
        found = super().beat(job_id, owner, advance)
        self.beats.append(threading.current_thread().name)
        return found


def test_progress_is_kept_now_and_then_however_often_it_is_told(engine, tmp_path):
    """Who works only leaves word; a thread of its own writes it down, at its own pace, and once more at the end."""

    def runner(job, tell):
        told = 0
        while told < 10_000 or len(ledger.beats) < 3:
            told += 1
            tell(Progress("parse", told, 0))
        return {"told": told, "beats": list(ledger.beats)}

    ledger = Counted(tmp_path / "jobs.db")
    jobs = engine(runner, ledger=ledger)
    done = jobs.wait(jobs.submit("index", str(tmp_path)).job_id, 120)
    assert done.result["told"] >= 10_000
    assert set(done.result["beats"]) == {"scova-job-heart"}
    assert len(ledger.beats) <= len(done.result["beats"]) + 2


def test_what_a_job_is_about_is_kept_as_it_was_named(engine, tmp_path):
    """A name may mean something to every machine; what this one would make of it as a path does not."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert engine(Steps(), start=False).submit("index", f"{tmp_path}/link/p").path == f"{tmp_path}/link/p"


@pytest.mark.parametrize(("tells", "attempts"), [(True, 2), (False, 1)])
def test_an_attempt_counts_once_it_was_begun(engine, tmp_path, tells, attempts):
    """A job that begins anew, and loses its database in the middle, goes on the next time instead of beginning anew for ever."""
    seen = []

    def runner(job, tell):
        seen.append(job.attempts)
        if tells:
            tell(Progress("parse", 1, 2))
        if len(seen) == 1:
            raise StoreAway("the database does not answer", "wait")
        return {}

    jobs = engine(runner)
    done = jobs.wait(jobs.submit("index", str(tmp_path)).job_id, 20)
    assert (done.status, done.attempts, seen) == ("done", attempts, [1, attempts])


def test_unknown_jobs_and_kinds_are_named(engine, tmp_path):
    jobs = engine(lambda job, tell: {})
    for ask in (jobs.get, jobs.cancel):
        with pytest.raises(UsageError, match="nobody"):
            ask("nobody")
    with pytest.raises(UsageError, match="no kind"):
        jobs.submit("dance", str(tmp_path))
    with pytest.raises(UsageError, match="not UTF-8"):
        jobs.submit("index", f"{tmp_path}/\udcff")


def test_the_engine_outlives_a_ledger_that_is_gone_for_a_while(engine, tmp_path):
    jobs = engine(lambda job, tell: {})
    jobs.wait(jobs.submit("index", str(tmp_path)).job_id, 10)
    for path in tmp_path.glob("jobs.db*"):
        path.unlink()
    (tmp_path / "jobs.db").write_bytes(b"not a database" * 1000)
    until((tmp_path / "jobs.db.damaged-1").exists)
    job = until(lambda: _submitted(jobs, tmp_path))
    assert jobs.wait(job.job_id, 120).status == "done"


def _submitted(jobs, path):
    try:
        return jobs.submit("index", str(path))
    except Exception:
        return None


def test_a_drained_engine_ends_when_nothing_is_left(engine, tmp_path):
    jobs = engine(lambda job, tell: {}, start=False)
    ids = [jobs.submit("index", str(tmp_path / str(number))).job_id for number in range(5)]
    jobs.drain(threading.Event())
    assert {jobs.get(job_id).status for job_id in ids} == {"done"}


def test_the_state_file_tells_of_every_job_of_every_engine(engine, tmp_path):
    steps = Steps()
    jobs, other = engine(steps), engine(steps)
    first, second = jobs.submit("index", str(tmp_path / "a")), jobs.submit("index", str(tmp_path / "b"))
    third = other.submit("index", str(tmp_path / "c"))

    def state():
        try:
            return json.loads((tmp_path / "mcp-state.json").read_bytes())
        except FileNotFoundError:
            return {"current_jobs": {}}

    said = until(lambda: len(state()["current_jobs"]) == 3 and state())
    assert set(said["current_jobs"]) == {first.job_id, second.job_id, third.job_id}
    assert set(said["current_jobs"][first.job_id]) == {
        "project_id", "path", "started_at", "status", "files_processed", "files_total",
    }  # fmt: skip
    assert said["last_sync"] == ""
    until(lambda: state()["current_jobs"][first.job_id]["files_total"] == 100, "progress in the file")
    steps.end.set()
    said = until(lambda: not state()["current_jobs"] and state())
    assert said["recent_paths"] == [str(tmp_path / name) for name in "cba"]
    assert {job["status"] for job in said["recent_jobs"].values()} == {"done"}
    assert said["last_sync"]


def test_without_an_engine_that_runs_a_submitted_job_is_in_the_state_file_at_once(engine, tmp_path):
    job = engine(lambda job, tell: {}, start=False).submit("index", str(tmp_path))
    said = json.loads((tmp_path / "mcp-state.json").read_bytes())
    assert said["current_jobs"][job.job_id]["status"] == "queued"


def test_a_job_that_was_killed_too_often_is_failed_in_the_state_file_too(engine, tmp_path):
    now = [1000.0]
    ledger = SqliteJobs(tmp_path / "jobs.db", clock=lambda: now[0])
    job = engine(lambda job, tell: {}, start=False).submit("index", str(tmp_path))
    for number in range(5):
        assert ledger.claim(f"owner-{number}", ("index",)), number
        now[0] += 10.0
    ledger.close()
    jobs = engine(lambda job, tell: {})
    failed = jobs.wait(job.job_id, 120)
    assert failed.status == "failed" and "killed 5 times in a row" in failed.message

    def state():
        return json.loads((tmp_path / "mcp-state.json").read_bytes())

    until(lambda: not state()["current_jobs"])
    assert state()["recent_jobs"][job.job_id]["status"] == "failed"
