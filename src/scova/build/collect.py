"""Clearing up a user's cache: indexes of folders that are gone, and vectors that no index uses."""

from pathlib import Path
from typing import NamedTuple

from scova.core.own_files import remove_own
from scova.core.path_text import native
from scova.errors import IndexBusy, IndexForeign
from scova.lock import writer_lock
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import Layout, embeddings_db, layouts
from scova.stores.names import INDEX
from scova.stores.owned.mark import forget, index_id
from scova.stores.project_layout import project_layout, project_names
from scova.stores.sqlite import SqliteStore

_AT_ONCE = 2000  # chunks looked at a time


class Collected(NamedTuple):
    """What a clearing up removed: indexes by their roots, with their size in bytes; and vectors, with the room that was given back."""

    indexes: dict[str, int]
    vectors: int = 0
    bytes_given_back: int = 0


def collect(cache: Path, state: Path, *, dry_run: bool = False, embeddings: bool = False) -> Collected:
    """Remove the indexes of folders that are gone; with `embeddings`, also vectors that no index in the cache uses."""
    gone: dict[str, int] = {}
    for layout in layouts(cache):
        root = layout.owner()
        if root and not native(root).exists():
            size = layout.bytes_on_disk()
            if not dry_run and not _removed(layout, state):
                continue
            gone[root] = size
    return Collected(gone, *_forget_unused(cache, dry_run=dry_run)) if embeddings else Collected(gone)


def _removed(layout: Layout, state: Path) -> bool:
    """Remove an index, unless a process is writing it: then the next clearing up will. Files that are none of ours stay."""
    try:
        with writer_lock(layout.lock):
            identity = index_id(layout)
            if remove_own(layout.root, INDEX):
                forget(state, identity)
    except (IndexBusy, IndexForeign):
        return False
    return True


def _forget_unused(cache: Path, *, dry_run: bool) -> tuple[int, int]:
    """How many vectors no index in the cache uses, and how many bytes less their file has; they are forgotten unless it is a dry run."""
    used: set[bytes] = set()
    named = [project_layout(cache, name).data for name in project_names(cache)]
    for layout in [*layouts(cache), *(each for each in named if each.store_db.exists())]:
        with SqliteStore.open(layout.store_db, layout.root.name) as store, store.reader() as reader:
            rows = reader.rows()
            for start in range(0, len(rows), _AT_ONCE):
                used.update(light.embed_key for light in reader.lights(rows[start : start + _AT_ONCE]))
    with EmbeddingCache(embeddings_db(cache)) as vectors:
        if dry_run:
            known = vectors.counts()
            return sum(known.values()) - sum(len(vectors.get(model, used)) for model in known), 0
        forgotten = sum(vectors.prune(model, used) for model in vectors.counts())
        return forgotten, vectors.give_back()
