"""jobs.db as a file: damaged, removed, of another version, made by many at once."""

import sqlite3
import threading

import pytest

from scova.errors import IndexState, StoreTooNew
from scova.stores.jobs import SqliteJobs
from scova.types import Job


def job(number=1):
    return Job(f"job-{number}", "index", "shop", f"/shop/{number}", "queued")


def test_a_damaged_file_is_set_aside_and_the_next_use_begins_anew(tmp_path):
    path = tmp_path / "jobs.db"
    path.write_bytes(b"this is no database, and long enough to be looked at" * 200)
    with SqliteJobs(path) as ledger:
        with pytest.raises(IndexState, match=r"jobs\.db") as raised:
            ledger.submit(job())
        assert "jobs.db.damaged-1" in raised.value.hint
        assert ledger.submit(job()) == ledger.get("job-1")
    assert (tmp_path / "jobs.db.damaged-1").exists()


def test_a_file_of_a_newer_version_is_left_alone(tmp_path):
    path = tmp_path / "jobs.db"
    with SqliteJobs(path) as ledger:
        ledger.submit(job())
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with SqliteJobs(path) as ledger, pytest.raises(StoreTooNew):
        ledger.get("job-1")
    assert path.exists()


def test_a_file_that_is_removed_while_it_is_open_is_made_again(tmp_path):
    with SqliteJobs(tmp_path / "cache" / "jobs.db") as ledger, SqliteJobs(tmp_path / "cache" / "jobs.db") as other:
        ledger.submit(job())
        for path in (tmp_path / "cache").iterdir():
            path.unlink()
        assert ledger.get("job-1") is None
        ledger.submit(job(2))
        assert other.get("job-2"), "both see the new file"


def test_many_may_make_the_file_at_once(tmp_path):
    begin, failed = threading.Barrier(12), []

    def submit(number):
        begin.wait()
        try:
            with SqliteJobs(tmp_path / "jobs.db") as ledger:
                ledger.submit(job(number))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with SqliteJobs(tmp_path / "jobs.db") as ledger:
        assert len(ledger.list(100)) == 12


def test_it_stays_small_however_much_is_written(tmp_path):
    with SqliteJobs(tmp_path / "jobs.db") as ledger:
        ledger.submit(job())
        ledger.claim("a", ("index",))
        for _ in range(3000):
            ledger.beat("job-1", "a")
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 6_000_000


def test_data_that_is_away_is_an_error_and_no_new_list_is_begun_in_its_place(tmp_path):
    """Who looks for work asks all the time: a server whose disk is away must not fill the empty folder."""
    data = tmp_path / "data"
    data.mkdir()
    with SqliteJobs(data / "jobs.db", makes_folder=False) as jobs:
        assert jobs.list(1) == []
        data.rename(tmp_path / "away")
        with pytest.raises(IndexState, match="cannot be used"):
            jobs.list(1)
        assert not data.exists()
        (tmp_path / "away").rename(data)
        assert jobs.list(1) == []
