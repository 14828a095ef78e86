"""One project of a server: its store and what is derived from it, to be asked like any other index, and to be pushed to.

One writes at a time, whichever process or thread it is; who waits too long is told so. What was acknowledged has been committed, and
survives a power cut.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from scova.build import memory
from scova.build.build import Build, Tools
from scova.chunks.manager import ChunkManager
from scova.errors import IndexBusy, IndexMissing
from scova.index.embedder import embedder_of
from scova.index.questions import Questions
from scova.lock import writer_lock
from scova.search.coordinator import SearchCoordinator
from scova.search.similar import Request, similar
from scova.search.view import Views
from scova.server.tenants.parser import Parser
from scova.server.tenants.pushed import NOTHING, PushedSource, changed_of, skip_by_name
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import Layout, embeddings_db, inode_of
from scova.stores.sqlite import SqliteStore
from scova.types import Answer, Finding, Freshness, IndexedFile, Region, Skip, Tally

if TYPE_CHECKING:
    from scova.config import Config
    from scova.protocols import Embedder

WAIT_SECONDS = 30.0  # for another writer
HASTE = 4  # derived files may fall behind so many times further: pushes come in many small pieces


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    status: str  # indexed, unchanged, skipped
    chunks: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A manifest beside what the server has."""

    missing: list[str]
    extra: list[str]
    deleted: int
    change_seq: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How a project stands."""

    tally: Tally
    skipped: list[Skip]
    freshness: Freshness
    bytes_on_disk: int
    behind: Mapping[str, str]
    reloads: Mapping[str, float]


class Tenant(Questions):
    """One project, open."""

    def __init__(self, layout: Layout, config: "Config", parser: Parser) -> None:
        self.layout = layout
        self.root = layout.root
        self.project_id = layout.root.name
        self._config = config
        self._parser = parser
        self._inode = inode_of(layout.store_db)
        self._store = SqliteStore.open(layout.store_db, self.project_id)
        # Questions have a connection of their own: in one process they would wait for the transaction of whoever writes.
        self._asked = SqliteStore.open(layout.store_db, self.project_id)
        self._cache = EmbeddingCache(embeddings_db(layout.root))
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._coordinator: SearchCoordinator | None = None

    @property
    def is_there(self) -> bool:
        """Whether its folder still holds the store that was opened."""
        return inode_of(self.layout.store_db) == self._inode

    def push(self, source: PushedSource) -> tuple[dict[str, Outcome], int]:
        """Bring these files in, each whole in one step; what became of each, and the change that shows it."""
        region = Region(files=frozenset(source.contents))
        with self.held():
            known = self._store.files(region)
            same = {path for path, digest in source.digests.items() if path in known and known[path].digest == digest}
            rest = replace(source, contents={path: data for path, data in source.contents.items() if path not in same})
            if rest.contents:
                paths = frozenset(rest.contents)
                self._build({path: known[path] for path in paths & known.keys()}, rest, paths)
            return self._outcomes(source.contents, same)

    def delete(self, paths: Iterable[str]) -> tuple[list[str], list[str], int]:
        """Take these files out, all in one step: those that were there, those that were not, and the change that shows it."""
        wanted = frozenset(paths)
        with self.held():
            known = self._store.files(Region(files=wanted))
            there = sorted(wanted & known.keys())
            if there or wanted & memory.read_skips(self._store).keys():
                self._build({path: known[path] for path in there}, NOTHING, wanted)
            return there, sorted(wanted - known.keys()), self._store.change_seq()

    def compare(self, manifest: Mapping[str, str], *, prune: bool) -> Difference:
        """Which files are not here as the manifest has them, and which the manifest does not have; with `prune`, those go."""
        if not prune:
            return self._compared(manifest, self._asked)
        with self.held():
            found = self._compared(manifest, self._store)
            gone = frozenset(found.extra) | {path for path in memory.read_skips(self._store) if path not in manifest}
            if gone:
                known = self._store.files()
                self._build({path: known[path] for path in found.extra}, NOTHING, gone)
            return Difference(found.missing, found.extra, len(found.extra), self._store.change_seq())

    def similar(self, request: Request) -> Answer:
        """Chunks nearest in meaning to a text, or to what stands at a place."""
        return self._searching().ranked(lambda view: similar(view, request))

    def standing(self) -> Standing:
        """How it stands."""
        with self._asked.reader() as reader:
            tally = reader.tally()
        coordinator = self._searching()
        return Standing(
            tally,
            self._asked.skips(),
            coordinator.freshness(),
            self.layout.bytes_on_disk(),
            coordinator.view().behind,
            asdict(coordinator.metrics),
        )

    @property
    def size(self) -> tuple[int, int, int]:
        """How many files and chunks there are, and at which change."""
        with self._asked.reader() as reader:
            return reader.count_files(), reader.count(), reader.change_seq

    def tidy(self) -> None:
        """Bring what is derived up to date with the store."""
        with self.held():
            Build(self._tools(patience=1), known={}).tidy()

    def audit(self) -> list[Finding]:
        """Everything in any part of the index that does not agree with the rest."""
        from scova.build.inspect import inspect

        with self.held():
            return inspect(self._store, self.layout, self._cache, self._embedder)

    def skips(self) -> list[Skip]:
        """Everything left out, with the reason."""
        return self._asked.skips()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the one who writes; IndexBusy after waiting too long, IndexMissing when the project went meanwhile."""
        if not self._writing.acquire(timeout=WAIT_SECONDS):
            raise IndexBusy(f"others are writing to `{self.project_id}`", "try again in a few seconds")
        try:
            if not self.is_there:
                raise _gone(self.project_id)
            with writer_lock(self.layout.lock, wait_seconds=WAIT_SECONDS):
                if not self.is_there:
                    raise _gone(self.project_id)
                yield
        finally:
            self._writing.release()

    def close(self) -> None:
        """Let go of everything."""
        if self._coordinator is not None:
            self._coordinator.close()
        self._asked.close()
        self._store.close()
        self._cache.close()

    # --- how the parts fit together

    def _build(self, known: dict[str, IndexedFile], source: PushedSource, paths: frozenset[str]) -> None:
        Build(self._tools(patience=HASTE), known=known).run(source, region=Region(files=paths))
        self._store.sync()

    def _outcomes(self, contents: Iterable[str], same: set[str]) -> tuple[dict[str, Outcome], int]:
        left_out = {skip.path: skip for skip in self._store.skips()}
        with self._store.reader() as reader:
            outcomes = {}
            for path in contents:
                if path in left_out:
                    skip = left_out[path]
                    outcomes[path] = Outcome(
                        "skipped", 0, f"{skip.reason}: {skip.detail}" if skip.detail else skip.reason
                    )
                else:
                    status = "unchanged" if path in same else "indexed"
                    outcomes[path] = Outcome(status, len(reader.chunks_of(path)))
            return outcomes, reader.change_seq

    def _compared(self, manifest: Mapping[str, str], store: SqliteStore) -> Difference:
        change_seq, known = store.change_seq(), store.files()  # in this order: what came in between is not denied
        left_out = memory.read_skips(store)
        secrets = self._config.index_secrets
        missing = [
            path
            for path, digest in sorted(manifest.items())
            if not (path in known and known[path].digest == digest)
            and not (path in left_out and left_out[path].changed_ns == changed_of(digest))
            and skip_by_name(path, index_secrets=secrets) is None
        ]
        return Difference(missing, sorted(known.keys() - manifest.keys()), 0, change_seq)

    @cached_property
    def _embedder(self) -> "Embedder | None":
        return embedder_of(self._config)

    def _tools(self, *, patience: int) -> Tools:
        workers = self._config.workers or os.cpu_count() or 1
        ann_from = self._config.ann_from
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
        )

    def _opened(self) -> SqliteStore:
        return self._asked

    def _searching(self) -> SearchCoordinator:
        with self._opening:
            if self._coordinator is None:
                store, ann_from = self._asked, self._config.ann_from
                views = Views(self.layout, self._cache, self._embedder, store_id=store.store_id, ann_from=ann_from)
                self._coordinator = SearchCoordinator(store, ChunkManager(store.reader), views)
            return self._coordinator


def _gone(project_id: str) -> IndexMissing:
    return IndexMissing(f"there is no project `{project_id}`", "`POST /projects` makes it")
