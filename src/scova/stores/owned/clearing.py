"""Removes what a writer that was killed left half done in the folder of an index."""

from collections.abc import Iterable
from pathlib import Path

from scova.core.own_files import list_own, remove_own
from scova.stores.layout import Layout
from scova.stores.names import BEING_WRITTEN, TEMPORARY

_WRITTEN_BY_OTHERS = (".hnsw.", "collection_meta.json.", "watch.json.")  # at any time, without the writer's lock


def remove_unfinished(layout: Layout) -> None:
    """For the one writer only, and not what others may be writing."""
    remove_own(layout.temporary_folder, TEMPORARY)
    for folder in (layout.text_folder, layout.vectors_folder, layout.grams_folder):
        _clear(list_own(folder))
    _clear(layout.root.iterdir())


def _clear(found: Iterable[Path]) -> None:
    for path in found:
        if BEING_WRITTEN.fullmatch(path.name) and not any(word in path.name for word in _WRITTEN_BY_OTHERS):
            path.unlink(missing_ok=True)
