"""ChunkSet: all chunks at one moment. Immutable, shared by every searcher and every query that began with it.

A view over one pinned StoreReader: nothing is read before it is asked for, and nothing that is written later shows. It owns
the reader, and lets it go when nobody holds the set any more. Knows nothing of how chunks are found.
"""

import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scova.chunks.cache import ChunkCache
from scova.chunks.listed import ListedReader
from scova.chunks.tied import Tied
from scova.protocols import StoreReader
from scova.types import Chunk, Filters, Light, Row

_AT_ONCE = 500  # chunks read at a time when all are wanted
_LIGHTS = 20_000  # chunks without text that are remembered
_SELECTIONS = 32  # filters whose rows are remembered


class ChunkSet:
    """What there is at `change_seq`."""

    def __init__(self, reader: StoreReader, cache: ChunkCache | None = None) -> None:
        self.reader = reader  # for symbols and calls of the same moment
        self.change_seq = reader.change_seq
        self.store_id = reader.store_id
        self._cache = cache
        self._count: int | None = None
        self._lights: dict[Row, Light] = {}
        self.ties = Tied(reader)  # the names that files define and use
        self._selections: dict[Filters, frozenset[Row]] = {}
        # What others make of this moment, by its class, kept as long as the set is. It must not refer to the set.
        self.made: dict[type, Any] = {}
        self._close = weakref.finalize(self, reader.close)

    @classmethod
    def of(cls, chunks: Iterable[Chunk], change_seq: int = 0, store_id: str = "") -> "ChunkSet":
        """A set of chunks that are already in memory. Rows count as stable between sets only with a `store_id`."""
        return cls(ListedReader(chunks, change_seq, store_id))

    def __len__(self) -> int:
        if self._count is None:
            self._count = self.reader.count()
        return self._count

    def by_id(self, chunk_id: str) -> Chunk | None:
        """The chunk of this id; takes the same time however many there are."""
        return self.reader.chunk_by_id(chunk_id)

    def by_file(self, path: str) -> tuple[Chunk, ...]:
        """The chunks of one file, in order; takes the same time however many files there are."""
        return tuple(self.reader.chunks_of(path))

    def all(self) -> Iterator[Chunk]:
        """Every chunk by ascending row, read a few hundred at a time."""
        rows = self.since(0)
        for start in range(0, len(rows), _AT_ONCE):
            yield from self.reader.chunks(rows[start : start + _AT_ONCE])

    def chunks(self, rows: Sequence[Row]) -> list[Chunk]:
        """The chunks of these rows that exist, in the order asked."""
        if self._cache is None:
            return self.reader.chunks(rows)
        found = self._cache.get(rows, self.change_seq)
        if missing := [row for row in rows if row not in found]:
            read = self.reader.chunks(missing)
            self._cache.put(read, self.change_seq)
            found.update((chunk.row, chunk) for chunk in read)
        return [found[row] for row in rows if row in found]

    def lights(self, rows: Sequence[Row]) -> list[Light]:
        """The same without text, for ranking many; remembered, since the best candidates come up again and again."""
        known = self._lights
        try:
            return [known[row] for row in rows]
        except KeyError:
            missing = [row for row in rows if row not in known]
        if len(known) + len(missing) > _LIGHTS:
            known = self._lights = {}
            missing = list(rows)
        known.update((light.row, light) for light in self.reader.lights(missing))
        return [known[row] for row in rows if row in known]

    def select(self, filters: Filters) -> frozenset[Row]:
        """Rows of all chunks that pass the filters; asking again costs nothing."""
        selection = self._selections.get(filters)
        if selection is None:
            selection = frozenset(self.reader.rows(filters))
            if len(self._selections) >= _SELECTIONS:
                self._selections.clear()
            self._selections[filters] = selection
        return selection

    def since(self, change_seq: int) -> list[Row]:
        """Rows written after a change, ascending."""
        return self.reader.rows(since=change_seq)

    def removed(self, since: int) -> list[tuple[Row, str]]:
        """Rows and ids that were there at `since` and are gone. DerivedDamaged when the log does not reach back so far."""
        return self.reader.removed(since)

    def close(self) -> None:
        """Let the moment go now instead of when the last reference goes. Nothing can be asked afterwards."""
        self._close()
