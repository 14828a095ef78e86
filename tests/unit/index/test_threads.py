"""One handle and many threads: they share a refresh, nobody is told of another process, and closed is closed."""

import inspect
import threading
import time

import pytest

from scova import Index
from scova.errors import IndexBusy, IndexClosed
from scova.live import Live
from scova.projects.library import Library
from until import until, until_old

FILES = 60


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "tree"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"m{number}.py").write_text(f"def work_{number}(value):\n    return value + {number}\n")
    until_old(folder)
    return folder


def together(count, work):
    """What each of so many threads gets of `work`, which all begin at once; what one raises is what it gets."""
    gate, got = threading.Barrier(count), [None] * count

    def run(number):
        gate.wait()
        try:
            got[number] = work(number)
        except Exception as error:
            got[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    return got


def test_threads_that_refresh_one_handle_share_one_refresh(root):
    with Index.open(root) as index:
        reports = together(6, lambda _: index.refresh())
        assert [report.files for report in reports] == [FILES] * 6, reports
        assert len({id(report) for report in reports}) == 1  # one worked, and all got what came of it
        assert reports[0].added == FILES


def test_a_thread_gets_what_was_saved_before_it_asked_though_another_refresh_was_under_way(root):
    """That one may have looked at the file before it was saved."""
    looked, saved = threading.Event(), threading.Event()

    def tell(progress):
        if progress.stage == "parse":  # the tree was walked
            looked.set()
            saved.wait(60)

    with Index.open(root) as index:
        first = threading.Thread(target=lambda: index.refresh(tell))
        first.start()
        assert looked.wait(60)
        (root / "late.py").write_text("def late():\n    pass\n")
        threading.Timer(0.2, saved.set).start()  # by then the second waits; where not, it has nothing to wait for
        report = index.refresh()
        first.join(60)
        assert report.files == FILES + 1
        assert "late.py" in index.files()


def test_a_forced_refresh_is_not_shared_with_one_that_was_not(root):
    with Index.open(root) as index:
        index.refresh()
        reports = together(4, lambda number: index.refresh(force=number % 2 == 0))
        assert all(report.files == FILES for report in reports)


def test_refreshes_and_updates_of_one_handle_wait_for_each_other(root):
    with Index.open(root) as index:
        index.refresh()
        works = [index.refresh, lambda: index.update(["m0.py"]), index.tidy, lambda: index.refresh(force=True)]
        got = together(8, lambda number: works[number % 4]())
        assert not [error for error in got if isinstance(error, Exception)], got


def test_a_refresh_within_a_refresh_of_the_same_thread_is_refused_and_does_not_hang(root):
    with Index.open(root) as index:
        refused = []

        def tell(_):
            if not refused:
                with pytest.raises(IndexBusy) as busy:
                    index.refresh()
                refused.append(busy.value.message)

        index.refresh(tell)
        assert refused == ["this thread is writing this index already"]


def test_another_handle_of_this_process_is_not_called_another_process(root):
    with Index.open(root) as one, Index.open(root) as other:
        busy = []

        def tell(_):
            if not busy:
                with pytest.raises(IndexBusy) as error:
                    other.refresh()
                busy.append(error.value.message)

        one.refresh(tell)
        (said,) = busy
        assert said.startswith("another thread of this process is writing this index: process ")


QUESTIONS = {
    "search": lambda index: index.search("work"),
    "grep": lambda index: index.grep("work"),
    "definitions": lambda index: index.definitions("work_1"),
    "outline": lambda index: index.outline(),
    "callers": lambda index: index.callers("work_1"),
    "callees": lambda index: index.callees("work_1"),
    "usages": lambda index: index.usages("work_1"),
    "context": lambda index: index.context("work_1"),
    "files": lambda index: index.files(),
    "status": lambda index: index.status(),
    "skips": lambda index: index.skips(),
    "audit": lambda index: index.audit(),
    "refresh": lambda index: index.refresh(),
    "update": lambda index: index.update(["m1.py"]),
    "tidy": lambda index: index.tidy(),
    "is_stale": lambda index: index.is_stale(),
    "pending_files": lambda index: index.pending_files(),
    "settled": lambda index: index.settled(lambda: 1),
    "keep_up": lambda index: index.keep_up(),
    "indexed": lambda index: index.indexed,
    "is_complete": lambda index: index.is_complete,
    "export": lambda index: index.export("nowhere"),
    "import_from": lambda index: index.import_from("nowhere"),
    "compactor": lambda index: index.compactor,
    "trail": lambda index: index.trail,
    "census": lambda index: index.census(),
}


def test_every_public_method_is_in_the_table_above():
    public = {
        name
        for name, found in inspect.getmembers(Index)
        if not name.startswith("_") and (inspect.isfunction(found) or isinstance(found, property))
    }
    assert public - {"close", "is_closed"} <= QUESTIONS.keys(), public - QUESTIONS.keys()


@pytest.mark.parametrize("asked", [name for name in QUESTIONS if hasattr(Index, name)])
def test_a_closed_index_says_that_it_is_closed_and_opens_nothing(root, asked):
    index = Index.open(root)
    index.refresh()
    index.search("work")
    index.close()
    index.close()
    with pytest.raises(IndexClosed, match="was closed") as closed:
        QUESTIONS[asked](index)
    assert "Index.open" in closed.value.hint
    assert index._store is None and index._coordinator is None


def test_an_index_that_is_closed_while_it_answers_answers_and_is_then_closed(root):
    index = Index.open(root)
    index.refresh()
    stop, got = threading.Event(), []

    def ask():
        while not stop.is_set():
            try:
                for question in ("search", "grep", "status", "callers", "definitions"):
                    QUESTIONS[question](index)
            except IndexClosed:
                return
            except BaseException as error:
                got.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: index._coordinator is not None)
    time.sleep(0.05)  # in the middle of something; whatever it is
    index.close()
    for thread in threads:
        thread.join(60)
    stop.set()
    assert not got
    assert index._store is None and index._coordinator is None


def test_a_refresh_that_is_closed_over_comes_to_its_end(root):
    index, begun = Index.open(root), threading.Event()
    reports = []
    thread = threading.Thread(target=lambda: reports.append(index.refresh(lambda _: begun.set())))
    thread.start()
    assert begun.wait(60)
    index.close()
    thread.join(60)
    assert [report.files for report in reports] == [FILES]
    assert index._store is None
    with Index.open(root) as again:
        assert not again.is_stale()


def test_a_watcher_of_an_index_that_is_closed_ends(root):
    index = Index.open(root)
    live = Live(index).start()
    live.settle(60)
    index.close()
    until(lambda: not live._thread.is_alive())
    live.stop()


def test_a_closed_project_says_so_too(root):
    from scova.config import cache_folder
    from scova.projects.catalog import Catalog

    Catalog(cache_folder()).create("docs")
    library = Library.open("docs")
    library.close()
    with pytest.raises(IndexClosed):
        library.search("work")
    with pytest.raises(IndexClosed):
        library.skips()
