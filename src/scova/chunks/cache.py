"""Chunks that were read lately, shared by all ChunkSets of one store however often they are swapped.

A stored row never changes, so what is cached is true or gone. Everything in here is alive at the newest change the cache
has followed. A ChunkSet of an older moment may still take from it whatever was already written at that moment, since what
lives now and lived then lived in between; but only the newest may add, since an older one cannot know what has died.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from scova.errors import DerivedDamaged
from scova.protocols import StoreReader
from scova.types import Chunk, Row

CHUNKS = 8192  # about 15 MB of code


class ChunkCache:
    """The most recently used chunks of one store."""

    def __init__(self, store_id: str, size: int = CHUNKS) -> None:
        self.store_id = store_id
        self._size = size
        self._chunks: OrderedDict[Row, Chunk] = OrderedDict()
        self._followed = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._chunks)

    def follow(self, reader: StoreReader) -> None:
        """Forget what is gone at this reader's moment."""
        with self._lock:
            if reader.change_seq <= self._followed:
                return
            try:
                for row, _ in reader.removed(self._followed):
                    self._chunks.pop(row, None)
            except DerivedDamaged:
                self._chunks.clear()  # the log does not reach back that far
            self._followed = reader.change_seq

    def get(self, rows: Sequence[Row], change_seq: int) -> dict[Row, Chunk]:
        """Those of the rows that are here, as far as they were there at `change_seq`."""
        found: dict[Row, Chunk] = {}
        with self._lock:
            for row in rows:
                chunk = self._chunks.get(row)
                if chunk is not None and chunk.change_seq <= change_seq:
                    self._chunks.move_to_end(row)
                    found[row] = chunk
        return found

    def put(self, chunks: Iterable[Chunk], change_seq: int) -> None:
        """Keep these, read at `change_seq`, unless a newer moment has been seen since."""
        with self._lock:
            if change_seq == self._followed:
                self._chunks.update((chunk.row, chunk) for chunk in chunks)
                while len(self._chunks) > self._size:
                    self._chunks.popitem(last=False)
