"""The coordinator while others reload, write and close: nobody gets an old moment for the newest, or parts of two."""

import gc
import sys
import threading
import weakref

import pytest

from indexed import parsed_text
from scova.chunks.manager import ChunkManager
from scova.errors import IndexState, Overtaken
from scova.search.coordinator import SearchCoordinator
from scova.search.view import Views
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import Layout
from scova.stores.sqlite import SqliteStore
from scova.types import UNKNOWN_FRESHNESS, Answer, Literal, Skip

COMMITS = 200


class Interrupted:
    """A store that does something, once, after its pulse was asked for and before whoever asked has it."""

    def __init__(self, store):
        self._store = store
        self.meanwhile = None

    def __getattr__(self, name):
        return getattr(self._store, name)

    def pulse(self):
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return self._store.pulse()


@pytest.fixture
def store(tmp_path):
    with SqliteStore.open(tmp_path / "store.db", "test") as opened:
        yield Interrupted(opened)


@pytest.fixture
def coordinator(store, tmp_path):
    with EmbeddingCache(tmp_path / "embeddings.db") as cache:
        views = Views(Layout(tmp_path), cache, None, store_id=store.store_id)
        made = SearchCoordinator(store, ChunkManager(store.reader), views)
        commit(store, 0)
        yield made
        made.close()


def commit(store, number):
    store.put([parsed_text("a.py", f"def marker():\n    return {number}\n")])
    return store.change_seq()


def in_another_thread(work):
    failures = []

    def run():
        try:
            work()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(120)
    assert not thread.is_alive() and not failures, failures


def answer_of(view):
    """The least that is an answer; what it is of is dated by the coordinator."""
    return Answer((), 0, False, "", Literal("", 0, 0, {}), 0, UNKNOWN_FRESHNESS, 0, {})


def text_of(view):
    return "".join(chunk.text for chunk in view.chunk_set.by_file("a.py"))


def test_a_reload_between_taking_the_view_and_comparing_the_pulse_does_not_give_the_old_view(store, coordinator):
    coordinator.view()

    def reloaded():
        commit(store, 1)
        in_another_thread(coordinator.view)

    store.meanwhile = reloaded
    assert coordinator.view().chunk_set.change_seq == store.change_seq()


def test_the_same_for_a_question(store, coordinator):
    coordinator.view()

    def reloaded():
        commit(store, 1)
        in_another_thread(coordinator.view)

    store.meanwhile = reloaded
    found = coordinator.ask(answer_of)
    assert found.freshness.change_seq == store.change_seq()


def test_a_reload_during_a_question_does_not_give_its_answer_the_skips_of_the_next_moment(store, coordinator):
    store.put_skips([Skip("big.bin", "binary")])

    def question(view):
        store.put_skips([Skip("big.bin", "binary"), Skip("other.bin", "binary")])
        commit(store, 1)
        in_another_thread(coordinator.view)
        return answer_of(view)

    before = coordinator.view().chunk_set.change_seq
    found = coordinator.ranked(question)
    assert (found.freshness.change_seq, found.skipped_files) == (before, 1)
    assert coordinator.ranked(answer_of).skipped_files == 2


def test_a_question_that_was_overtaken_while_others_reloaded_is_asked_of_their_moment(store, coordinator):
    asked = []

    def question(view):
        asked.append(view.chunk_set.change_seq)
        if len(asked) == 1:
            commit(store, 1)
            in_another_thread(coordinator.view)
            raise Overtaken("moved on", "ask again")
        return answer_of(view)

    swaps = coordinator.metrics.swaps
    assert coordinator.ask(question).freshness.change_seq == store.change_seq() == asked[-1]
    assert coordinator.metrics.swaps == swaps + 2, "the first View and that of the other thread; no third one"


def test_every_view_is_as_new_as_what_was_committed_before_it_was_asked_for(store, coordinator):
    """Readers beside a writer: bounded by the number of commits, whatever the machine does."""
    committed = [commit(store, 0)]
    done, failures, behind = threading.Event(), [], []

    def read():
        try:
            while not done.is_set():
                before = committed[-1]
                if (seen := coordinator.view().chunk_set.change_seq) < before:
                    behind.append((seen, before))
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in readers:
            thread.start()
        for number in range(COMMITS):
            committed.append(commit(store, number))
    finally:
        done.set()
        for thread in readers:
            thread.join(120)
        sys.setswitchinterval(interval)
    assert not failures
    assert not behind, f"{len(behind)} Views were older than a change committed before, such as {behind[0]}"


def test_a_question_under_way_is_answered_to_its_end_when_the_coordinator_is_closed(store, coordinator):
    texts = []

    def question(view):
        in_another_thread(coordinator.close)
        texts.append(text_of(view))
        return answer_of(view)

    assert coordinator.ask(question).freshness.change_seq == store.change_seq()
    assert "marker" in texts[0]


def test_closing_lets_go_of_the_pinned_moment_once_nobody_answers_from_it(coordinator):
    moment = weakref.ref(coordinator.view().chunk_set)
    coordinator.close()
    gc.collect()
    assert moment() is None


@pytest.mark.parametrize("ask", [SearchCoordinator.view, SearchCoordinator.reload])
def test_a_closed_coordinator_says_so_and_pins_nothing(coordinator, ask):
    coordinator.view()
    coordinator.close()
    with pytest.raises(IndexState, match="closed"):
        ask(coordinator)


def test_a_store_that_is_closed_while_its_pulse_is_taken_is_not_called_damaged(store, coordinator):
    coordinator.view()

    def closed():
        coordinator.close()
        store.close()

    store.meanwhile = closed
    with pytest.raises(IndexState, match="closed"):
        coordinator.view()
