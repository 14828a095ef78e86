"""The `index` job: what it does to an index, what it says of files that failed, whom it waits for."""

import os

import pytest

from scova import Index
from scova.config import cache_folder
from scova.errors import UsageError
from scova.jobs import Jobs, index_options, index_runner
from scova.lock import writer_lock
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import jobs_db
from scova.types import Job
from until import until


@pytest.fixture
def jobs():
    with Jobs(SqliteJobs(jobs_db(cache_folder())), {"index": index_runner()}) as made:
        yield made


def done(jobs, path, **options):
    return jobs.wait(jobs.submit("index", str(path), options=index_options(**options)).job_id, 60)


def test_it_indexes_a_folder_and_reports(jobs, project):
    first = done(jobs, project)
    assert (first.status, first.files_processed, first.files_total) == ("done", 5, 5)
    assert first.result["report"]["added"] == 5 and first.result["failed"] == []
    with Index.open(project) as index:
        assert index.search("hash_password").results and index.audit() == []
    again = done(jobs, project)
    assert again.result["report"]["unchanged"] == 5 and again.result["report"]["added"] == 0
    assert done(jobs, project, force=True).result["report"]["changed"] == 5


def test_options_are_obeyed_and_unknown_ones_refused(jobs, project, tmp_path):
    assert done(jobs, project, data=str(tmp_path / "elsewhere"), workers=1).status == "done"
    assert (tmp_path / "elsewhere" / "store.db").exists()
    with pytest.raises(UsageError, match="colour"):
        index_runner()(Job("j", "index", "p", str(project), "running", options={"colour": 1}), lambda progress: None)


def test_the_same_wish_has_the_same_options():
    assert index_options() == index_options(force=False, data=None, workers=None) == {}
    assert index_options(force=True, workers=3) == {"force": True, "workers": 3}


def test_a_folder_that_is_not_there_fails_the_job(jobs, tmp_path):
    failed = done(jobs, tmp_path / "nowhere")
    assert failed.status == "failed" and "nowhere" in failed.message


def test_files_that_cannot_be_read_make_it_partial_with_the_list(jobs, project):
    (project / "broken.py").write_bytes(b"x = 1\n\0\1\2" * 200)
    if os.getuid():
        (project / "closed.py").write_text("secret = 1\n")
        (project / "closed.py").chmod(0)
    partial = done(jobs, project)
    assert partial.status == "partial" and "could not be read" in partial.message
    failed = {one["path"]: one for one in partial.result["failed"]}
    assert failed["broken.py"]["reason"] == "binary" and failed["broken.py"]["detail"]
    assert partial.result["report"]["unreadable"] == len(failed)
    assert partial.result["report"]["files"] == 5, "all others are in the index"
    (project / "broken.py").write_text("x = 1\n")
    if not os.getuid():
        assert done(jobs, project).status == "done", "once it can be read it is"


def test_a_job_waits_for_another_writer_and_names_it(jobs, project):
    with Index.open(project) as index:
        index.layout.root.mkdir(parents=True)
        with writer_lock(index.layout.lock):
            job = jobs.submit("index", str(project))
            seen = until(lambda: (one := jobs.get(job.job_id)).message and one)
            assert seen.status == "queued" and f"process {os.getpid()}" in seen.message
        assert jobs.wait(job.job_id, 120).status == "done"
