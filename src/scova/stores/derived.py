"""The newest derived files of an index that can be used, and what stands in the way of the others.

A file counts only for the store it was made from: a store built anew begins its changes at 1 again, and a file of the
same number that is left from before must not be taken for one of its own.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scova.errors import DerivedDamaged
from scova.stores.layout import Layout, graphs

if TYPE_CHECKING:  # each is loaded by the question that needs it
    from scova.stores.ann.graph import Graph
    from scova.stores.grams.reader import Grams
    from scova.stores.matrix import Matrix
    from scova.stores.postings import Segment

_LISTINGS = 5  # looks at the folder while a publisher replaces what is there faster than it can be opened

Opened = TypeVar("Opened", "Segment", "Matrix", "Graph", "Grams")


def newest_segment(layout: Layout, store_id: str) -> "Segment | None":
    """The newest text index of this store that opens; None when there is none."""
    from scova.stores.postings import Segment

    return _newest(layout.segments, lambda path: Segment.open(path, store_id))


def newest_matrix(layout: Layout, model: str, store_id: str) -> "Matrix | None":
    """The newest vector file of this model and store that opens; None when there is none."""
    from scova.stores.matrix import Matrix

    return _newest(layout.vectors, lambda path: Matrix.open(path, model, store_id))


def newest_graph(layout: Layout, model: str, store_id: str) -> "Graph | None":
    """The newest graph over vectors of this model and store that opens; None when there is none."""
    from scova.stores.ann.graph import Graph

    return _newest(lambda: graphs(layout), lambda path: Graph.open(path, model, store_id))


def newest_grams(layout: Layout, store_id: str) -> "Grams | None":
    """The newest n-gram index of this store that opens; None when there is none."""
    from scova.stores.grams.reader import Grams

    return _newest(layout.grams, lambda path: Grams.open(path, store_id))


def reflected(layout: Layout, model: str, store_id: str) -> int | None:
    """The change that every derived file reflects; None while one is missing. Without a `model` there are no vectors."""
    segment = newest_segment(layout, store_id)
    matrix = newest_matrix(layout, model, store_id) if model else None
    if segment is None or (model and matrix is None):
        return None
    return min(segment.applied_seq, matrix.applied_seq) if matrix else segment.applied_seq


def damaged_files(layout: Layout, model: str, store_id: str, *, thoroughly: bool = False) -> dict[str, str]:
    """Derived files that do not open, or `thoroughly` read are not as they were written: name to what is wrong.

    Vector files count only for a `model`.
    """
    from scova.stores.ann.graph import Graph
    from scova.stores.grams.reader import Grams
    from scova.stores.matrix import Matrix
    from scova.stores.postings import Segment

    found: dict[str, str] = {}
    kinds: dict[str, Callable[[Path], Segment | Matrix | Graph | Grams]] = {
        ".seg": lambda path: Segment.open(path, store_id),
        ".vec": lambda path: Matrix.open(path, model, store_id),
        ".hnsw": lambda path: Graph.open(path, model, store_id),
        ".gram": lambda path: Grams.open(path, store_id),
    }
    of_model = [*layout.vectors(), *graphs(layout)] if model else []
    for path in [*layout.segments(), *of_model, *layout.grams()]:
        try:
            opened = kinds[path.suffix](path)
            if thoroughly:
                opened.verify()
        except DerivedDamaged as error:
            if path.exists():  # a publisher may have replaced it since it was listed
                found[f"{path.parent.name}/{path.name}"] = error.message
    return found


def _newest(listed: Callable[[], list[Path]], opened: Callable[[Path], Opened]) -> Opened | None:
    """The first that opens. One that vanished was replaced by a newer one, so the folder is looked at again."""
    for _ in range(_LISTINGS):
        vanished = False
        for path in listed():
            try:
                return opened(path)
            except DerivedDamaged:
                vanished = not path.exists()
                if vanished:
                    break
        if not vanished:
            return None
    return None
