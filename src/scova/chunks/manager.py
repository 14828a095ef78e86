"""ChunkManager: loads a ChunkSet once for everybody, tells what changed, and swaps it in as one reference.

    chunk_set = manager.load()                   pins the newest moment; this is the reload mark
    changes = manager.detect_changes(chunk_set)  against the current set
    ... searchers take the changes ...
    manager.update(chunk_set, time.time())       from here on, new queries see it

The mark of a reload is the change sequence of the pinned moment itself: whatever is written after pinning is after the mark,
so the next reload finds it. Knows nothing of searchers or stores beyond the reader it is given.
"""

import threading
from collections.abc import Callable

from scova.chunks.cache import ChunkCache
from scova.chunks.chunkset import ChunkSet
from scova.errors import DerivedDamaged
from scova.protocols import StoreReader
from scova.record import record
from scova.types import Changes, ChunkId, Row


@record
class _State:
    chunk_set: ChunkSet
    reload_time: float


class ChunkManager:
    """The current ChunkSet of one index, and how to get the next."""

    def __init__(self, open_reader: Callable[[], StoreReader]) -> None:
        self._open_reader = open_reader
        self._state = _State(ChunkSet.of(()), 0.0)
        self._cache = ChunkCache("")
        self._loading = threading.Lock()
        self.loads = 0  # how often chunks were loaded; one reload is one load, however many searchers follow it

    @property
    def current(self) -> ChunkSet:
        """The set that queries begin with; an empty one before the first update."""
        return self._state.chunk_set

    @property
    def last_reload_time(self) -> float:
        """When the current set was swapped in, as given by whoever did it; 0.0 before the first time."""
        return self._state.reload_time

    def load(self) -> ChunkSet:
        """The newest moment of the store. It is not current until `update`."""
        with self._loading:
            reader = self._open_reader()
            self.loads += 1
            if self._cache.store_id != reader.store_id:
                self._cache = ChunkCache(reader.store_id)
            self._cache.follow(reader)
            return ChunkSet(reader, self._cache if reader.store_id else None)

    def detect_changes(self, chunk_set: ChunkSet) -> Changes:
        """What searchers of the current set must learn to answer for `chunk_set`."""
        before = self.current
        if chunk_set is before:
            return Changes()
        gone, fresh = _difference(before, chunk_set)
        replaced = {chunk_id for _, chunk_id in gone}
        chunks = chunk_set.chunks(fresh)
        return Changes(
            added=tuple(chunk for chunk in chunks if chunk.id not in replaced),
            updated=tuple(chunk for chunk in chunks if chunk.id in replaced),
            deleted=tuple((row, ChunkId(chunk_id)) for row, chunk_id in gone),
        )

    def update(self, chunk_set: ChunkSet, reload_time: float) -> None:
        """Make this the current set. Queries in flight finish with the one they began with."""
        self._state = _State(chunk_set, reload_time)


def _difference(before: ChunkSet, after: ChunkSet) -> tuple[list[tuple[Row, str]], list[Row]]:
    """Rows with ids that are gone, and rows that are new."""
    if not len(before):
        return [], after.since(0)
    same_store = bool(after.store_id) and before.store_id == after.store_id
    if same_store and before.change_seq <= after.change_seq:
        try:
            return after.removed(before.change_seq), after.since(before.change_seq)
        except DerivedDamaged:
            pass  # the log is shorter than that: compare
    return _by_rows(before, after) if same_store else _by_content(before, after)


def _by_rows(before: ChunkSet, after: ChunkSet) -> tuple[list[tuple[Row, str]], list[Row]]:
    """For moments of one store, where a row always means the same chunk."""
    old, new = before.since(0), after.since(0)
    gone = before.reader.chunks(sorted({*old} - {*new}))
    return [(chunk.row, chunk.id) for chunk in gone], sorted({*new} - {*old})


def _by_content(before: ChunkSet, after: ChunkSet) -> tuple[list[tuple[Row, str]], list[Row]]:
    """For sets of different origin, where a row may mean anything."""
    old = {chunk.row: (str(chunk.id), chunk.content_hash, chunk.symbol, chunk.names) for chunk in before.all()}
    new = {chunk.row: (str(chunk.id), chunk.content_hash, chunk.symbol, chunk.names) for chunk in after.all()}
    gone = [(row, said[0]) for row, said in old.items() if new.get(row) != said]
    return gone, [row for row, said in new.items() if old.get(row) != said]
