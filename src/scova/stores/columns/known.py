"""What a store knows of files and chunks before a change, for those that go on living under another row."""

from collections.abc import Mapping
from dataclasses import dataclass

from scova.stores.columns.encoding import milliseconds
from scova.types import Chunk


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as the store holds it before the change."""

    file_id: int
    generation: int


@dataclass(frozen=True, slots=True)
class Known:
    """Chunks that may go on living under another row: when they were made and changed, and what they said."""

    by_id: Mapping[str, tuple[bytes, int, int]]
    by_place: Mapping[tuple[int, int, bytes], tuple[int, int]]

    def times(self, chunk: Chunk, content_hash: bytes, *, came_from: int, now: int) -> tuple[int, int]:
        """created_at and updated_at of a chunk: its own, where it brings them along; otherwise both stay while its content
        does, the first while its id does."""
        if chunk.created_at and chunk.updated_at:
            return milliseconds(chunk.created_at), milliseconds(chunk.updated_at)
        moved = self.by_place.get((came_from, chunk.ordinal, content_hash))
        if moved:
            return moved
        said, created, updated = self.by_id.get(chunk.id, (content_hash, now, now))
        return created, updated if said == content_hash else now
