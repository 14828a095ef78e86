"""Asking a graph for the rows near a vector. The only module that searches with usearch, which it loads when it is needed.

It refuses to know files, and what the rows are worth: what it names are candidates.
"""

import threading
from typing import TYPE_CHECKING, Any

from scova.types import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONNECTIVITY = 16  # M
EXPANSION_ADD = 200  # ef_construction


def empty_index(width: int) -> Any:
    """A usearch index of our kind. Keys are not looked up in it, so it keeps no table of them."""
    import simsimd  # noqa: F401 - before usearch: loaded behind it, it takes every vector for one of another type
    from usearch.index import Index

    return Index(
        ndim=width,
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        enable_key_lookups=False,
    )


class Neighbours:
    """A graph that may be searched. Threads take turns."""

    def __init__(self, data: memoryview, width: int, heads: memoryview, twins: memoryview) -> None:
        """Over these bytes of a graph, which must have been checked. Raises RuntimeError when they are not one."""
        import numpy as np

        self._index = empty_index(width)
        self._index.view(data)
        self._data = data  # used where it lies: it must stay mapped for as long as the index is there
        self._heads = np.frombuffer(heads, np.int64)
        self._twins = np.frombuffer(twins, np.int64)
        self._turn = (
            threading.Lock()
        )  # a usearch index keeps the state of one search per thread of its own, not per caller

    def __len__(self) -> int:
        """Distinct vectors."""
        return len(self._index)

    def nearest(self, asked: Vector, count: int, expansion: int) -> "NDArray[np.int64]":
        """Rows of about the `count` nearest distinct vectors, and all rows with the same vectors, in no promised order.

        `expansion` is how many the search keeps in view: the more, the surer.
        """
        import numpy as np

        with self._turn:
            self._index.expansion_search = expansion
            found = self._index.search(np.frombuffer(asked, np.int8), count, threads=1)
        heads = found.keys.astype(np.int64)
        first, last = np.searchsorted(self._heads, heads, "left"), np.searchsorted(self._heads, heads, "right")
        twins = [
            self._twins[start:end] for start, end in zip(first.tolist(), last.tolist(), strict=True) if end > start
        ]
        return np.concatenate([heads, *twins])
