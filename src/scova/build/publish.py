"""Derived files brought up to date with the store: written whole beside the old ones, then swapped in by name.

A derived file is a cache of what the store holds, as of the change it is named after. Readers cover what is newer
themselves, exactly; so publishing is never urgent, and losing a derived file loses nothing. It is worth its time once the
uncovered rest would slow readers down.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scova.errors import DerivedDamaged
from scova.protocols import Embedder, StoreReader
from scova.stores.derived import newest_matrix, newest_segment
from scova.stores.embeddings import EmbeddingCache
from scova.stores.invert import Postings, inverted
from scova.stores.layout import Layout
from scova.stores.matrix import Matrix, merge_matrix, write_matrix
from scova.stores.merge import Spills, write_segment
from scova.stores.postings import Segment
from scova.stores.sqlite import SqliteReader, SqliteStore
from scova.types import Row, Vector

SMALLEST_REST = 256  # chunks a reader covers without anyone noticing
LARGEST_SHARE = 100  # and one in a hundred of what is published
FIRST_REST = 4096  # while a first build runs, it publishes at this size, then at each doubling
_AT_ONCE = 2000  # chunks read from the store at a time

Base = TypeVar("Base", Segment, Matrix)


def is_worth(rest: int, published: int) -> bool:
    """Whether the rest that readers must cover themselves has grown too large."""
    return rest > max(SMALLEST_REST, published // LARGEST_SHARE)


class TextPublisher:
    """The text index of one build: gathers what the workers inverted, and publishes it."""

    def __init__(self, layout: Layout, store: SqliteStore) -> None:
        self._layout = layout
        self._store = store
        self._base = newest_segment(layout, store.store_id)
        self._forget_parts()

    def add(self, postings: Postings, rows: Sequence[Row]) -> None:
        """Take the postings of chunks that have just been committed."""
        if not rows:
            return
        self._spills.add(postings.with_rows(rows))
        self._gathered += len(rows)
        if self._gathered > max(FIRST_REST, len(self._base) if self._base else 0):
            self._publish()

    def finish(self) -> None:
        """Publish when the uncovered rest is large; otherwise leave it to the readers."""
        with self._store.reader() as reader:
            base, rest = _usable(self._base, reader)
        if rest and (base is None or is_worth(len(rest), len(base))):
            self._publish()
        self._forget_parts()

    def _publish(self) -> None:
        """Write a segment that covers everything committed so far."""
        with self._store.reader() as reader:
            base, rest = _usable(self._base, reader)
            gathered = self._spills.parts()
            covered = {Row(row) for part in gathered for row in part.rows}
            missing = [row for row in rest.rows if row not in covered]
            parts = [*([base] if base else []), *gathered, *_segments(reader, missing)]
            path = self._layout.segment_path(reader.change_seq)
            path.parent.mkdir(exist_ok=True)
            self._store.sync()  # a file named after a change must not outlive the change
            dead = rest.dead | (covered - set(rest.rows))
            write_segment(path, parts, dead=dead, applied_seq=reader.change_seq, store_id=reader.store_id)
        self._layout.remove_obsolete(path)
        self._base = Segment.open(path)
        self._forget_parts()

    def _forget_parts(self) -> None:
        folder = self._layout.temporary_folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._spills = Spills(folder)
        self._gathered = 0


def _segments(reader: StoreReader, rows: Sequence[Row]) -> Iterator[Segment]:
    """Chunks that no published file and no worker's part covers, inverted from the store."""
    for start in range(0, len(rows), _AT_ONCE):
        yield Segment.of(inverted(reader.chunks(rows[start : start + _AT_ONCE])))


def publish_vectors(layout: Layout, store: SqliteStore, cache: EmbeddingCache, embedder: Embedder) -> None:
    """Write a vector file that covers everything embedded, when the uncovered rest has grown too large."""
    with store.reader() as reader:
        base, rest = _usable(newest_matrix(layout, embedder.model, reader.store_id), reader)
        if not rest or (base and not is_worth(len(rest), len(base))):
            return
        path = layout.vectors_path(reader.change_seq)
        path.parent.mkdir(exist_ok=True)
        store.sync()
        fresh = _embedded(reader, rest.rows, cache, embedder.model)
        if base:
            merge_matrix(path, base, fresh, dead=rest.dead, applied_seq=reader.change_seq)
        else:
            write_matrix(
                path,
                fresh,
                width=embedder.width,
                model=embedder.model,
                applied_seq=reader.change_seq,
                store_id=reader.store_id,
            )
    layout.remove_obsolete(path)


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a derived file does not know: rows that came since, rows that died since."""

    rows: list[Row]
    dead: set[Row]

    def __len__(self) -> int:
        return len(self.rows) + len(self.dead)


def _usable(base: Base | None, reader: SqliteReader) -> tuple[Base | None, _Rest]:
    """The derived file and what it does not know; no file when nobody remembers what died since it was written."""
    if base is not None:
        try:
            dead = {row for row, _ in reader.removed(base.applied_seq)}
            return base, _Rest(reader.rows(since=base.applied_seq), dead)
        except DerivedDamaged:
            pass
    return None, _Rest(reader.rows(), set())


def _embedded(
    reader: SqliteReader, rows: Sequence[Row], cache: EmbeddingCache, model: str
) -> Iterator[tuple[Row, Vector]]:
    """The vectors of these rows, in order; a chunk without one is left out."""
    for start in range(0, len(rows), _AT_ONCE):
        keys = {light.row: light.embed_key for light in reader.lights(rows[start : start + _AT_ONCE])}
        vectors = cache.get(model, list(keys.values()))
        for row, key in keys.items():
            if key in vectors:
                yield row, vectors[key]
