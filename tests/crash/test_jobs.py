"""Background jobs in real processes: killed, stalled, racing, cancelled from elsewhere. Nothing is lost, nothing is done twice."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scova import Index, Mode, Query
from scova.config import cache_folder
from scova.jobs import Jobs, index_runner
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import jobs_db, mcp_state
from scova.stores.sqlite import SqliteStore
from until import until

SCOVA = str(Path(sys.executable).with_name("scova"))
ENGINE = str(Path(__file__).with_name("jobengine.py"))
FILES = 1500

# Files that say CRASH take down the worker that parses them. Every Python process with this beside its modules has it, workers too.
DEADLY = """
import os, signal
import scova.parse.document as work

parse = work.outline

def deadly(text, language):
    if "CRASH" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    return parse(text, language)

work.outline = deadly
"""


def write_tree(root: Path, files: int) -> Path:
    for number in range(files):
        folder = root / f"package_{number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        body = "\n\n".join(f"def function_{number}_{i}(value):\n    return value + {number * i}\n" for i in range(9))
        (folder / f"module_{number}.py").write_text(body)
    return root


@pytest.fixture
def jobs():
    """An engine that is not started: it submits and asks."""
    made = Jobs(SqliteJobs(jobs_db(cache_folder())), {"index": index_runner(), "note": lambda job, tell: {}})
    yield made
    made.stop()


@pytest.fixture
def begin():
    """Starts processes, each leading a session of its own, and ends them all with the test."""
    begun = []

    def start(*words, **environment):
        process = subprocess.Popen(
            words,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        begun.append(process)
        return process

    yield start
    for process in begun:
        if process.poll() is None:
            process.kill()
        process.communicate()


def engine_words(tmp_path, *kinds, lease=10):
    return sys.executable, ENGINE, str(cache_folder()), str(lease), str(tmp_path / "log"), *kinds


def left_of(process) -> list[int]:
    """The processes of a session that are still there: workers of one that was killed, say."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == process.pid and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def committed(root: Path) -> dict[str, int]:
    """The files that are in the store, with their generations."""
    with Index.open(root) as index, SqliteStore.open(index.layout.store_db, root.name) as store:
        return {path: file.generation for path, file in store.files().items()}


def answers(index: Index) -> list[object]:
    found = []
    for text in ("function_17_3", "return value", "module 40", "package"):
        for mode in (Mode.HYBRID, Mode.TEXT, Mode.VECTOR, Mode.SYMBOL):
            results = index.search(Query(text, mode=mode, limit=20)).results
            found.append([(r.chunk.file_path, r.chunk.start_line, r.score) for r in results])
    return found


def well_begun(jobs, job_id):
    """Wait until some files of a job are committed, and most are not."""
    seen = until(lambda: (one := jobs.get(job_id)).files_processed and one, "progress", 120)
    assert seen.status == "running" and seen.files_processed < seen.files_total, "too late to prove anything"
    return seen


def test_a_job_whose_process_is_killed_is_resumed_by_the_next_and_no_file_is_parsed_twice(jobs, begin, tmp_path):
    root = write_tree(tmp_path / "tree", FILES)
    job = jobs.submit("index", str(root))
    process = begin(SCOVA, "jobs", "run")
    well_begun(jobs, job.job_id)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    begin(SCOVA, "jobs", "run")
    until(lambda: jobs.get(job.job_id).attempts == 2, "a second attempt", 120)
    before = jobs.get(job.job_id)
    assert before.message == "taken up again after its process ended"
    done = jobs.wait(job.job_id, 120)
    assert done.status == "done" and done.attempts == 2
    report = done.result["report"]
    assert report["added"] + report["unchanged"] == FILES and report["changed"] == report["removed"] == 0
    assert 0 < report["unchanged"] < FILES, "what was committed by the first one was not parsed by the second"
    assert set(committed(root).values()) == {1} and len(committed(root)) == FILES, "each file was committed once"
    assert (done.files_processed, done.files_total) == (FILES, FILES)
    with Index.open(root) as index, Index.open(root, data=str(tmp_path / "whole")) as whole:
        assert index.audit() == []
        whole.refresh()
        assert answers(index) == answers(whole)
        assert index.status().chunks == whole.status().chunks


def test_what_the_first_process_committed_is_what_the_second_leaves_alone(jobs, begin, tmp_path):
    root = write_tree(tmp_path / "tree", FILES)
    job = jobs.submit("index", str(root))
    words = engine_words(tmp_path, "index", lease=2)
    process = begin(*words)
    well_begun(jobs, job.job_id)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    at_kill = committed(root)
    assert 0 < len(at_kill) < FILES
    begin(*words)
    done = jobs.wait(job.job_id, 120)
    assert done.status == "done"
    report = done.result["report"]
    assert (report["unchanged"], report["added"]) == (len(at_kill), FILES - len(at_kill))
    until(lambda: not left_of(process), "the end of workers without a parent")


def test_two_engines_race_and_each_job_is_done_by_exactly_one(jobs, begin, tmp_path):
    engines = [begin(*engine_words(tmp_path, "note")) for _ in range(3)]
    for engine in engines:
        assert engine.stdout.readline() == b"ready\n"
    ids = [jobs.submit("note", str(tmp_path / str(number))).job_id for number in range(12)]
    assert {jobs.wait(job_id, 120).status for job_id in ids} == {"done"}
    lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert sorted(job_id for job_id, _ in lines) == sorted(ids), "each was begun once"
    assert len({pid for _, pid in lines}) > 1, "and more than one engine did some"
    for job_id, pid in lines:
        assert jobs.get(job_id).result == {"pid": int(pid)} and jobs.get(job_id).attempts == 1


def test_a_job_is_cancelled_from_another_process_and_what_was_committed_stays(jobs, begin, tmp_path, scova):
    files = 6 * FILES  # a quick machine is done with fewer before the command that cancels has started
    root = write_tree(tmp_path / "tree", files)
    job = jobs.submit("index", str(root))
    process = begin(SCOVA, "jobs", "run")
    well_begun(jobs, job.job_id)
    assert scova("jobs", "cancel", job.job_id, "--json").json["job_id"] == job.job_id
    cancelled = jobs.wait(job.job_id, 120)
    assert cancelled.status == "cancelled"
    assert process.wait(120) == 0, "nothing is left to do, so the process ends in good order"
    until(lambda: not left_of(process), "the end of its workers", 120)
    kept = committed(root)
    assert 0 < len(kept) < files
    with Index.open(root) as index:
        report = index.refresh()
        assert (report.unchanged, report.added) == (len(kept), files - len(kept))
        assert index.audit() == []


def test_a_process_that_was_only_stalled_finds_its_job_taken_and_writes_nothing_more(jobs, begin, tmp_path):
    root = write_tree(tmp_path / "tree", FILES)
    job = jobs.submit("index", str(root))
    process = begin(*engine_words(tmp_path, "index", lease=2))
    well_begun(jobs, job.job_id)
    os.kill(process.pid, signal.SIGSTOP)
    ledger = SqliteJobs(jobs_db(cache_folder()), lease_seconds=2)
    with Jobs(ledger, {"index": index_runner()}) as other:
        waiting = until(lambda: f"process {process.pid} on" in (one := other.get(job.job_id)).message and one, "a wait")
        assert waiting.status == "queued", "the index is still locked by the one that stands still"
        os.kill(process.pid, signal.SIGCONT)
        done = other.wait(job.job_id, 60)
        assert done.status == "done" and set(committed(root).values()) == {1}
        with Index.open(root) as index:
            assert index.audit() == [] and index.status().files == FILES
        process.communicate(timeout=120)
        assert process.returncode == 0
        assert other.get(job.job_id) == done


def test_files_that_take_down_their_worker_cost_only_themselves(jobs, begin, tmp_path):
    root = write_tree(tmp_path / "tree", 80)
    for number in (11, 47):
        (root / f"package_{number % 7}" / f"module_{number}.py").write_text("CRASH = True\n")
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    job = jobs.submit("index", str(root))
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    begin(*engine_words(tmp_path, "index"), PYTHONPATH=path)
    done = jobs.wait(job.job_id, 120)
    assert done.status == "partial" and done.result["report"]["files"] == 78
    failed = {one["path"]: one["detail"] for one in done.result["failed"]}
    assert sorted(failed) == ["package_4/module_11.py", "package_5/module_47.py"]
    assert all("killed by SIGSEGV" in detail for detail in failed.values())


def test_readers_of_the_state_file_always_find_it_whole(jobs, begin, tmp_path):
    """Twenty readers, three engines and one who submits: at every instant the file is there and says what it must."""
    jobs.submit("note", str(tmp_path / "first"))
    path, over, bad, reads = mcp_state(cache_folder()), threading.Event(), [], []

    def read():
        count = 0
        while not over.is_set():
            try:
                said = json.loads(path.read_bytes())
                assert {"current_jobs", "recent_paths", "last_sync"} <= set(said)
                for one in said["current_jobs"].values():
                    assert one["status"] in ("queued", "running") and one["files_processed"] <= one["files_total"]
                count += 1
            except Exception as error:
                bad.append(error)
                return
        reads.append(count)

    readers = [threading.Thread(target=read) for _ in range(20)]
    for reader in readers:
        reader.start()
    for _ in range(3):
        begin(*engine_words(tmp_path, "note"))
    ids = [jobs.submit("note", str(tmp_path / str(number))).job_id for number in range(12)]
    ended = [jobs.wait(job_id, 120).status for job_id in ids]
    until(lambda: not json.loads(path.read_bytes())["current_jobs"], "the last word of the last engine")
    over.set()
    for reader in readers:
        reader.join()
    assert bad == [] and set(ended) == {"done"}
    assert len(reads) == 20 and min(reads) > 0
    said = json.loads(path.read_bytes())
    assert said["last_sync"] and len(said["recent_paths"]) == 13
