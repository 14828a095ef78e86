"""All searchers over one ChunkSet: follows the store, and answers.

The current View, the pulse it was taken at and what is known of its moment are one record behind one reference. A reload makes the
next record whole and swaps the reference last; a query takes it once and keeps it to its end. Nobody locks to read, and no query waits
for an index to be rebuilt. Closing swaps too: a query that has its View keeps it, and the pinned moment goes with the last of them.

Knows nothing of files in the tree, and nothing of how the store is filled.
"""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import MappingProxyType

from scova.chunks.chunkset import ChunkSet
from scova.chunks.manager import ChunkManager
from scova.core.deadline import asking, in_force
from scova.errors import IndexState, Overtaken
from scova.protocols import Tree, WholeStore
from scova.record import record, replace
from scova.search.answer import answer
from scova.search.cuts import with_cuts
from scova.search.verify.answers import Answered, verified
from scova.search.verify.verifier import Verifier
from scova.search.view import Bases, View, Views
from scova.types import Answer, Freshness, Query

NOTHING: Mapping[str, bool] = MappingProxyType({})
PATIENCE = (
    3  # looks at derived files that a writer keeps replacing, before they are done without; and questions asked again
)


@record
class Metrics:
    """What a coordinator has done since it was opened."""

    loads: int = 0
    swaps: int = 0
    errors: int = 0
    reload_ms: float = 0.0  # the last one


@record
class _Current:
    """What answers are given from. These belong together: whoever compares the pulse compares it with that of this very View."""

    view: View
    pulse: tuple[int, int] | None  # read before the View was taken; None when everything is to be looked at again
    skipped: int  # files that are left out


class SearchCoordinator:
    """Answers questions about one store, as of its newest change."""

    def __init__(self, store: WholeStore, manager: ChunkManager, views: Views, tree: Tree | None = None) -> None:
        self._store = store
        self._manager = manager
        self._views = views
        self._tree = tree  # to check answers against; None where there are no files to look at
        self._current: _Current | None = None
        self._is_closed = False
        self._reloading = threading.Lock()
        self.metrics = Metrics()

    def search(self, query: Query, *, pending_files: int = 0) -> Answer:
        """The answer as of the newest committed change. `pending_files` is what whoever looks at the tree knows of it."""
        return self.ranked(lambda view: answer(view, query), pending_files=pending_files)

    def ranked(self, question: Callable[[View], Answer], *, pending_files: int = 0) -> Answer:
        """A ranked answer, which says too how many files are left out."""
        with ExitStack() as held:
            current, found = self._answered(question, held)
            return replace(self._checked(current.view, found, pending_files), skipped_files=current.skipped)

    def ask(self, question: Callable[[View], Answered], *, pending_files: int = 0) -> Answered:
        """Any question, answered as of the newest committed change; checked against the files as they are, and dated."""
        with ExitStack() as held:
            current, found = self._answered(question, held)
            return self._checked(current.view, found, pending_files)

    def _checked(self, view: View, found: Answered, pending_files: int) -> Answered:
        """An answer of this View, compared with the files as they are, and dated."""
        freshness = freshness_of(view, pending_files, found.freshness.tiers)
        if self._tree is None:
            return replace(found, freshness=freshness)
        with asking(in_force().again()) as deadline:
            verifier = Verifier(view.chunk_set, self._tree)
            found = with_cuts(verified(found, verifier), deadline)
        return replace(found, freshness=verifier.told(freshness))

    def _answered(self, question: Callable[[View], Answered], held: ExitStack) -> tuple[_Current, Answered]:
        """The answer, and what it is of; of a newer moment when an index beside the store was taken beyond the first one."""
        attempts = PATIENCE
        while True:
            current = self._held(held)
            try:
                return current, _within_deadline(question, current.view)
            except (ArithmeticError, LookupError, ValueError):
                # Derived files are not read in full when they are opened; one that was damaged since shows here, or never.
                sound = self._views.sound(current.view.bases)
                if sound == current.view.bases:
                    raise
                current = self._on(sound, current)
                return current, _within_deadline(question, current.view)
            except Overtaken:
                attempts -= 1
                if not attempts:
                    raise
                # Look at everything again, though the store may not have moved.
                self._swap(current, replace(current, pulse=None))

    def view(self) -> View:
        """The current View, after following the store if it moved on; IndexState once it was closed. Nobody holds its moment: a
        question does that by itself."""
        with ExitStack() as held:
            return self._held(held).view

    def _held(self, held: ExitStack) -> _Current:
        """What is current, with its moment pinned as long as `held` is open, and no longer: the store's log cannot begin anew while
        anyone reads from it."""
        while True:
            current = self._newest()
            reader = current.view.chunk_set.reader
            if reader.hold():
                held.callback(reader.release)
                return current
            self._swap(current, replace(current, pulse=None))  # the store moved on since it was looked at

    def reload(self) -> View:
        """Load once, detect once, update each searcher in turn, swap last."""
        return self._reloaded().view

    def _newest(self) -> _Current:
        """The View as of the newest change, with what belongs to it. The reference is read before the store is asked: another thread
        that swaps it in between makes this one compare with a pulse that is too old, and never take an old View for the newest."""
        current = self._current
        try:
            if current is None or self._pulse() != current.pulse:
                current = self._reloaded()
        except Exception as error:
            if self._is_closed:  # a store that was closed after it says nothing that helps
                raise _closed() from error
            raise
        return current

    def _reloaded(self) -> _Current:
        with self._reloading:
            if self._is_closed:
                raise _closed()
            started = time.perf_counter()
            pulse = self._pulse()  # before reading: what is written meanwhile is found by the next reload
            current = self._current
            if current is not None and pulse == current.pulse and not current.view.behind:
                return current
            following = _Current(self._followed(current.view if current else None), pulse, self._store.count_skips())
            self._manager.update(following.view.chunk_set, time.time())
            self._current = following
            self.metrics = Metrics(
                loads=self._manager.loads,
                swaps=self.metrics.swaps + 1,
                errors=self.metrics.errors + len(following.view.behind),
                reload_ms=1000 * (time.perf_counter() - started),
            )
            return following

    def _followed(self, view: View | None) -> View:
        """The View after this one: of the newest moment, on the newest derived files."""
        bases, chunk_set = self._pinned()
        if view is None or bases.reflect != view.bases.reflect or view.pending_embeddings:
            return self._views.open(chunk_set, bases, view)
        try:
            changes = self._manager.detect_changes(chunk_set)
        except Overtaken:  # to compare, the moment before would have had to be read, and it is gone
            return self._views.open(chunk_set, bases, view)
        return self._views.follow(view, chunk_set, changes, bases.graph)

    def _pulse(self) -> tuple[int, int]:
        """What differs when the store moved on, or the graph over its vectors was replaced."""
        return self._store.pulse(), self._views.pulse()

    def _pinned(self) -> tuple[Bases, ChunkSet]:
        """The newest derived files and a moment they belong to; anew when a writer replaced them in between."""
        for _ in range(PATIENCE):
            bases = self._views.bases()
            chunk_set = self._manager.load()
            if bases.reach(chunk_set):
                break
        return bases, chunk_set

    def _on(self, sound: Bases, current: _Current) -> _Current:
        """The same moment on sound derived files, from now on for everybody unless the store has moved on."""
        opened = replace(current, view=self._views.open(current.view.chunk_set, sound))
        self._swap(current, opened)
        return opened

    def _swap(self, current: _Current, following: _Current) -> None:
        """From now on this, unless another thread has put something newer in its place."""
        with self._reloading:
            if self._current is current:
                self._current = following

    def close(self) -> None:
        """Answer nothing from now on. Who is answering keeps the pinned moment to the end; it goes with the last of them."""
        with self._reloading:
            self._is_closed = True
            self._current = None
            self._manager.update(ChunkSet.of(()), time.time())


def _closed() -> IndexState:
    return IndexState("the index was closed while it was being asked", "open it again, and ask again")


def _within_deadline(question: Callable[[View], Answered], view: View) -> Answered:
    """The answer, which says what it lacks where its deadline came before its end."""
    with asking(in_force().again()) as deadline:
        return with_cuts(question(view), deadline)


def freshness_of(view: View, pending_files: int = 0, without: Mapping[str, bool] = NOTHING) -> Freshness:
    """How current a View is; `without` is what the question itself had to do without."""
    has_text, pending = "text" not in view.behind, view.pending_embeddings
    tiers = {"text": has_text, "symbols": has_text}
    if view.vector is not None:
        tiers["vectors"] = "vector" not in view.behind and not pending
    return Freshness(view.chunk_set.change_seq, pending_files, pending, {**tiers, **without})
