"""One project, open: how its parts fit together, wherever it lives, and who may write to it.

One writes at a time, whichever process or thread it is; who waits too long is told so.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scova.build import memory
from scova.build.build import Build, Tools
from scova.chunks.manager import ChunkManager
from scova.errors import IndexBusy
from scova.index.embedder import embedder_of
from scova.index.questions import Questions
from scova.lock import writer_lock
from scova.projects.building.lock import building
from scova.projects.manifest import Manifest
from scova.search.coordinator import SearchCoordinator
from scova.search.view import Views
from scova.server.housing.house import Home, gone
from scova.server.tenants import sources
from scova.server.tenants.parser import Parser
from scova.stores.derived import newest_segment
from scova.stores.project_layout import ProjectLayout
from scova.types import Skip

if TYPE_CHECKING:
    from scova.config import Config
    from scova.protocols import Embedder, WholeStore
    from scova.protocols.vectors import VectorIndex

WAIT_SECONDS = 30.0  # for another writer
HASTE = 4  # derived files may fall behind so many times further: pushes come in many small pieces
COLD_CHUNKS = (
    2000  # from here on, derived files that are missing are made before the first question, which is soon faster
)


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
        self._coordinator: SearchCoordinator | None = None
        self._seen = (
            self._followed
        ) = -1  # changes, as of the last look at derived files and of the last that left none behind

    @property
    def is_there(self) -> bool:
        """Whether it has not been removed since it was opened."""
        return self._home.is_there

    @property
    def folder(self) -> Path:
        """Where files of builds lie."""
        return self.layout.root

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
    def building(self, place: ProjectLayout) -> Iterator[None]:
        """Be the one who builds from its sources; IndexBusy, naming the other where that is known, while another does."""
        with building(place, self.project_id), self._home.building():
            yield

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the one who writes; IndexBusy after waiting too long, IndexMissing when the project went meanwhile."""
        if not self._writing.acquire(timeout=WAIT_SECONDS):
            raise IndexBusy(f"others are writing to `{self.project_id}`", "try again in a few seconds")
        try:
            if not self.is_there:
                raise gone(self.project_id)
            with self._home.exclusive(wait_seconds=WAIT_SECONDS):
                if not self.is_there:
                    raise gone(self.project_id)
                yield
        finally:
            self._writing.release()

    def remove(self) -> None:
        """Remove the project with all it holds, once whoever is writing to it has finished."""
        with self.held():
            if self.vectors is not None:  # first: without its project nobody would know whose they are
                self.vectors.drop()
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
        if self._coordinator is None or newest == self._followed:
            return
        is_quiet, self._seen = newest == self._seen, newest
        with suppress(IndexBusy):
            self._follow(patience=1 if is_quiet else HASTE)
            if is_quiet:
                self._followed = newest

    def close(self) -> None:
        """Let go of everything."""
        if self._coordinator is not None:
            self._coordinator.close()
        if (vectors := self.__dict__.get("vectors")) is not None:  # else they were never asked for
            vectors.close()
        self._home.close()

    def _follow(self, *, patience: int) -> None:
        self.layout.root.mkdir(parents=True, exist_ok=True)  # a cache may be deleted at any time
        with writer_lock(self.layout.lock):
            Build(self.tools(patience=patience), known={}).follow()

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
        with self._opening:
            if self._coordinator is None:
                store, ann_from = self._asked, self.config.ann_from
                if newest_segment(self.layout, store.store_id) is None:
                    self._warm()
                views = Views(
                    self.layout,
                    self._cache,
                    self._embedder,
                    store_id=store.store_id,
                    ann_from=ann_from,
                    vectors=self.vectors,
                )
                self._coordinator = SearchCoordinator(store, ChunkManager(store.reader), views)
            return self._coordinator

    def _warm(self) -> None:
        """Make derived files where a process that has none is asked about much: without them, every start would read everything."""
        with self._asked.reader() as reader:
            is_much = reader.count() > COLD_CHUNKS
        if is_much:
            with suppress(IndexBusy):
                self._follow(patience=1)
