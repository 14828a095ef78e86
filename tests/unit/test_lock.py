"""One writer: named, waited for, and gone with its process."""

import os
import signal
import subprocess
import sys

import pytest

from scova.errors import IndexBusy
from scova.lock import holder, writer_lock

HOLD = "import sys, time\nfrom pathlib import Path\nfrom scova.lock import writer_lock\nwith writer_lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"


@pytest.fixture
def other(tmp_path):
    """Another process that holds the lock."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_second_writer_is_told_who_the_first_is(tmp_path, other):
    with pytest.raises(IndexBusy, match=f"process {other.pid}"), writer_lock(tmp_path / "lock"):
        pass
    assert f"process {other.pid}" in holder(tmp_path / "lock")


def test_the_lock_dies_with_its_holder(tmp_path, other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    with writer_lock(tmp_path / "lock"):
        assert str(os.getpid()) in holder(tmp_path / "lock")


def test_waiting_ends_when_the_holder_does(tmp_path, other):
    other.send_signal(signal.SIGKILL)
    with writer_lock(tmp_path / "lock", wait_seconds=30):
        pass
    assert holder(tmp_path / "lock") == ""


def test_a_forked_child_does_not_keep_the_lock(tmp_path):
    """A worker that outlives its killed parent must not keep the index locked."""
    path = tmp_path / "lock"
    reader, writer = os.pipe()
    started, starting = os.pipe()
    with writer_lock(path):
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.write(starting, b"!")
            os.read(reader, 1)
            os._exit(0)
        os.read(started, 1)
    for descriptor in (reader, started, starting):
        os.close(descriptor)
    with writer_lock(path):
        pass
    os.close(writer)
    os.waitpid(child, 0)


def test_nobody_holds_a_lock_that_was_never_taken(tmp_path):
    assert holder(tmp_path / "nothing") == ""


def test_the_holder_is_named_without_a_password_of_its_command(tmp_path, monkeypatch):
    words = ["scova", "serve", "--store", "postgresql://ann:hidden@db/shop", "--data", "here"]
    monkeypatch.setattr("sys.argv", words)
    with writer_lock(tmp_path / "lock"):
        assert "`scova serve --store postgresql://… --data here`" in holder(tmp_path / "lock")
