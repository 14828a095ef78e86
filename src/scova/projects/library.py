"""The index of one project: everything its sources brought, in one store, to be asked like any other index.

A document's path in it is `SOURCE_ID/NAME`, where NAME is a path in a folder, a URL, or a page of a PDF; so every chunk tells where it comes
from. Only folders can be looked at when a question is asked; pages are as they were fetched. A pattern is looked for in all of them as they
were built.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from scova import config as settings
from scova.core import own_folder
from scova.core.path_text import native
from scova.errors import IndexMissing, ScovaError
from scova.index.closing import Uses, closable
from scova.index.embedder import embedder_of
from scova.index.questions import Questions
from scova.projects.catalog import Catalog
from scova.projects.manifest import Manifest
from scova.projects.spec import SourceType
from scova.stores.layout import Layout, embeddings_db
from scova.stores.project_layout import ProjectLayout
from scova.stores.sqlite import SqliteStore
from scova.types import Document, IndexedFile, Mark, Skip

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from scova.build.build import Tools
    from scova.config import Config
    from scova.projects.building.checkpoints import Checkpoints
    from scova.protocols import Embedder
    from scova.search.coordinator import SearchCoordinator
    from scova.sources.present import Present
    from scova.stores.embeddings import EmbeddingCache


_PATIENCE = 60.0  # seconds for another process that writes to the index of the project


@closable
class Library(Questions):
    """One project, ready to be asked, and to be built into."""

    def __init__(self, manifest: Manifest, place: ProjectLayout, config: "Config") -> None:
        self.manifest = manifest
        self.place = place
        self.root = place.root
        self.layout: Layout = place.data
        self.config = config
        self._folders: tuple[Manifest, dict[str, Present]] | None = None
        self._store: SqliteStore | None = None
        self._coordinator: SearchCoordinator | None = None
        self._opening = threading.RLock()  # store and coordinator belong together: opened and let go of in here
        self._uses = Uses()

    @classmethod
    def open(cls, name: str, *, embedding_batch_size: int = 0) -> Self:
        """The project of this name. A size of batches wins over the setting."""
        catalog = Catalog(settings.cache_folder())
        manifest, place = catalog.get(name), catalog.layout(name)
        own_folder.close_to_others(place.root)
        config = settings.load(place.root)
        if embedding_batch_size:
            config = replace(config, embedder_batch=embedding_batch_size)
        return cls(manifest, place, config)

    @property
    def indexed(self) -> bool:
        """Whether anything was ever built."""
        return self.layout.store_db.exists()

    def skips(self) -> list[Skip]:
        """Everything left out, with the reason."""
        return self._opened().skips()

    def tools(self) -> "Tools":
        """What a build works with; the store is made if there is none."""
        import os

        from scova.build.build import Tools

        own_folder.make(self.layout.root)
        workers = self.config.workers or os.cpu_count() or 1
        return Tools(
            self.layout,
            self._opened(create=True),
            self._cache,
            self.embedder,
            self.manifest.name,
            workers,
            self.config.ann_from,
        )

    def checkpoints(self) -> "Checkpoints":
        """How far its builds are, in files."""
        from scova.projects.building.checkpoints import Checkpoints

        return Checkpoints(self.place.checkpoints, self.manifest.name)

    def said(self, error: Exception) -> str:
        """All that is known of an error: it is their own machine."""
        if isinstance(error, ScovaError):
            return f"{error.message} ({error.hint})" if error.hint else error.message
        return str(error)

    def building(self) -> "AbstractContextManager[None]":
        """Be the one who builds it; IndexBusy, naming the other, while another does."""
        from scova.projects.building.lock import building

        return building(self.place, self.manifest.name)

    def writing(self) -> "AbstractContextManager[None]":
        """Be the one who writes to its index; IndexBusy after waiting too long for another."""
        from scova.lock import writer_lock

        return writer_lock(self.layout.lock, wait_seconds=_PATIENCE)

    def close(self) -> None:
        """Let go of everything, once what is under way has come to its end. Closing twice is fine."""
        self._uses.close(self._release)

    def _release(self) -> None:
        with self._opening:
            coordinator, store, cache = self._coordinator, self._store, self.__dict__.pop("_cache", None)
            self._coordinator = self._store = None
            self.__dict__.pop("embedder", None)
        for part in (coordinator, store, cache):
            if part is not None:
                part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @cached_property
    def embedder(self) -> "Embedder | None":
        """Where its vectors come from."""
        return embedder_of(self.config)

    @cached_property
    def _cache(self) -> "EmbeddingCache":
        from scova.stores.embeddings import EmbeddingCache

        return EmbeddingCache(embeddings_db(settings.cache_folder()))

    def _opened(self, *, create: bool = False) -> SqliteStore:
        with self._opening:
            if self._store is None:
                if not create and not self.indexed:
                    name = self.manifest.name
                    if not self.manifest.sources:
                        add = f"`scova project add {name} folder:PATH` (or url:URL, sitemap:URL, pdf:PATH)"
                        raise IndexMissing(f"project `{name}` has no sources yet", f"add one: {add}, then build it")
                    raise IndexMissing(f"project `{name}` has not been built yet", f"run `scova project build {name}`")
                self._store = SqliteStore.open(self.layout.store_db, self.manifest.name)
            return self._store

    def _searching(self) -> "SearchCoordinator":
        from scova.chunks.manager import ChunkManager
        from scova.search.coordinator import SearchCoordinator
        from scova.search.view import Views

        with self._opening:
            if self._coordinator is None:
                store = self._opened()
                views = Views(
                    self.layout, self._cache, self.embedder, store_id=store.store_id, ann_from=self.config.ann_from
                )
                self._coordinator = SearchCoordinator(
                    store, ChunkManager(store.reader), views, _AsItIs(self._folder, store)
                )
            return self._coordinator

    def _folder(self, source_id: str) -> "Present | None":
        """The folder of a source as it is now; None for any other source. What was added since this was opened counts."""
        manifest, known = self.manifest, self._folders
        if known is None or known[0] is not manifest:
            known = self._folders = (manifest, self._present(manifest))
        return known[1].get(source_id)

    def _present(self, manifest: Manifest) -> "dict[str, Present]":
        from scova.index.choosing import source_of
        from scova.sources.present import Present

        folders = {}
        for spec in manifest.sources:
            root = native(spec.uri)
            if spec.type is SourceType.FOLDER and root.is_dir():
                folders[spec.source_id] = Present(root, source_of(root, self.config).read)
        return folders


class _AsItIs:
    """Documents as they are now: files of folders as they lie there, anything else as it is kept."""

    def __init__(self, folder: "Callable[[str], Present | None]", store: SqliteStore) -> None:
        self._folder = folder
        self._store = store

    def mark(self, path: str) -> Mark | None:
        """The mark of a document; None when there is none to be read."""
        source_id, _, name = path.partition("/")
        if (folder := self._folder(source_id)) is not None:
            return folder.mark(name)
        known = self._known(path)
        return known.mark if known else None

    def document(self, path: str) -> Document | None:
        """The text of a file in a folder; of anything else only its digest, since it is what it was."""
        source_id, _, name = path.partition("/")
        if (folder := self._folder(source_id)) is not None:
            found = folder.document(name)
            return replace(found, path=path) if found else None
        known = self._known(path)
        return Document(path, "", known.digest, "", known.mark) if known else None

    def _known(self, path: str) -> IndexedFile | None:
        with self._store.reader() as reader:
            return reader.file(path)
