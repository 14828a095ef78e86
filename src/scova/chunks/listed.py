"""A StoreReader over chunks that are already in memory: for folders of chunk files, and for tests. It has no symbols or calls."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from scova.errors import DerivedDamaged
from scova.filters import chunk_passes
from scova.record import replace
from scova.types import Binding, Call, Chunk, Filters, IndexedFile, Light, OutlinedFile, Row, Symbol, Ties


class NoOutlines:
    """Chunks alone say nothing of definitions and calls."""

    def hold(self) -> bool:
        """It is in memory, and stays."""
        return True

    def release(self) -> None:
        """Nothing to let go of."""

    def symbols(self, name: str) -> list[tuple[str, Symbol]]:
        return []

    def calls(self, name: str = "", *, path: str = "") -> list[tuple[str, Call]]:
        return []

    def aliases(self, name: str) -> list[tuple[str, Binding]]:
        return []

    def heirs(self, name: str) -> list[tuple[str, Symbol]]:
        return []

    def outline(self, path: str) -> OutlinedFile | None:
        return None

    def ties(self, paths: Collection[str]) -> dict[str, Ties]:
        return {}

    def names(self) -> list[str]:
        return []

    def files(self) -> dict[str, str]:
        return {}


class ListedReader(NoOutlines):
    """These chunks, at one moment. Chunks without a row are given one by their position."""

    def __init__(self, chunks: Iterable[Chunk], change_seq: int, store_id: str = "") -> None:
        self.store_id = store_id
        self.change_seq = change_seq
        self._chunks: dict[Row, Chunk] = {}
        self._rows_of: defaultdict[str, list[Row]] = defaultdict(list)
        self._row_of: dict[str, Row] = {}
        for position, chunk in enumerate(chunks, 1):
            row = chunk.row or Row(position)
            self._chunks[row] = chunk if chunk.row else replace(chunk, row=row)
            self._rows_of[chunk.file_path].append(row)
            self._row_of[chunk.id] = row

    def count(self) -> int:
        return len(self._chunks)

    def chunks(self, rows: Sequence[Row]) -> list[Chunk]:
        return [self._chunks[row] for row in rows if row in self._chunks]

    def lights(self, rows: Sequence[Row]) -> list[Light]:
        return [chunk.light for chunk in self.chunks(rows)]

    def first(self, rows: Sequence[Row], count: int) -> list[Row]:
        ordered = sorted(self.chunks(rows), key=lambda chunk: (chunk.file_path, chunk.start_line, chunk.row))
        return [chunk.row for chunk in ordered[:count]]

    def file(self, path: str) -> IndexedFile | None:
        return None  # chunks alone do not say when their file was read

    def chunk_by_id(self, chunk_id: str) -> Chunk | None:
        row = self._row_of.get(chunk_id)
        return None if row is None else self._chunks[row]

    def chunks_of(self, path: str) -> list[Chunk]:
        found = self.chunks(self._rows_of.get(path, []))
        return sorted(found, key=lambda chunk: chunk.ordinal)

    def rows(self, filters: Filters = Filters(), *, since: int = 0) -> list[Row]:  # noqa: B008 - a frozen value
        passes = chunk_passes(filters)
        return sorted(
            row for row, chunk in self._chunks.items() if (not since or chunk.change_seq > since) and passes(chunk)
        )

    def removed(self, since: int) -> list[tuple[Row, str]]:
        """A list keeps no log of what was removed from it; DerivedDamaged, as the protocol has it, unless nothing was."""
        if since == self.change_seq:
            return []
        raise DerivedDamaged("a list of chunks keeps no log of removals", "compare rows instead")

    def close(self) -> None:
        """Nothing to let go of."""
