"""Segments with what died in them, and few of them however many updates come.

Responsible for the shape of an up-to-date text index: one base segment from the disk, then small ones in memory, each
with the documents that are gone. It refuses to score.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Self

from scova.record import record, replace
from scova.stores.postings import Segment
from scova.types import Chunk, Row


@record(eq=False)
class Live:
    """A segment without its dead documents. One in memory keeps the chunks it was made of, to be joined with the next."""

    segment: Segment
    dead: frozenset[int] = frozenset()
    chunks: tuple[Chunk, ...] = ()

    def __len__(self) -> int:
        return len(self.segment) - len(self.dead)

    def total_length(self) -> int:
        """Term occurrences in all live bodies."""
        return self.segment.total_length - sum(map(self.segment.lengths.__getitem__, self.dead))

    def has(self, row: Row) -> bool:
        """Whether the row is in here, dead or alive."""
        return self.segment.doc_of(row) >= 0

    def without(self, rows: Iterable[Row]) -> Self:
        """The same with these rows dead too; itself when that changes nothing."""
        docs = {doc for doc in map(self.segment.doc_of, rows) if doc >= 0} - self.dead
        return replace(self, dead=self.dead | docs) if docs else self

    def alive(self) -> tuple[Chunk, ...]:
        """The chunks that are not dead, of a segment in memory."""
        dead: AbstractSet[Row] = {self.segment.row_of(doc) for doc in self.dead}
        return tuple(chunk for chunk in self.chunks if chunk.row not in dead)


def settled(lives: Sequence[Live]) -> tuple[Live, ...]:
    """As few segments as are cheap to keep: a small one in memory is joined to the one before when that is not much larger.

    So n updates leave about log n segments, and a chunk is inverted about log n times in all.
    """
    rest = [live for live in lives if not live.chunks]
    deltas = [live for live in lives if live.chunks and len(live)]
    while len(deltas) > 1 and len(deltas[-2]) <= 2 * len(deltas[-1]):
        chunks = (*deltas.pop(-2).alive(), *deltas.pop().alive())
        deltas.append(Live(Segment.of(chunks), chunks=chunks))
    return (*rest, *deltas)
