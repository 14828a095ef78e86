"""Several changes of a store that become visible as one, or not at all."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from parsed import parsed, texts_of
from scova.stores.sqlite import SqliteStore


@pytest.fixture
def store(tmp_path):
    with SqliteStore.open(tmp_path / "store.db", "shop") as made:
        made.put([parsed("old.py", "old")])
        yield made
        assert made.audit() == []


def seen(store):
    with store.reader() as reader:
        return texts_of(reader), reader.change_seq


def test_nobody_sees_anything_before_the_end_and_everything_after(store):
    with store.together():
        store.put([parsed("a.py", "one")])
        store.put([parsed("b.py", "two")], removed=["old.py"])
        store.put_settings({"key": "value"})
        assert seen(store) == ({"old.py": ["old"]}, 1)
    texts, seq = seen(store)
    assert texts == {"a.py": ["one"], "b.py": ["two"]} and seq == 3
    assert store.setting("key") == "value"


def test_a_failure_takes_everything_back(store):
    with pytest.raises(RuntimeError), store.together():
        store.put([parsed("a.py", "one")])
        store.put([], removed=["old.py"])
        raise RuntimeError("half way")
    assert seen(store) == ({"old.py": ["old"]}, 1) and set(store.files()) == {"old.py"}
    store.put([parsed("c.py", "three")])
    assert seen(store)[0] == {"old.py": ["old"], "c.py": ["three"]}


def test_other_threads_wait_for_their_turn(store):
    entered, done = threading.Event(), threading.Event()

    def other():
        entered.set()
        store.put([parsed("other.py", "theirs")])
        done.set()

    thread = threading.Thread(target=other)
    with pytest.raises(RuntimeError), store.together():
        thread.start()
        entered.wait(120)
        store.put([parsed("mine.py", "mine")])
        assert not done.wait(0.1)
        raise RuntimeError
    thread.join(120)
    assert seen(store)[0] == {"old.py": ["old"], "other.py": ["theirs"]}


def test_a_process_that_dies_in_between_leaves_nothing(store, tmp_path):
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path; from parsed import parsed\n"
        "from scova.stores.sqlite import SqliteStore\n"
        "store = SqliteStore.open(Path(sys.argv[1]), 'shop')\n"
        "with store.together():\n"
        "    for n in range(50): store.put([parsed(f'{n}.py', *['x' * 10000] * 20)], removed=['old.py'])\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    tests = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", code, str(store.path), tests], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert seen(store) == ({"old.py": ["old"]}, 1)
