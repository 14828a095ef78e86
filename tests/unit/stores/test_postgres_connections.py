"""A process has so many connections at most: who wants one more waits, nobody waits for ever, and nothing leaks."""

import contextlib
import gc
import os
import signal
import threading
import time

import pytest

from parsed import parsed, texts_of
from scova.errors import IndexBusy, IndexState, StoreAway, UsageError
from scova.stores.postgres import Connections, PostgresEmbeddings, PostgresJobs, PostgresStore
from scova.stores.postgres import connections as module
from scova.types import Job
from until import until

COUNT = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scova' AND datname = current_database()"


@pytest.fixture
def limited(postgres_url):
    """Makes connections with a limit."""
    made = []

    def make(most, wait_seconds=20.0):
        made.append(Connections(postgres_url, most=most, wait_seconds=wait_seconds))
        PostgresStore.open(postgres_url, "shop", connections=made[-1])
        return made[-1]

    yield make
    for one in made:
        one.close()


def opened(connections, project="shop"):
    return PostgresStore.open(connections.url, project, connections=connections)


def count(connections):
    with connections.lent() as connection:
        return connection.execute(COUNT).fetchone()[0]


def in_threads(number, work):
    failures, begin = [], threading.Barrier(number)

    def run(n):
        begin.wait()
        try:
            work(n)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def test_many_threads_share_a_few_connections(limited, tmp_path):
    """As those of a server do, all at once: pushing, asking, looking up vectors, keeping jobs."""
    connections, seen = limited(6), []
    stores = [opened(connections, f"p{n}") for n in range(4)]
    cache, jobs = PostgresEmbeddings(connections), PostgresJobs(connections, tmp_path)

    def work(n):
        store = stores[n % 4]
        for turn in range(4):
            store.put([parsed(f"{n}.py", f"text {turn}")])
            with store.reader() as reader:
                assert texts_of(reader)[f"{n}.py"] == [f"text {turn}"]
                cache.put("model", {b"%d" % n: b"1234"})
            jobs.submit(Job(f"{n}-{turn}", "index", "p", f"/{n}/{turn}", "queued"))
            seen.append(count(connections))

    assert in_threads(24, work) == []
    assert max(seen) <= 6 and len(jobs.list(1000)) == 96
    assert count(connections) <= 6


def test_who_waits_too_long_is_told_how_many_there_are(limited):
    connections = limited(2, wait_seconds=0.05)
    a, b = connections.lend(), connections.lend(to_reader=True)
    for more in ({}, {"to_reader": True}):
        with pytest.raises(IndexBusy, match="all 2 connections") as raised:
            connections.lend(**more)
        assert raised.value.hint
    connections.give_back(a)
    connections.give_back(connections.lend())
    connections.give_back(b)
    connections.give_back(connections.lend(to_reader=True))
    assert count(connections) <= 2


def test_who_waits_is_served_as_soon_as_one_comes_back(limited):
    connections = limited(2)
    first, lent = connections.lend(), []
    wanted = connections._for_all
    looks = []

    class Watched:
        """The same queue; counts those who found nothing in it, and came to wait."""

        def get(self, block, timeout):
            if block:
                looks.append(timeout)
            return wanted.get(block=block, timeout=timeout)

        put, qsize = wanted.put, wanted.qsize

    connections._for_all = Watched()
    thread = threading.Thread(target=lambda: lent.append(connections.lend()))
    thread.start()
    until(lambda: looks, "the thread to wait")
    assert not lent
    connections.give_back(first)
    thread.join(120)
    assert lent == [first]
    connections.give_back(lent[0])


@pytest.mark.parametrize("most", [2, 4])
def test_a_thread_that_has_one_never_waits_for_another(limited, most):
    """A build has a lock, a reader, a transaction, and looks up vectors in it; here as many builds as there are connections."""
    connections = limited(most, wait_seconds=3.0)
    stores = [opened(connections, f"p{n}") for n in range(most)]
    cache = PostgresEmbeddings(connections)

    def build(n):
        with stores[n].exclusive(), stores[n].reader() as before, stores[n].together():
            stores[n].put([parsed("a.py", "one")])
            cache.put("model", {b"%d" % n: b"1234"})
            assert cache.get("model", [b"%d" % n]) and texts_of(before) == {}

    assert in_threads(most, build) == []
    assert all(texts_of(store.reader()) == {"a.py": ["one"]} for store in stores)
    gc.collect()
    until(lambda: count(connections) <= most)


def test_readers_that_nobody_asks_give_way_and_hold_their_moment_still(limited, monkeypatch):
    """A server keeps a moment of every project that is open, and there may be more of these than connections."""
    monkeypatch.setattr(module, "SPARED_SECONDS", 0.0)
    connections = limited(2, wait_seconds=3.0)
    stores = [opened(connections, f"p{n}") for n in range(6)]
    for n, store in enumerate(stores):
        store.put([parsed("a.py", f"text {n}")])
    readers = [store.reader() for store in stores]
    for _ in range(2):
        for n, reader in enumerate(readers):
            assert texts_of(reader) == {"a.py": [f"text {n}"]}
    assert count(connections) <= 2
    stores[0].put([parsed("a.py", "newer")])
    for reader in readers[1:]:
        assert reader.count() == 1 and reader.rows()
    with pytest.raises(IndexState, match="has changed") as raised:
        readers[0].rows()
    assert "ask again" in raised.value.hint
    for reader in readers:
        reader.close()
    both = [connections.lend(to_reader=to_reader) for to_reader in (False, True)]
    assert [connections.give_back(one) for one in both] == [None, None], "no place was lost"


def test_a_reader_that_was_asked_just_now_is_spared(limited):
    connections = limited(2, wait_seconds=0.05)
    store = opened(connections)
    with store.reader() as reader:
        reader.rows()
        with pytest.raises(IndexBusy):
            store.reader()
        reader._hold.used_at = time.monotonic() - 2 * module.SPARED_SECONDS
        store.reader().close()
        assert reader.rows() == []


def test_readers_that_are_forgotten_lose_no_place(limited):
    connections = limited(2, wait_seconds=3.0)
    store = opened(connections)
    for _ in range(5):
        loop = [store.reader()]
        loop.append(loop)  # only the garbage collector finds it
        del loop
        gc.collect()
        connections.give_back(connections.lend(to_reader=True))


def test_a_connection_that_cannot_be_made_takes_no_place(postgres_url):
    broken = Connections(f"{postgres_url}&dbname=not_there", most=2, wait_seconds=0.05)
    for _ in range(3):
        with pytest.raises(IndexState, match="not_there"):
            broken.lend()


def test_a_fork_has_all_places_for_itself(limited):
    connections = limited(2, wait_seconds=0.5)
    mine = connections.lend()
    inherited = connections.lend(to_reader=True)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if count(connections) == 3 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    connections.give_back(mine), connections.give_back(inherited)
    until(lambda: count(connections) == 2, "the child's to be gone from the database")


def test_a_server_that_falls_silent_is_noticed_and_one_that_takes_its_time_is_not(monkeypatch):
    """Its processes are stopped, not ended: connections stay open, and nobody answers."""
    import psycopg

    from pg import running
    from scova.stores.postgres import driver

    monkeypatch.setattr(driver, "SILENT_SECONDS", 0.3)
    monkeypatch.setattr(driver, "_LOOK_SECONDS", 2)
    with running() as server:
        connections = Connections(server.uri)
        with connections.lent() as connection:
            assert connection.execute("SELECT pg_sleep(1.2), 7").fetchone()[1] == 7
        postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
        with psycopg.connect(server.uri) as asked:
            workers = [row[0] for row in asked.execute("SELECT pid FROM pg_stat_activity").fetchall()]
        stopped = [postmaster, *workers]
        with pytest.raises(StoreAway, match="silent"), connections.lent() as connection:
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            try:
                connection.execute("SELECT 1")
            finally:
                for pid in stopped:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
        with connections.lent() as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        connections.close()


def test_an_address_with_a_wrong_option_is_refused_in_words():
    with pytest.raises(UsageError, match="not the address"):
        Connections("postgresql://x@localhost/y?connect_timeout=abc")
