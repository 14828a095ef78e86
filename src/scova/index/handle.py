"""Index: the handle a user holds on one indexed folder, and the only place where local parts are put together.

    with Index.open("path") as index:
        index.refresh()
        answer = index.search("where are passwords checked")

It composes; it decides nothing that a room below could decide. What only a build needs is imported when a build starts,
because a search must start fast.
"""

import os
import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from scova import config as settings
from scova.build.footprint import Footprint
from scova.config import Config
from scova.errors import IndexMissing, IndexState, StoreDamaged
from scova.index import keeping
from scova.index.embedder import embedder_of
from scova.index.exchange import Exchange
from scova.index.questions import Questions
from scova.index.settling import Settling
from scova.index.standing import Standing
from scova.lock import writer_lock
from scova.stores.audit import DAMAGED
from scova.stores.layout import Layout, embeddings_db, inode_of, set_aside
from scova.stores.sqlite import SqliteStore
from scova.types import WHOLE, Finding, Progress, Report, Share, Skip

if TYPE_CHECKING:
    from scova.build.build import Tools
    from scova.build.compaction.compactor import Compactor
    from scova.protocols import Embedder, WholeReader
    from scova.search.coordinator import SearchCoordinator
    from scova.search.regex.grep import Place
    from scova.sources.folder import FolderSource
    from scova.stores.embeddings import EmbeddingCache
    from scova.stores.grams.reader import Grams

Tell = Callable[[Progress], None]


class Index(Questions, Exchange, Settling, Standing):
    """One folder, indexed. Threads may search it at the same time; one refresh at a time."""

    def __init__(self, root: Path, layout: Layout, config: Config) -> None:
        self.root = root
        self.layout = layout
        self.config = config
        self._store: SqliteStore | None = None
        self._store_inode = 0
        self._coordinator: SearchCoordinator | None = None
        self._compactor: Compactor | None = None
        self._opening = threading.Lock()

    @classmethod
    def open(cls, path: str | os.PathLike[str] = ".", **chosen: settings.Value | None) -> Self:
        """The index of a folder, whether built yet or not. `chosen` are settings that win over files and environment."""
        root = keeping.root_of(path)
        config = settings.load(root, chosen)
        layout = keeping.place_of(root, config)
        keeping.check(layout, root, config)
        return cls(root, layout, config)

    @property
    def indexed(self) -> bool:
        """Whether there is anything to search."""
        return self.layout.store_db.exists()

    @property
    def is_complete(self) -> bool:
        """Whether a build has come to its end here, whatever has changed since."""
        return self.indexed and self._footprint().is_complete(self._opened())

    def refresh(self, tell: Tell | None = None, *, force: bool = False, wait_seconds: float = 0.0) -> Report:
        """Bring the index up to date with the folder, building it if there is none; with `force`, read every file again.

        Raises IndexBusy, naming the other, when another process is still writing after `wait_seconds`.
        """
        from scova.build.refresh import refresh

        folder = self._source()
        keeping.prepare(self.layout, self.root, self.config)
        with writer_lock(self.layout.lock, wait_seconds=wait_seconds):
            report = refresh(self._tools(), folder, self._footprint(), tell, force=force)
        self._pending = ()
        return report

    def update(self, paths: Iterable[str], tell: Tell | None = None, *, wait_seconds: float = 0.0) -> Report:
        """Bring the index up to date where these paths are concerned (relative to the root; files or folders, there or gone).

        Takes the same time however large the folder is. A whole refresh where only that is certain.
        """
        from scova.build.refresh import update

        folder = self._source()
        keeping.prepare(self.layout, self.root, self.config)
        with writer_lock(self.layout.lock, wait_seconds=wait_seconds):
            return update(self._tools(), folder, self._footprint(), paths=frozenset(paths), tell=tell)

    def tidy(self, *, wait_seconds: float = 0.0) -> None:
        """Do what updates put off: nothing is missing before, but what they left is covered by every question itself."""
        from scova.build.build import Build

        with writer_lock(self.layout.lock, wait_seconds=wait_seconds):
            Build(self._tools(), known={}).tidy()

    def is_stale(self, share: Share = WHOLE) -> bool:
        """Whether a refresh would find something to do, in this part of the files. Costs a stat per file."""
        return not self.indexed or not self._footprint().is_current(self._opened(), self.layout, share)

    def pending_files(self) -> int:
        """How many files a refresh would read or forget. Later answers carry this number, until the next refresh."""
        store, footprint = self._opened(), self._footprint()
        if footprint.is_outdated(store):
            self._pending = tuple(store.files())  # another version of scova made it: every file is read again
        elif (changed := footprint.changed(store)) is not None:
            self._pending = tuple(item.path for item in changed)
        else:
            from scova.build import memory
            from scova.build.plan import plan

            todo = plan(self._source().items(), store.files(), memory.read_skips(store))
            self._pending = (*(task.item.path for task in todo.tasks), *todo.removed)
        return len(self._pending)

    @property
    def compactor(self) -> "Compactor":
        """Who brings the graph over the vectors up to date, at the end of a build or behind a watcher."""
        from scova.build.compaction.compactor import Compactor
        from scova.build.compaction.due import Place

        place = Place(self.layout, self._footprint().model, self._opened().store_id, self.config.ann_from)
        if self._compactor is None or self._compactor.place != place:
            self._compactor = Compactor(place, threads=self.config.workers)
        return self._compactor

    def skips(self) -> list[Skip]:
        """Everything left out, with the reason."""
        return self._opened().skips()

    def audit(self) -> list[Finding]:
        """Everything in any part of the index that does not agree with the rest; empty when all is well."""
        from scova.build.inspect import inspect

        return inspect(self._opened(), self.layout, self._cache, self._embedder)

    @classmethod
    def repair(
        cls, path: str | os.PathLike[str] = ".", *, data: str | None = None, tell: Tell | None = None
    ) -> "tuple[list[Finding], Report]":
        """Mend what an audit finds, and bring the index up to date; a store that cannot be read is set aside and built anew.

        Returns what was found, and the report of the refresh.
        """
        with cls.open(path, data=data) as index:
            try:
                found = index._mend()
            except StoreDamaged as error:
                found = [Finding("store", DAMAGED, index.layout.store_db.name, error.message)]
                index._start_anew()
            report = index.refresh(tell)  # first: there may be no store before
            return found, index.compactor.finished(report, tell)

    def close(self) -> None:
        """Let go of everything. Closing twice is fine."""
        if self._coordinator is not None:
            self._coordinator.close()
        if self._store is not None:
            self._store.close()
        self._coordinator = self._store = None
        if "_cache" in self.__dict__:
            self._cache.close()
            del self.__dict__["_cache"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- how the parts fit together

    @cached_property
    def _embedder(self) -> "Embedder | None":
        return embedder_of(self.config)

    @cached_property
    def _cache(self) -> "EmbeddingCache":
        from scova.stores.embeddings import EmbeddingCache

        return EmbeddingCache(embeddings_db(settings.cache_folder()))

    def _opened(self, *, create: bool = False, project: str = "") -> SqliteStore:
        with self._opening:
            if self._store is None:
                if not create and not self.indexed:
                    raise IndexMissing(f"`{self.root}` is not indexed yet", f"run `scova index {self.root}`")
                self._check_owner()
                self._store = SqliteStore.open(self.layout.store_db, project or self.root.name or "root")
                self._store_inode = inode_of(self.layout.store_db)
            return self._store

    def _check_owner(self) -> None:
        """One folder of data holds one index. A root that was renamed keeps its index; two roots do not share one."""
        owner = self.layout.owner()
        if owner and owner != str(self.root) and Path(owner).exists() and not self.root.samefile(owner):
            raise IndexState(f"`{self.layout.root}` holds the index of `{owner}`", "choose another folder with --data")

    def _searching(self) -> "SearchCoordinator":
        if self._coordinator is not None:
            return self._coordinator
        from scova.chunks.manager import ChunkManager
        from scova.search.coordinator import SearchCoordinator
        from scova.search.view import Views
        from scova.sources.present import Present

        store = self._opened()
        with self._opening:
            if self._coordinator is None:
                parts, ann_from = (self.layout, self._cache, self._embedder), self.config.ann_from
                views = Views(*parts, store_id=store.store_id, ann_from=ann_from)
                tree = Present(self.root, lambda item: self._source().read(item))
                self._coordinator = SearchCoordinator(store, ChunkManager(store.reader), views, tree)
            return self._coordinator

    def _lines(self, reader: "WholeReader", grams: "Grams | None") -> "Place":
        """Files as they are now, those left out among them."""
        from scova.search.regex.grep import Place
        from scova.sources.raw import raw_reader

        return Place(reader, grams, raw_reader(self.root), self.skips(), self._pending)

    def _following(self) -> "SearchCoordinator | None":
        with self._opening:
            if self._store is not None and inode_of(self.layout.store_db) != self._store_inode:
                self._coordinator = self._store = None  # replaced by another; questions under way keep the old one
        return self._coordinator

    def _footprint(self) -> Footprint:
        model = self._embedder.model if self._embedder else ""
        config = self.config
        choice = (config.include, config.exclude, config.languages)
        return Footprint(self.root, config.max_file_bytes, config.index_secrets, model, choice)

    def _source(self) -> "FolderSource":
        """The files of the folder that are to be indexed."""
        from scova.index.choosing import source_of

        return source_of(self.root, self.config, self.layout.root)

    def _tools(self) -> "Tools":
        from scova.build.build import Tools

        store = self._opened(create=True)
        self.layout.put_owner(str(self.root))
        workers = self.config.workers or os.cpu_count() or 1
        ann_from = self.config.ann_from
        return Tools(self.layout, store, self._cache, self._embedder, store.project, workers, ann_from)

    def _mend(self) -> list[Finding]:
        from scova.build.inspect import DERIVED_PARTS

        if not self.indexed:
            return []  # the refresh that follows builds it
        found = self.audit()
        with writer_lock(self.layout.lock):
            if found:
                self._opened().repair()
            if any(finding.part in DERIVED_PARTS for finding in found):
                self.layout.remove_derived()
        return found

    def _start_anew(self) -> None:
        """Set a damaged store aside; nothing is deleted that could not be made again."""
        self.close()
        with writer_lock(self.layout.lock):
            self.layout.remove_derived()
            set_aside(self.layout.store_db)
