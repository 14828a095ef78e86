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
from typing import TYPE_CHECKING, Self

from scova import config as settings
from scova.build.footprint import Footprint
from scova.config import Config
from scova.core import own_folder
from scova.core.path_text import stored
from scova.errors import IndexMissing, StoreDamaged
from scova.index import keeping
from scova.index.closing import Uses, closable
from scova.index.consent import require_consent
from scova.index.embedder import embedder_of
from scova.index.exchange import Exchange
from scova.index.keeping import check_owner, data_folder, folder_of, project_name
from scova.index.questions import Questions
from scova.index.secrets import secret_rules
from scova.index.settling import Settling
from scova.index.standing import Standing
from scova.index.turns import Turns
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


@closable
class Index(Questions, Exchange, Settling, Standing):
    """One folder, indexed. Threads may use it at the same time: they share a refresh. Once closed, it says so."""

    def __init__(self, root: Path, layout: Layout, config: Config) -> None:
        self.root = root
        self.layout = layout
        self.config = config
        self._store: SqliteStore | None = None
        self._store_inode = 0
        self._coordinator: SearchCoordinator | None = None
        self._compactor: Compactor | None = None
        self._opening = (
            threading.RLock()
        )  # store and coordinator belong together: opened, replaced and let go of in here
        self._uses = Uses()
        self._turns = Turns()

    @classmethod
    def open(cls, path: str | os.PathLike[str] = ".", **chosen: settings.Value | None) -> Self:
        """The index of a folder, whether built yet or not. `chosen` are settings that win over files and environment."""
        root = folder_of(path)
        config = settings.load(root, chosen)
        layout = Layout(data_folder(root, config))
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

    def refresh(
        self, tell: Tell | None = None, *, force: bool = False, wait_seconds: float = 0.0, yes: bool = False
    ) -> Report:
        """Bring the index up to date with the folder, building it if there is none; with `force`, read every file again.

        Threads that ask for it together share one: the others wait, and get its report. Raises IndexBusy, naming the other,
        when another process is still writing after `wait_seconds`; FolderTooBroad, unless `yes`, before a first index of a
        home folder, a whole disk, or a folder that is no repository and holds several.
        """
        from scova.build.refresh import refresh

        require_consent(self, yes=yes)

        def work() -> Report:
            folder = self._source()
            keeping.prepare(self.layout, self.root, self.config)
            with writer_lock(self.layout.lock, wait_seconds=wait_seconds):
                return refresh(self._tools(), folder, self._footprint(), tell, force=force)

        report = self._turns.refresh(work, lambda: not self.is_stale(), force=force)
        self._pending = ()
        return report

    def update(self, paths: Iterable[str], tell: Tell | None = None, *, wait_seconds: float = 0.0) -> Report:
        """Bring the index up to date where these paths are concerned (relative to the root; files or folders, there or gone).

        Takes the same time however large the folder is. A whole refresh where only that is certain.
        """
        from scova.build.refresh import update

        require_consent(self)
        folder = self._source()
        keeping.prepare(self.layout, self.root, self.config)
        with self._turns.one(), writer_lock(self.layout.lock, wait_seconds=wait_seconds):
            return update(self._tools(), folder, self._footprint(), paths=frozenset(paths), tell=tell)

    def tidy(self, *, wait_seconds: float = 0.0) -> None:
        """Do what updates put off: nothing is missing before, but what they left is covered by every question itself."""
        from scova.build.build import Build

        with self._turns.one(), writer_lock(self.layout.lock, wait_seconds=wait_seconds):
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
        """Let go of everything, once what is under way has come to its end. Closing twice is fine."""
        self._uses.close(self._release)

    def _release(self) -> None:
        with self._opening:
            coordinator, store, cache = self._coordinator, self._store, self.__dict__.pop("_cache", None)
            self._coordinator = self._store = None
            self.__dict__.pop("_embedder", None)
        for part in (coordinator, store, cache):
            if part is not None:
                part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
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
                check_owner(self.layout, self.root)
                own_folder.close_to_others(settings.cache_folder(), self.layout.root)
                self._store = SqliteStore.open(self.layout.store_db, project or project_name(self.root))
                self._store_inode = inode_of(self.layout.store_db)
            return self._store

    def _searching(self) -> "SearchCoordinator":
        if (found := self._coordinator) is not None:  # read once: another thread may let go of it
            return found
        from scova.chunks.manager import ChunkManager
        from scova.search.coordinator import SearchCoordinator
        from scova.search.view import Views
        from scova.sources.present import Present

        with self._opening:
            if self._coordinator is None:
                store = self._opened()
                parts, ann_from = (self.layout, self._cache, self._embedder), self.config.ann_from
                views = Views(*parts, store_id=store.store_id, ann_from=ann_from)
                tree = Present(self.root, lambda item: self._source().read(item))
                self._coordinator = SearchCoordinator(store, ChunkManager(store.reader), views, tree)
            return self._coordinator

    def _lines(self, reader: "WholeReader", grams: "Grams | None") -> "Place":
        """Files as they are now, those left out among them."""
        from scova.search.regex.grep import Place
        from scova.sources.raw import raw_reader, without_secrets

        read = without_secrets(raw_reader(self.root), secret_rules(self.config).below(self.root))
        return Place(reader, grams, read, self.skips(), self._pending)

    def _following(self) -> "SearchCoordinator | None":
        with self._opening:
            if self._store is not None and inode_of(self.layout.store_db) != self._store_inode:
                self._coordinator = self._store = None  # replaced by another; questions under way keep the old one
            return self._coordinator

    def _footprint(self) -> Footprint:
        model = self._embedder.model if self._embedder else ""
        config = self.config
        choice = (config.include, config.exclude, config.languages)
        return Footprint(self.root, config.max_file_bytes, secret_rules(config), model, choice)

    def _source(self) -> "FolderSource":
        """The files of the folder that are to be indexed."""
        from scova.index.choosing import source_of

        return source_of(self.root, self.config, self.layout.root)

    def _tools(self) -> "Tools":
        from scova.build.build import Tools

        store = self._opened(create=True)
        self.layout.put_owner(stored(self.root))
        workers = self.config.workers or os.cpu_count() or 1
        ann_from = self.config.ann_from
        return Tools(self.layout, store, self._cache, self._embedder, store.project, workers, ann_from)

    def _mend(self) -> list[Finding]:
        from scova.build.inspect import DERIVED_PARTS

        if not self.indexed:
            return []  # the refresh that follows builds it
        found = self.audit()
        with self._turns.one(), writer_lock(self.layout.lock):
            if found:
                self._opened().repair()
            if any(finding.part in DERIVED_PARTS for finding in found):
                self.layout.remove_derived()
        return found

    def _start_anew(self) -> None:
        """Set a damaged store aside; nothing is deleted that could not be made again."""
        self._release()
        with self._turns.one(), writer_lock(self.layout.lock):
            self.layout.remove_derived()
            set_aside(self.layout.store_db)
