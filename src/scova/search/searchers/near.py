"""The graph beside a matrix, for one searcher: candidates for a question, and what the graph does not know.

Responsible for a graph being checked before it is asked, behind the first questions rather than before them: a process that asks
once never pays for it. Until it is ready, and whenever it cannot be sure, there is no answer here, and the caller
compares everything. It refuses to know scores: candidates are lines of the matrix, to be compared exactly.
"""

import threading
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from scova.errors import DerivedDamaged
from scova.record import record
from scova.stores.ann.graph import Graph
from scova.stores.ann.neighbours import Neighbours
from scova.stores.matrix import Matrix
from scova.types import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Lines = NDArray[np.int64]

# Measured by `make bench-vectors`: with these, at least 99 in 100 of the ten nearest are found, at every size up to a million.
EXPANSION = 512  # candidates that a search keeps in view, up to 100,000 vectors …
EXPANSION_STEP = 256  # … and more by this for each doubling
_FIRST = 100_000
OVERSAMPLED = 4  # candidates compared exactly for each that is wanted
FEWEST = 64
MOST = 2048  # candidates; with more, comparing everything is no slower
QUESTIONS_BEFORE = 2  # a process that asks a second time will ask a third


@record
class Prepared:
    """A graph that may be asked, and the lines of the matrix it does not know, in ascending order."""

    neighbours: Neighbours
    base: Matrix
    rest: "Lines"
    rest_rows: memoryview
    rest_vectors: memoryview  # int8, line after line

    def candidates(self, asked: Vector, count: int) -> "Lines":
        """Lines of the matrix near a vector, dead ones among them, and none of the rest."""
        import numpy as np

        rows = self.neighbours.nearest(asked, count, max(expansion(len(self.neighbours)), count))
        known = np.frombuffer(self.base.rows, np.int64)
        lines = np.minimum(np.searchsorted(known, rows), len(known) - 1)
        lines = lines[known[lines] == rows]
        if len(self.rest):  # the graph holds vectors that it mostly does not lead to; they count once
            lines = lines[self.rest[np.minimum(np.searchsorted(self.rest, lines), len(self.rest) - 1)] != lines]
        found: Lines = lines
        return found

    def dead_places(self, dead: AbstractSet[int]) -> frozenset[int]:
        """Where dead lines of the matrix are in the rest."""
        import numpy as np

        if not dead or not len(self.rest):
            return frozenset()
        wanted = np.fromiter(dead, np.int64, len(dead))
        places = np.minimum(np.searchsorted(self.rest, wanted), len(self.rest) - 1)
        return frozenset(places[self.rest[places] == wanted].tolist())


class Near:
    """A graph and a matrix of the same store. Shared by the searchers of all moments that rest on them."""

    def __init__(self, graph: Graph, base: Matrix, before: "Near | None" = None) -> None:
        """`before` is what was in use on the same base, and stays so until this one is ready."""
        self.graph = graph
        self.base = base
        # One that nobody has asked is of no use, and holds on to those before it: there would be ever more of them.
        self._before: Near | None = before if before is None or before._thread or before._prepared else before._before
        self._asked = 0
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._prepared: Prepared | None = None

    def at_hand(self) -> Prepared | None:
        """The graph if it is ready; if not, it is made ready behind, unless this is the first question."""
        if self._prepared is None and not self.graph.is_refused:
            self._asked += 1
            if self._asked >= QUESTIONS_BEFORE:
                self._start()
        return self._prepared or (self._before.at_hand() if self._before else None)

    def prepare(self) -> Prepared:
        """Make it ready now. Raises DerivedDamaged when the graph is not as it was written."""
        import numpy as np

        neighbours = self.graph.neighbours()
        base = self.base
        rows, known = np.frombuffer(base.rows, np.int64), np.frombuffer(self.graph.rows, np.int64)
        if len(known):
            rest = np.flatnonzero(known[np.minimum(np.searchsorted(known, rows), len(known) - 1)] != rows)
        else:
            rest = np.arange(len(rows))
        lines = np.frombuffer(base.vectors, np.int8).reshape(len(rows), base.width)
        vectors = memoryview(lines[rest].tobytes()).cast("b")
        self._prepared = Prepared(neighbours, base, rest, memoryview(rows[rest].tobytes()).cast("q"), vectors)
        self._before = None
        return self._prepared

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._behind, name="graph", daemon=True)
                self._thread.start()

    def _behind(self) -> None:
        try:
            self.prepare()
        except DerivedDamaged as error:
            import logging

            logging.getLogger(__name__).warning("graph not used, vectors are compared exactly: %s", error.message)


def expansion(vectors: int) -> int:
    """How many candidates a search must keep in view among so many vectors."""
    from math import log2

    return EXPANSION + int(EXPANSION_STEP * log2(max(vectors, _FIRST) / _FIRST))
