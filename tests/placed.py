"""A part of our own tree in a store, with what is derived from it at a place of its own: one process, as far as an answer can tell."""

import shutil
from pathlib import Path

from scova.build.build import Build, Tools
from scova.build.inspect import inspect
from scova.build.publish import IndexPublisher
from scova.chunks.manager import ChunkManager
from scova.embed.static import StaticEmbedder
from scova.parse.language import language_of
from scova.search.coordinator import SearchCoordinator
from scova.search.view import Views
from scova.sources.folder import FolderSource
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import Layout

ROOT = Path(__file__).parents[1]
SMALL = ("src/scova/search/searchers", "src/scova/stores/ann", "docs/decisions")


def own_tree(root, names=SMALL):
    """A copy of parts of our own tree."""
    for name in names:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


class Place:
    """One process: a store, and what is derived from it in a folder of its own, but for vectors that lie beside the store."""

    def __init__(self, folder, store, vectors=None, *, embedder=None, workers=1):
        self.layout = Layout(folder)
        self.layout.root.mkdir(parents=True)
        self.store, self.vectors = store, vectors
        self.cache = EmbeddingCache(folder / "embeddings.db")
        self.embedder = embedder or StaticEmbedder()
        self.tools = Tools(self.layout, store, self.cache, self.embedder, "tree", workers, vectors=vectors)
        self.coordinator = self.searching()

    def searching(self):
        views = Views(self.layout, self.cache, self.embedder, store_id=self.store.store_id, vectors=self.vectors)
        return SearchCoordinator(self.store, ChunkManager(self.store.reader), views)

    def build(self, tree):
        return Build(self.tools).run(FolderSource(tree, language_of=language_of))

    def mend(self):
        with self.store.reader() as reader:
            IndexPublisher(self.vectors, self.store, self.cache, self.embedder).mend(reader)

    def audit(self):
        return inspect(self.store, self.layout, self.cache, self.embedder, vectors=self.vectors)

    def close(self):
        self.coordinator.close()
        self.store.close()
        self.cache.close()
