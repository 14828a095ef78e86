"""An index over the vectors of one store that lies beside it, on a server of its own. Not loaded where vectors are in local files."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from scova.types import Filters, Light, Row, Vector

NO_FILTERS = Filters()


class Point(NamedTuple):
    """A vector on its way into an index, and what it can be filtered by there."""

    row: Row
    vector: Vector
    light: Light
    words: Mapping[str, float] = {}  # its terms with their weights, for an index that holds them


class Found(NamedTuple):
    """Vectors of an index by row, and the change that it reflected when, or after, these were looked up."""

    vectors: Mapping[Row, Vector]
    reflects: int


class Worded(NamedTuple):
    """Terms that are asked for together, how many of the best are wanted, and of which chunks, as in `VectorIndex.nearest`."""

    terms: Sequence[str]  # each once
    limit: int
    filters: Filters = NO_FILTERS
    among: Collection[Row] | None = None


class Near(NamedTuple):
    """A vector that is asked for, how many of the nearest are wanted, and what they have to pass but for paths."""

    vector: Vector
    limit: int
    filters: Filters = NO_FILTERS


class Heard(NamedTuple):
    """What was found, and the change that was reflected after that."""

    by_words: Sequence[Mapping[Row, float]]  # for each question its rows with their scores, best first
    nearest: Mapping[Row, Vector]
    reflects: int


class Words(Protocol):
    """The words of a vector index: a row is found by its words exactly as long as it is found by its vector."""

    def ask(self, worded: Sequence[Worded], near: Near | None = None) -> Heard:
        """All of these questions at once. A score is the sum, over the terms that a row has, of its weight there times how rare the
        term is among the rows that the index holds of this store, and of no other: ln(1 + (n - df + 0.5) / (df + 0.5))."""
        ...


class VectorIndex(Protocol):
    """The vectors of one store, made by one model. A cache of what the store and its embeddings say: it can be lost, and is made again.

    It holds at least every row that was alive at the change it reflects, and may hold others: rows of a change under way, rows that
    died. So whoever reads it asks the store which of them are alive at his moment, and adds what the store has beyond that change.
    What he found is all there was at his moment if the index reflected no earlier change than when he first asked it, and none that
    is newer than his moment: only then rows can have been taken away that he should see. Safe from any thread. One process applies
    at a time: whoever holds the write lock of the store. VectorsAway when it does not answer.
    """

    @property
    def words(self) -> Words | None:
        """Who finds by words in it; None for an index that holds vectors alone."""
        ...

    def applied_seq(self) -> int:
        """The change of the store that it reflects; 0 for nothing at all."""
        ...

    def apply(self, fresh: Iterable[Point], dead: Collection[Row], *, upto: int) -> None:
        """Hold these points too, then reflect the change `upto`, and only then let go of the dead rows.

        Doing it twice is doing it once. Whoever dies on the way leaves an index that reflects the old change or the new one.
        """
        ...

    def nearest(
        self, asked: Vector, count: int, *, filters: Filters = NO_FILTERS, among: Collection[Row] | None = None
    ) -> Found:
        """So many vectors nearest to one that was asked, of those that pass the filters but for their paths, or of these rows; nearly
        all of them the very nearest. Fewer when there are no more.
        """
        ...

    def vectors(self, rows: Collection[Row]) -> Found:
        """The vectors of these rows, as they were put; without those it does not have."""
        ...

    def rows(self) -> Iterable[Row]:
        """Every row it holds, in any order."""
        ...

    def count(self) -> int:
        """How many rows it holds."""
        ...

    def drop(self) -> None:
        """Hold nothing any more, and leave nothing behind."""
        ...

    def drop_all(self) -> None:
        """The same, and of what this place holds of the store by other models: the store is to be no more."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
