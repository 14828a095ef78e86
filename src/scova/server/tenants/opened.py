"""One project, open: how its parts fit together, wherever it lives, and who may write to it.

One writes at a time, whichever process or thread it is; who waits too long is told so.
"""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from scova.build import memory
from scova.build.build import Tools, catch_up
from scova.build.publish import LARGEST_SHARE
from scova.chunks.manager import ChunkManager
from scova.core import own_folder
from scova.errors import DerivedDamaged, IndexBusy, IndexReadOnly
from scova.index.embedder import embedder_of
from scova.index.questions import Questions
from scova.lock import writer_lock
from scova.projects.manifest import Manifest
from scova.record import replace
from scova.search.coordinator import SearchCoordinator
from scova.search.view import Views
from scova.server.housing.house import Home, gone
from scova.server.housing.telling import being_built, being_written
from scova.server.tenants import sources
from scova.server.tenants.checkpoints import SharedCheckpoints
from scova.server.tenants.parser import Parser
from scova.server.tenants.readiness import Readiness
from scova.stores.derived import newest_segment
from scova.stores.project_layout import ProjectLayout
from scova.types import Answer, Query, Skip

if TYPE_CHECKING:
    from scova.config import Config
    from scova.protocols import Embedder, WholeStore
    from scova.protocols.vectors import VectorIndex
    from scova.search.cold.answers import ColdSearch

WAIT_SECONDS = 30.0  # for another writer
HASTE = 4  # derived files may fall behind so many times further: pushes come in many small pieces
# Chunks that a first question reads from the store, within a second or two; where no derived file covers more, they are made before.
COLD_CHUNKS = 8000

_log = logging.getLogger("scova.server")


class Opened(Questions):
    """The parts of one project."""

    def __init__(self, home: Home, config: "Config", parser: Parser) -> None:
        self.layout = home.layout
        self.root = home.layout.root
        self.project_id = home.project_id
        self.address = home.address
        self.config = config
        self._home = home
        self._parser = parser
        self._store, self._asked, self._cache = home.store, home.asked, home.cache
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._ready = Readiness[SearchCoordinator](home.project_id)
        self._cold: ColdSearch | None = None  # who answers until it is ready
        # Changes, as of the last look at derived files and of the last that left none behind.
        self._seen = self._followed = -1

    @property
    def is_there(self) -> bool:
        """Whether it has not been removed since it was opened."""
        return self._home.is_there

    @property
    def builds(self) -> ProjectLayout:
        """Where what builds fetched lies, and how far they are."""
        return ProjectLayout(self.layout.root / "builds")

    @property
    def checkpoints(self) -> SharedCheckpoints:
        """How far builds are."""
        return SharedCheckpoints(self._store, self._asked, folder=self.builds.checkpoints)

    def search(self, query: str | Query, **options: object) -> Answer:
        """The answer to a question. While derived files are being made here, it is that of an index beside the store which holds words,
        where there is one, and says so."""
        if (cold := self._meanwhile()) is not None:
            asked = query if isinstance(query, Query) else Query(query)
            found = cold.search(replace(asked, **options) if options else asked)  # type: ignore[arg-type]
            if found is not None:
                return found
        return super().search(query, **options)

    def skips(self) -> list[Skip]:
        """Everything left out, with the reason."""
        return self._asked.skips()

    @property
    def sources(self) -> Manifest:
        """Its sources, which builds bring in; what is pushed comes beside them."""
        return sources.kept(self._asked)

    def keep_sources(self, manifest: Manifest) -> None:
        """Keep these sources from now on. Whoever calls it holds the project."""
        sources.keep(self._store, manifest)

    @contextmanager
    def building(self) -> Iterator[None]:
        """Be the one who builds from its sources; IndexBusy while another does."""
        if not self.is_there:
            raise gone(self.project_id)
        own_folder.make(self.builds.root)  # a cache may be deleted at any time
        with ExitStack() as stack:
            try:
                stack.enter_context(writer_lock(self.builds.build_lock))
                stack.enter_context(self._home.building())
            except IndexBusy as busy:
                raise being_built(self.project_id) from busy
            yield

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the one who writes; IndexBusy after waiting too long, IndexMissing when the project went meanwhile."""
        if not self._writing.acquire(timeout=WAIT_SECONDS):
            raise being_written(self.project_id)
        try:
            if not self.is_there:
                raise gone(self.project_id)
            with ExitStack() as stack:
                try:
                    stack.enter_context(self._home.exclusive(wait_seconds=WAIT_SECONDS))
                except IndexBusy as busy:
                    raise being_written(self.project_id) from busy
                if not self.is_there:
                    raise gone(self.project_id)
                yield
        finally:
            self._writing.release()

    def remove(self) -> None:
        """Remove the project with all it holds, once whoever is writing to it has finished; IndexBusy while it is being built."""
        # Not under a build: it would go on to leave files where the next project of this name is to be.
        with self.building(), self.held():
            if self.vectors is not None:  # first: without its project nobody would know whose they are
                self.vectors.drop_all()
            self._home.remove()

    def tools(self, *, patience: int) -> Tools:
        """What a build works with; derived files may fall behind `patience` times further."""
        workers = self.config.workers or os.cpu_count() or 1
        ann_from = self.config.ann_from
        model = self._embedder.model if self._embedder else ""
        rests = memory.put_off_for(self._store, model)  # a remote embedder that failed must not hold up every push
        return Tools(
            self.layout,
            self._store,
            self._cache,
            self._embedder,
            self.project_id,
            workers,
            ann_from,
            patience,
            embeds=not rests,
            apart=self._parser,
            vectors=self.vectors,
        )

    def follow(self) -> None:
        """Bring derived files here up to date with what others wrote, where that is worth it; more so once nothing is written any more.
        Not while anyone else is at them: it waits for nobody, and nobody who asks waits for it."""
        newest = self._asked.change_seq()
        if self._ready.found is None or newest == self._followed:
            return
        is_quiet, self._seen = newest == self._seen, newest
        with suppress(IndexBusy):
            self._follow(patience=1 if is_quiet else HASTE, wait_seconds=0.0)
            if is_quiet:
                self._followed = newest

    def close(self) -> None:
        """Let go of everything; of what is being made ready, once it is."""
        self._ready.end(self._let_go)

    def _let_go(self) -> None:
        if self._cold is not None:
            self._cold.coordinator.close()
        if (coordinator := self._ready.found) is not None:
            coordinator.close()
        if (vectors := self.__dict__.get("vectors")) is not None:  # else they were never asked for
            vectors.close()
        self.__dict__.pop("_embedder", None)
        self._home.close()

    def _follow(self, *, patience: int, wait_seconds: float) -> None:
        catch_up(self.tools(patience=patience), lambda: self._deriving(wait_seconds))

    @contextmanager
    def _deriving(self, wait_seconds: float) -> Iterator[None]:
        """Be the one who writes derived files here; IndexBusy when another still writes after waiting."""
        # Who waits in this process to write goes first: it looks only now and then, and would hardly find this free between two files.
        if not self._writing.acquire(timeout=wait_seconds):
            raise IndexBusy(f"others are writing to `{self.project_id}`", "try again in a few seconds")
        self._writing.release()
        if not self.is_there:
            raise gone(self.project_id)
        own_folder.make(self.layout.root)  # a cache may be deleted at any time
        with writer_lock(self.layout.lock, wait_seconds=wait_seconds):
            yield

    @cached_property
    def _embedder(self) -> "Embedder | None":
        return embedder_of(self.config)

    @cached_property
    def vectors(self) -> "VectorIndex | None":
        """Where its vectors are searched; None for files of its own."""
        url = self.config.serve_vectors
        return self._home.vectors(url, self._embedder) if url and self._embedder else None

    def _opened(self) -> "WholeStore":
        return self._asked

    def _searching(self) -> SearchCoordinator:
        ready = self._ready
        if ready.found is None and not ready.is_making and not self._is_cold():
            with self._opening:  # one opens what it needs, the others find it
                return ready.found or ready.put(self._coordinated())
        return ready.get(self._warmed)

    def _is_begun(self) -> bool:
        """Whether derived files are being made here; begins with it where that is needed, and waits for nothing."""
        ready = self._ready
        return ready.found is None and (ready.is_making or self._is_cold()) and ready.begin(self._warmed)

    def _meanwhile(self) -> "ColdSearch | None":
        """Who can be asked until derived files are made; None when they are, or need not be, or there is nobody."""
        if self._ready.found is not None:
            self._cold = None  # with the moment that it holds on to, once the last who asks it has gone
            return None
        # Where there is nobody to ask, it is not begun here: the first who waits for it is the one who begins.
        if self.vectors is None or self.vectors.words is None or not self._is_begun():
            return None
        from scova.search.cold.answers import ColdSearch, ColdViews

        with self._opening:
            if self._cold is None and self._ready.found is None:
                store = self._asked
                views = ColdViews(
                    self.layout, self._cache, self._embedder, store_id=store.store_id, vectors=self.vectors
                )
                self._cold = ColdSearch(store, views)
            return self._cold

    def _is_cold(self) -> bool:
        """Whether so much is covered by no derived file here that a question would be held up by reading it."""
        segment = newest_segment(self.layout, self._asked.store_id)
        with self._asked.reader() as reader:
            rest, covered = reader.count(), 0
            if segment is not None:
                # Where nobody remembers what died since it was written, a file is no use.
                with suppress(DerivedDamaged):
                    since = segment.applied_seq
                    rest, covered = len(reader.removed(since)) + len(reader.rows(since=since)), len(segment)
        return rest > max(COLD_CHUNKS, HASTE * covered // LARGEST_SHARE)  # so far, writers let it fall behind

    def _coordinated(self) -> SearchCoordinator:
        store, ann_from = self._asked, self.config.ann_from
        views = Views(
            self.layout,
            self._cache,
            self._embedder,
            store_id=store.store_id,
            ann_from=ann_from,
            vectors=self.vectors,
        )
        return SearchCoordinator(store, ChunkManager(store.reader), views)

    def _warmed(self) -> SearchCoordinator:
        """The same with all it needs at hand, however long that takes: derived files made, and opened."""
        try:
            self._follow(patience=1, wait_seconds=WAIT_SECONDS)
        except (IndexBusy, IndexReadOnly, OSError) as error:  # it works without them: all is read from the store, once
            _log.warning("derived files of `%s` are not made: %s", self.project_id, error)
        coordinator = self._coordinated()
        coordinator.view()
        found = self._ready.put(coordinator)
        with self._opening:
            self._cold = None  # nobody begins to ask it any more: the moment that it holds on to must not stay until someone searches
        return found
