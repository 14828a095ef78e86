"""Answers of one certain moment, through Python and through the commands, while files change and others write."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scova import Index
from scova.errors import Unsettled
from scova.lock import writer_lock
from until import until

SCOVA = str(Path(sys.executable).with_name("scova"))


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "project"
    root.mkdir()
    for number in range(3):
        write(root, number, "before")
    return root


def write(root, number, word):
    (root / f"module_{number}.py").write_text(
        f"def function_{number}():\n    return '{word}'\n\n\ndef {word}():\n    pass\n"
    )


def places(index, name):
    return {each.path for each in index.definitions(name).definitions}


def test_what_was_saved_before_the_question_is_in_the_answer(root):
    with Index.open(root) as index:
        assert len(index.settled(lambda: places(index, "before"))) == 3  # there was no index before
        write(root, 1, "after")
        assert index.settled(lambda: places(index, "after")) == {"module_1.py"}


def test_what_changes_while_it_is_asked_is_asked_again(root):
    """Two questions that belong together: between them a file is renamed, so that it would be in both or in neither."""
    with Index.open(root) as index:
        asked = []

        def both():
            first = places(index, "function_1")
            if not asked:
                (root / "module_1.py").rename(root / "renamed.py")
            asked.append(first)
            return first | places(index, "function_1")

        assert index.settled(both) == {"renamed.py"}
        assert asked == [{"module_1.py"}, {"renamed.py"}]


def test_what_another_process_brings_in_while_it_is_asked_is_asked_again(root):
    with Index.open(root) as index, Index.open(root) as other:
        asked = []

        def both():
            first = places(index, "before")
            if not asked:
                write(root, 2, "after")
                other.refresh()
            asked.append(first)
            return first, places(index, "after")

        assert index.settled(both) == ({"module_0.py", "module_1.py"}, {"module_2.py"})


def test_another_writer_is_waited_for(root):
    with Index.open(root) as index:
        index.refresh()
        write(root, 1, "after")
        lock = writer_lock(index.layout.lock)
        lock.__enter__()
        threading.Timer(0.4, lambda: lock.__exit__(None, None, None)).start()
        assert index.settled(lambda: places(index, "after")) == {"module_1.py"}


def test_a_folder_that_never_holds_still_gives_no_answer_and_says_why(root):
    with Index.open(root) as index:
        count = iter(range(10_000))

        def restless():
            write(root, 1, f"change_{next(count)}")

        with pytest.raises(Unsettled, match="changes faster"):
            index.settled(restless, wait_seconds=0.3)
        restless()  # else the last attempt may have brought in everything
        with writer_lock(index.layout.lock), pytest.raises(Unsettled, match="writing"):
            index.settled(lambda: None, wait_seconds=0.1)


def begun(root, *words, **environment):
    command = [SCOVA, *words, str(root), "--json"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **environment})


def answered(process):
    out, said = process.communicate(timeout=100)
    assert process.returncode in (0, 1), said
    return json.loads(out), said


def is_at(process, lock):
    """Whether a process has the file of the lock open: it holds it, or wants to."""
    links = Path(f"/proc/{process.pid}/fd").iterdir()
    return any(os.readlink(link) == str(lock) for link in links if os.path.lexists(link))


@pytest.mark.skipif(sys.platform != "linux", reason="looks at the open files of a process")
def test_a_command_waits_for_a_writer_that_is_soon_done(root):
    with Index.open(root) as index:
        index.refresh()
        write(root, 1, "after")
        with writer_lock(index.layout.lock):
            process = begun(root, "def", "after", SCOVA_WAIT_MS="60000")
            until(lambda: is_at(process, index.layout.lock), "waiting for the writer")
        answer, said = answered(process)
    assert [each["path"] for each in answer["definitions"]] == ["module_1.py"]
    assert answer["freshness"]["pending_files"] == 0
    assert "as it is" not in said


def test_a_command_does_not_wait_for_ever_and_says_what_is_pending(root):
    with Index.open(root) as index:
        index.refresh()
        write(root, 1, "after")
        with writer_lock(index.layout.lock):
            answer, said = answered(begun(root, "def", "after", SCOVA_WAIT_MS="100"))
    assert not answer["definitions"]
    assert answer["freshness"]["pending_files"] >= 1
    assert "answering from the index as it is" in said
