"""Many processes on one PostgreSQL, processes that die, a database that dies: nothing is lost, nothing is seen half."""

import random
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from parsed import parsed, texts_of
from pg import running
from scova.errors import IndexState
from scova.stores.postgres import Connections, PostgresStore

TESTS = str(Path(__file__).parents[1])
PREAMBLE = (
    "import os, sys; sys.path.insert(0, sys.argv[1]); from parsed import parsed\n"
    "from scova.stores.postgres import PostgresStore\n"
    "url, who = sys.argv[2:4]\n"
    "store = PostgresStore.open(url, 'shop')\n"
    "print('ready', flush=True)\n"
)


def process(code, url, who="a"):
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + code, TESTS, url, who],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def store(postgres_url):
    with PostgresStore.open(postgres_url, "shop") as made:
        yield made
        assert made.audit() == []


# Each put is of two files that say the same, so that half of one would show.
PAIRS = """
for n in range(40):
    store.put([parsed(f'{who}/left.py', f'{n}'), parsed(f'{who}/right.py', f'{n}'), parsed(f'{who}/{n}.py', 'kept')])
    store.put_settings({who: str(n)})
"""


def test_processes_that_write_at_once_lose_nothing_and_readers_see_one_moment(store, postgres_url):
    writers = [process(PAIRS, postgres_url, who) for who in "abc"]
    moments = []
    while any(writer.poll() is None for writer in writers):
        with store.reader() as reader:
            texts = texts_of(reader)
            for who in "abc":
                assert texts.get(f"{who}/left.py") == texts.get(f"{who}/right.py"), "both of one put, or neither"
            kept = sum(path.rpartition("/")[2][0].isdigit() for path in texts)
            assert kept == reader.change_seq, "every change of every process is there"
            assert texts_of(reader) == texts and reader.count() == len(reader.rows())
            moments.append(reader.change_seq)
    assert [writer.communicate()[1] for writer in writers] == [""] * 3
    assert moments == sorted(moments) and store.change_seq() == 120
    with store.reader() as reader:
        numbers = [piece.change_seq for piece in reader.chunks(reader.rows()) if piece.text == "kept"]
        assert sorted(numbers) == list(range(1, 121)), "no number was taken twice, none is missing"
    assert [store.setting(who) for who in "abc"] == ["39"] * 3


ENDLESS = """
n = 0
while True:
    n += 1
    store.put([parsed(f'{k}.py', *[f'{who} {n} ' + 'x' * 2000] * 20) for k in range(30)])
"""


def test_a_process_killed_at_any_moment_leaves_whole_changes_and_no_lock(store, postgres_url):
    draw = random.Random(3)
    for attempt in range(6):
        writer = process(ENDLESS, postgres_url, str(attempt))
        assert writer.stdout.readline() == "ready\n"
        goal = store.change_seq() + 1
        while store.change_seq() < goal:
            pass
        for _ in range(draw.randrange(40)):  # somewhere within the next changes
            store.pulse()
        writer.kill()
        writer.communicate()
        with store.reader() as reader:
            texts = {text for found in texts_of(reader).values() for text in found}
            assert len(texts) == 1 and reader.count() == 600, "one change is seen, whole"
        assert store.audit() == []
        before = store.change_seq()
        store.put([parsed("after.py", "next")])
        assert store.change_seq() in (before + 1, before + 2), "the lock died with its holder"
        store.put([], removed=["after.py"])


def test_a_process_killed_inside_a_transaction_leaves_nothing(store, postgres_url):
    store.put([parsed("old.py", "old")])
    code = """
with store.together():
    for n in range(20): store.put([parsed(f'{n}.py', *['x' * 10000] * 20)], removed=['old.py'])
    os.kill(os.getpid(), 9)
"""
    writer = process(code, postgres_url)
    writer.communicate(timeout=120)
    assert writer.returncode == -9
    assert store.put([parsed("next.py", "next")]) == [2], "not even numbers are gone"
    with store.reader() as reader:
        assert texts_of(reader) == {"old.py": ["old"], "next.py": ["next"]} and reader.change_seq == 2


@contextmanager
def failing(words="does not answer"):
    with pytest.raises(IndexState, match=words) as raised:
        yield
    assert "PostgreSQL is running" in raised.value.hint


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_database_stopped_and_started_is_gone_on_with(mode):
    """Clear errors while it is away, then everything as before, with the objects that were there; `immediate` is a crash."""
    with running() as server, server.database() as url:
        connections = Connections(url)
        store = PostgresStore.open(url, "shop", connections=connections)
        store.put([parsed("a.py", "one")])
        pinned, stale = store.reader(), store.reader()
        for round_ in range(2):
            server.stop(mode)
            for act in (store.pulse, store.reader, pinned.rows, store.files, lambda: store.put([parsed("b.py", "x")])):
                for _ in range(2):
                    with failing():
                        act()
            with failing(), store.together():
                pytest.fail("nothing can begin")
            server.start()
            assert texts_of(pinned) == {"a.py": ["one"]}, "the project did not change: it is the same moment"
            assert store.change_seq() == 1 + 2 * round_
            if round_ == 0:
                store.put([parsed("b.py", "two")])
                store.put([], removed=["b.py"])
                pinned.close()
                pinned = store.reader()
        with pytest.raises(IndexState, match="has changed"):
            stale.rows()
        assert store.audit() == []
        connections.close()


def test_a_database_that_goes_away_in_the_middle_of_puts_loses_no_put_that_returned():
    with running() as server, server.database() as url:
        store = PostgresStore.open(url, "shop")
        done, failed, stop = [], [], threading.Event()

        def write():
            n = 0
            while not stop.is_set():
                n += 1
                try:
                    store.put([parsed(f"{n}.py", *[f"{n} " + "x" * 3000] * 10)])
                    done.append(f"{n}.py")
                except IndexState as error:
                    failed.append(str(error))

        thread = threading.Thread(target=write)
        thread.start()
        for _ in range(3):
            goal = len(done) + 5
            while len(done) < goal:
                pass
            server.stop("immediate")
            goal = len(failed) + 1
            while len(failed) < goal:
                pass
            server.start()
        stop.set()
        thread.join()
        assert store.audit() == [] and set(done) <= set(store.files())
        with store.reader() as reader:
            assert reader.change_seq == len(store.files()) <= len(done) + len(failed)
            assert {len(texts) for texts in texts_of(reader).values()} == {10}
        store.close()
