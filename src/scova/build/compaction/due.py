"""When a graph is worth building: there are many vectors, and those it does not know have become too many to compare exactly.

Knows files and counts, no processes.
"""

from bisect import bisect_right
from dataclasses import dataclass

from scova.stores.ann.graph import Graph
from scova.stores.derived import newest_graph, newest_matrix
from scova.stores.layout import Layout
from scova.stores.matrix import Matrix

LARGEST_SHARE = 10  # the rest that every search compares exactly may be one in so many of the graph


@dataclass(frozen=True, slots=True)
class Place:
    """Whose graph: an index, its model and store, and from how many vectors on it has one (0: never)."""

    layout: Layout
    model: str
    store_id: str
    ann_from: int

    def matrix(self) -> Matrix | None:
        """The newest vectors."""
        return newest_matrix(self.layout, self.model, self.store_id) if self.model else None

    def graph(self) -> Graph | None:
        """The newest graph."""
        return newest_graph(self.layout, self.model, self.store_id) if self.model else None

    def is_kept(self, matrix: Matrix) -> bool:
        """Whether a graph that is there stays: one that went as soon as it may would have to come back with the next branch."""
        return bool(self.ann_from) and len(matrix) >= self.ann_from // 2

    def due(self) -> Matrix | None:
        """The vectors to build a graph over; None when that is not worth it."""
        matrix = self.matrix()
        if matrix is None or not self.ann_from or len(matrix) < self.ann_from:
            return None
        graph = self.graph()
        return matrix if graph is None or is_worth(graph, matrix) else None


def is_worth(graph: Graph, matrix: Matrix) -> bool:
    """Whether so much came or went since the graph was built that searching it costs noticeably more."""
    if graph.applied_seq == matrix.applied_seq:
        return False
    came = len(matrix) - bisect_right(matrix.rows, graph.last_row)
    went = max(0, graph.vector_count - (len(matrix) - came))
    return (came + went) * LARGEST_SHARE > graph.vector_count
