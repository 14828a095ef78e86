"""`scova index --background` and `scova jobs`, as a person or a script uses them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scova import Index
from scova.config import cache_folder
from scova.lock import holder, writer_lock
from scova.stores.layout import jobs_lock, jobs_log
from scova.types import Job
from until import until

SCHEMAS = (Path(__file__).parents[2] / "docs/reference/json.md").read_text()
SCOVA = str(Path(sys.executable).with_name("scova"))


@pytest.fixture(autouse=True)
def no_process_left(clean_environment):
    """Whatever a test left behind has ended when the next one begins, and had nothing to complain about."""
    yield
    until(lambda: not holder(jobs_lock(cache_folder())), "the end of the process left behind", 120)
    assert not jobs_log(cache_folder()).exists() or "Traceback" not in jobs_log(cache_folder()).read_text()


def job_of(scova, job_id):
    return scova("jobs", "show", job_id, "--json").json


def ended(scova, job_id):
    return until(lambda: (one := job_of(scova, job_id))["status"] not in ("queued", "running") and one, "the job", 120)


def test_a_job_is_left_behind_and_done_after_the_command_has_ended(scova, project):
    said = scova("index", project, "--background", "--json")
    assert said.code == 0 and set(said.json) == {"status", "job_id", "message"}
    assert said.json["status"] == "indexing_started"
    done = ended(scova, said.json["job_id"])
    assert (done["status"], done["files_total"], done["path"]) == ("done", 5, str(project))
    assert scova("search", "hash_password", project, "--no-refresh").code == 0
    assert scova("jobs", "--json").json["jobs"] == [done]
    assert said.json["job_id"] in scova("jobs").out and "done" in scova("jobs").out
    shown = scova("jobs", "show", said.json["job_id"]).out
    assert "report" in shown and "added 5" in shown


def test_every_key_of_a_job_is_documented():
    section = SCHEMAS.partition("\n## jobs")[2].partition("\n## ")[0]
    for name in (*Job._fields, "jobs", "worked", "failed", "report"):
        assert f"`{name}`" in section, name


def test_the_index_lies_where_it_would_without_background(scova, project, tmp_path):
    said = scova("index", project, "--background", "--json", "--data", tmp_path / "data", "--workers", "1")
    assert ended(scova, said.json["job_id"])["status"] == "done"
    assert (tmp_path / "data" / "store.db").exists()
    forced = scova("index", project, "--background", "--force", "--json", "--data", tmp_path / "data")
    assert ended(scova, forced.json["job_id"])["result"]["report"]["changed"] == 5


def test_a_job_waits_for_a_writer_and_can_be_cancelled_meanwhile(scova, project):
    with Index.open(project) as index:
        index.layout.root.mkdir(parents=True)
        with writer_lock(index.layout.lock):
            job_id = scova("index", project, "--background", "--json").json["job_id"]
            waiting = until(lambda: (one := job_of(scova, job_id))["message"] and one, "a word on why it waits", 120)
            assert waiting["status"] == "queued" and f"process {os.getpid()}" in waiting["message"]
            assert scova("index", project, "--background", "--json").json["job_id"] == job_id, "the same wish"
            assert scova("jobs", "cancel", job_id, "--json").json["status"] == "cancelled"
        assert not index.indexed


def test_a_process_that_is_told_to_stop_leaves_its_job_to_the_next(scova, tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(700):
        (root / f"module_{number}.py").write_text(f"def function_{number}(value):\n    return {number}\n" * 30)
    job_id = scova("index", root, "--background", "--json").json["job_id"]
    until(lambda: job_of(scova, job_id)["stage"], "its beginning", 120)
    pid = int(holder(jobs_lock(cache_folder())).split()[1])
    os.kill(pid, signal.SIGTERM)
    stopped = until(
        lambda: (one := job_of(scova, job_id))["status"] == "queued" and one, "its return to the queue", 120
    )
    assert "goes on with the next" in stopped["message"]
    until(lambda: not holder(jobs_lock(cache_folder())))
    assert scova("jobs", "run").code == 0
    done = job_of(scova, job_id)
    assert (done["status"], done["attempts"], done["result"]["report"]["files"]) == ("done", 2, 700)


def test_two_working_processes_are_one_too_many(scova, project):
    with Index.open(project) as index:
        index.layout.root.mkdir(parents=True)
        with writer_lock(index.layout.lock):
            job_id = scova("index", project, "--background", "--json").json["job_id"]
            until(lambda: holder(jobs_lock(cache_folder())), "the first process", 120)
            assert scova("jobs", "run", "--json").json["worked"] is False
    assert ended(scova, job_id)["status"] == "done"


def test_many_at_once_are_all_done(scova, tmp_path):
    """Each leaves a process behind; whoever of them works sees to it that no job is forgotten."""
    roots = [tmp_path / f"project_{number}" for number in range(6)]
    for root in roots:
        root.mkdir()
        (root / "a.py").write_text(f"name = '{root.name}'\n")
    begun = [subprocess.Popen([SCOVA, "index", root, "--background"], stdout=subprocess.DEVNULL) for root in roots]
    assert [process.wait(120) for process in begun] == [0] * 6
    until(lambda: {one["status"] for one in scova("jobs", "--json").json["jobs"]} == {"done"}, "all of them", 120)


def test_wrong_words_are_refused_with_a_hint(scova, tmp_path):
    assert scova("jobs").code == 1, "nothing found"
    for words in (("show",), ("cancel",), ("list", "x"), ("run", "x"), ("dance",), ("show", "nobody"), ("-k", "0")):
        done = scova("jobs", *words)
        assert done.code == 2 and done.err, words
    assert scova("index", tmp_path / "nowhere", "--background").code == 2
