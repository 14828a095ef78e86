"""All searchers over one ChunkSet: follows the store, and answers.

The current View is one reference. A reload builds the next View whole and swaps the reference last; a query takes it once
and keeps it to its end. Nobody locks to read, and no query waits for an index to be rebuilt.

Knows nothing of files in the tree, and nothing of how the store is filled.
"""

import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

from scova.chunks.chunkset import ChunkSet
from scova.chunks.manager import ChunkManager
from scova.core.deadline import asking, in_force
from scova.errors import Overtaken
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


class SearchCoordinator:
    """Answers questions about one store, as of its newest change."""

    def __init__(self, store: WholeStore, manager: ChunkManager, views: Views, tree: Tree | None = None) -> None:
        self._store = store
        self._manager = manager
        self._views = views
        self._tree = tree  # to check answers against; None where there are no files to look at
        self._view: View | None = None
        self._seen = (-1, -1)  # the pulse as of the current View
        self._skipped = 0
        self._reloading = threading.Lock()
        self.metrics = Metrics()

    def search(self, query: Query, *, pending_files: int = 0) -> Answer:
        """The answer as of the newest committed change. `pending_files` is what whoever looks at the tree knows of it."""
        return self.ranked(lambda view: answer(view, query), pending_files=pending_files)

    def ranked(self, question: Callable[[View], Answer], *, pending_files: int = 0) -> Answer:
        """A ranked answer, which says too how many files are left out."""
        return self._ask(question, pending_files, lambda: {"skipped_files": self._skipped})

    def ask(self, question: Callable[[View], Answered], *, pending_files: int = 0) -> Answered:
        """Any question, answered as of the newest committed change; checked against the files as they are, and dated."""
        return self._ask(question, pending_files)

    def _ask(
        self, question: Callable[[View], Answered], pending_files: int, beside: Callable[[], dict[str, int]] = dict
    ) -> Answered:
        """`beside` is what else is known of the answer; as of the View, so it is asked when there is one."""
        view, found = self._answered(question)
        more = beside()
        freshness = _freshness(view, pending_files, found.freshness.tiers)
        if self._tree is None:
            return replace(found, freshness=freshness, **more)
        with asking(in_force().again()) as deadline:
            verifier = Verifier(view.chunk_set, self._tree)
            found = with_cuts(verified(found, verifier), deadline)
        return replace(found, freshness=verifier.told(freshness), **more)

    def _answered(self, question: Callable[[View], Answered]) -> tuple[View, Answered]:
        """The answer, and what it is of; of a newer moment when an index beside the store was taken beyond the first one."""
        attempts = PATIENCE
        while True:
            view = self.view()
            try:
                return view, _within_deadline(question, view)
            except (ArithmeticError, LookupError, ValueError):
                # Derived files are not read in full when they are opened; one that was damaged since shows here, or never.
                sound = self._views.sound(view.bases)
                if sound == view.bases:
                    raise
                view = self._on(sound, view)
                return view, _within_deadline(question, view)
            except Overtaken:
                attempts -= 1
                if not attempts:
                    raise
                self._seen = (-1, -1)  # look at everything again, though the store may not have moved

    def view(self) -> View:
        """The current View, after following the store if it moved on."""
        view = self._view
        if view is None or self._pulse() != self._seen:
            view = self.reload()
        return view

    def reload(self) -> View:
        """Load once, detect once, update each searcher in turn, swap last."""
        with self._reloading:
            started = time.perf_counter()
            pulse = self._pulse()  # before reading: what is written meanwhile is found by the next reload
            view = self._view
            if view is not None and pulse == self._seen and not view.behind:
                return view
            bases, chunk_set = self._pinned()
            if view is None or bases.reflect != view.bases.reflect or view.pending_embeddings:
                following = self._views.open(chunk_set, bases, view)
            else:
                changes = self._manager.detect_changes(chunk_set)
                following = self._views.follow(view, chunk_set, changes, bases.graph)
            self._manager.update(chunk_set, time.time())
            self._view, self._seen, self._skipped = following, pulse, self._store.count_skips()
            self.metrics = Metrics(
                loads=self._manager.loads,
                swaps=self.metrics.swaps + 1,
                errors=self.metrics.errors + len(following.behind),
                reload_ms=1000 * (time.perf_counter() - started),
            )
            return following

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

    def freshness(self) -> Freshness:
        """How current answers are."""
        return _freshness(self.view())

    def _on(self, sound: Bases, view: View) -> View:
        """The same moment on sound derived files, from now on for everybody unless the store has moved on."""
        opened = self._views.open(view.chunk_set, sound)
        with self._reloading:
            if self._view is view:
                self._view = opened
        return opened

    def close(self) -> None:
        """Let go of the pinned moment."""
        if self._view is not None:
            self._view.chunk_set.close()
        self._view = None


def _within_deadline(question: Callable[[View], Answered], view: View) -> Answered:
    """The answer, which says what it lacks where its deadline came before its end."""
    with asking(in_force().again()) as deadline:
        return with_cuts(question(view), deadline)


def _freshness(view: View, pending_files: int = 0, without: Mapping[str, bool] = NOTHING) -> Freshness:
    """How current a View is; `without` is what the question itself had to do without."""
    has_text, pending = "text" not in view.behind, view.pending_embeddings
    tiers = {"text": has_text, "symbols": has_text}
    if view.vector is not None:
        tiers["vectors"] = "vector" not in view.behind and not pending
    return Freshness(view.chunk_set.change_seq, pending_files, pending, {**tiers, **without})
