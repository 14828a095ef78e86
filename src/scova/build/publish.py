"""Derived files brought up to date with the store: written whole beside the old ones, then swapped in by name.

A derived file is a cache of what the store holds, as of the change it is named after. Readers cover what is newer
themselves, exactly; so publishing is never urgent, and losing a derived file loses nothing. It is worth its time once the
uncovered rest would slow readers down.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from scova.core import own_folder
from scova.core.line_ends import as_in_file
from scova.errors import DerivedDamaged, VectorsAway
from scova.protocols import Embedder, StoreReader, VectorCache, WholeReader, WholeStore
from scova.stores.ann.metadata import VectorIndexMetadata
from scova.stores.derived import newest_grams, newest_matrix, newest_segment, reflected
from scova.stores.grams.write import Indexed, write_grams
from scova.stores.invert import Postings, inverted
from scova.stores.layout import Layout, grams_path
from scova.stores.matrix import Matrix, merge_matrix, write_matrix
from scova.stores.merge import Spills, write_segment
from scova.stores.owned.clearing import remove_unfinished
from scova.stores.postings import Segment
from scova.types import Light, Row, Vector

if TYPE_CHECKING:
    from scova.protocols.vectors import Point, VectorIndex

SMALLEST_REST = 256  # chunks a reader covers without anyone noticing
LARGEST_SHARE = 100  # and one in a hundred of what is published
FIRST_REST = 4096  # while a first build runs, it publishes at this size, then at each doubling
_AT_ONCE = 2000  # chunks read from the store at a time
FILES_AT_ONCE = 250  # files whose texts are read at a time
SMALLEST_FILES = 500  # new files that every grep reads without anyone noticing
LARGEST_SHARE_OF_FILES = 25  # and one in so many of those in the n-gram index

Base = TypeVar("Base", Segment, Matrix)


def is_worth(rest: int, published: int, patience: int = 1) -> bool:
    """Whether the rest that readers must cover themselves has grown too large; so many times larger, for who is in a hurry."""
    return rest > patience * max(SMALLEST_REST, published // LARGEST_SHARE)


class TextPublisher:
    """The text index of one build: gathers what the workers inverted, and publishes it."""

    def __init__(self, layout: Layout, store: WholeStore, *, patience: int = 1) -> None:
        self._layout = layout
        self._store = store
        self._patience = patience
        self._base = newest_segment(layout, store.store_id)
        self._forget_parts()

    def add(self, postings: Postings, rows: Sequence[Row]) -> None:
        """Take the postings of chunks that have just been committed."""
        if not rows:
            return
        self._spills.add(postings.with_rows(rows))
        self._gathered += len(rows)
        if self._gathered > max(FIRST_REST, len(self._base) if self._base else 0):
            with self._store.reader() as reader:
                self._publish(reader, *_usable(self._base, reader))

    def finish(self, reader: WholeReader) -> bool:
        """Publish when the uncovered rest is large; otherwise leave it to the readers. Says whether it did."""
        base, rest = _usable(self._base, reader)
        worth = bool(rest) and (base is None or is_worth(len(rest), len(base), self._patience))
        if worth:
            self._publish(reader, base, rest)
        self._forget_parts()
        return worth

    def _publish(self, reader: WholeReader, base: Segment | None, rest: "_Rest") -> None:
        """Write a segment that covers everything the reader sees."""
        base, rest = _sound(base, rest, reader)
        gathered = self._spills.parts()
        covered = {Row(row) for part in gathered for row in part.rows}
        missing = [row for row in rest.rows if row not in covered]
        parts = [*([base] if base else []), *gathered, *_segments(reader, missing)]
        path = self._layout.segment_path(reader.change_seq)
        own_folder.make(path.parent)
        self._store.sync()  # a file named after a change must not outlive the change
        dead = rest.dead | (covered - set(rest.rows))
        write_segment(path, parts, dead=dead, applied_seq=reader.change_seq, store_id=reader.store_id)
        self._layout.remove_obsolete(path)
        self._base = Segment.open(path)
        self._forget_parts()

    def _forget_parts(self) -> None:
        remove_unfinished(self._layout)
        VectorIndexMetadata(self._layout).tidy()
        self._spills = Spills(self._layout.temporary_folder)
        self._gathered = 0


def _segments(reader: StoreReader, rows: Sequence[Row]) -> Iterator[Segment]:
    """Chunks that no published file and no worker's part covers, inverted from the store."""
    for start in range(0, len(rows), _AT_ONCE):
        yield Segment.of(inverted(reader.chunks(rows[start : start + _AT_ONCE])))


class VectorPublisher:
    """The vectors of one build."""

    def __init__(self, layout: Layout, store: WholeStore, cache: VectorCache, embedder: Embedder) -> None:
        self._layout = layout
        self._store = store
        self._cache = cache
        self._embedder = embedder
        self._base = newest_matrix(layout, embedder.model, store.store_id)

    @property
    def applied_seq(self) -> int:
        """The change that is published; 0 before there is anything."""
        return self._base.applied_seq if self._base else 0

    def finish(self, reader: WholeReader, *, patience: int = 1) -> bool:
        """Publish everything embedded when the uncovered rest is large. Says whether it did."""
        base, rest = _usable(self._base, reader)
        if not rest or (base and not is_worth(len(rest), len(base), patience)):
            return False
        base, rest = _sound(base, rest, reader)
        path = self._layout.vectors_path(reader.change_seq)
        own_folder.make(path.parent)
        self._store.sync()
        model, applied_seq = self._embedder.model, reader.change_seq
        fresh = _embedded(reader, rest.rows, self._cache, model)
        if base:
            merge_matrix(path, base, fresh, dead=rest.dead, applied_seq=applied_seq)
        else:
            store_id = reader.store_id
            write_matrix(
                path, fresh, width=self._embedder.width, model=model, applied_seq=applied_seq, store_id=store_id
            )
        self._layout.remove_obsolete(path)
        return True


class IndexPublisher:
    """The vectors of one build, where they go into an index beside the store.

    What the index holds is compared with what is alive, row by row: so whatever it lacks or has too much of, for whatever reason,
    is mended by the next time that is worth it.
    """

    def __init__(self, index: "VectorIndex", store: WholeStore, cache: VectorCache, embedder: Embedder) -> None:
        self._index = index
        self._store = store
        self._cache = cache
        self._embedder = embedder
        self._away: VectorsAway | None = None
        try:
            self.applied_seq = index.applied_seq()
        except VectorsAway as error:
            # What was embedded is in the cache; there is no need to go through all of it because the index is not to be had.
            self._away, self.applied_seq = error, sys.maxsize

    def finish(self, reader: WholeReader, *, patience: int = 1) -> bool:
        """Bring the index up to date when the uncovered rest is large. Says whether it did; VectorsAway when it does not answer."""
        if self._away:
            raise self._away
        if self.applied_seq > reader.change_seq:  # the store was restored from a backup: its rows mean other things now
            self._index.drop()
            self.applied_seq = 0
        published, fresh = self._index.count(), len(reader.rows(since=self.applied_seq))
        rest = fresh + abs(published - (reader.count() - fresh))
        if not rest or (self.applied_seq and not is_worth(rest, published, patience)):
            return False
        self.mend(reader)
        return True

    def mend(self, reader: WholeReader) -> None:
        """Make the index hold what the reader sees, and nothing else."""
        held, alive = set(self._index.rows()), reader.rows()
        self._store.sync()  # an index must not reflect a change that a power cut undoes
        missing = [row for row in alive if row not in held]
        self._index.apply(self._points(reader, missing), held.difference(alive), upto=reader.change_seq)
        self.applied_seq = reader.change_seq

    def _points(self, reader: WholeReader, rows: Sequence[Row]) -> "Iterator[Point]":
        """What the index is to hold of these rows; words too where it holds them."""
        from scova.protocols.vectors import Point
        from scova.stores.vectors.words import weighed

        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            pointed = list(_pointed(reader, some, self._cache, self._embedder.model))
            chunks = reader.chunks([row for row, *_ in pointed]) if self._index.words else []
            words = {chunk.row: weighed(chunk) for chunk in chunks}
            yield from (Point(row, vector, light, words.get(row, {})) for row, vector, light in pointed)


def everywhere(layout: Layout, model: str, store_id: str, index: "VectorIndex | None") -> int | None:
    """The change that all that was derived reflects; None while something is missing, or does not answer."""
    if not model or index is None:
        return reflected(layout, model, store_id)
    try:
        applied, beside = reflected(layout, "", store_id), index.applied_seq()
    except VectorsAway:
        return None
    return min(applied, beside) if applied is not None and beside else None


def publish_grams(layout: Layout, store: WholeStore, reader: WholeReader, *, patience: int = 1) -> None:
    """Write an n-gram index that covers every file, when there is none or too many files are newer.

    It is made anew each time: reading the old one costs about as much as reading the texts.
    """
    base = newest_grams(layout, reader.store_id)
    newer = reader.count_files(since=base.applied_seq if base else 0)
    if not newer or (base and newer <= patience * max(SMALLEST_FILES, len(base) // LARGEST_SHARE_OF_FILES)):
        return
    path = grams_path(layout, reader.change_seq)
    own_folder.make(layout.temporary_folder)
    store.sync()
    spill = layout.temporary_folder / "grams"
    write_grams(path, _texts(reader), spill=spill, applied_seq=reader.change_seq, store_id=reader.store_id)
    layout.remove_obsolete(path)


def _texts(reader: WholeReader) -> Iterator[Indexed]:
    """Every file with its text, in order of path; without one where what was read cannot be told from what is kept."""
    files = reader.stored_files()
    for start in range(0, len(files), FILES_AT_ONCE):
        for file, text in reader.stored_texts(files[start : start + FILES_AT_ONCE]):
            is_known = as_in_file(text, file.size, file.digest) is not None
            yield Indexed(file.file_id, text if is_known else None)


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a derived file does not know: rows that came since, rows that died since."""

    rows: list[Row]
    dead: set[Row]

    def __len__(self) -> int:
        return len(self.rows) + len(self.dead)


def _usable(base: Base | None, reader: WholeReader) -> tuple[Base | None, _Rest]:
    """The derived file and what it does not know; no file when nobody remembers what died since it was written."""
    if base is not None:
        try:
            dead = {row for row, _ in reader.removed(base.applied_seq)}
            return base, _Rest(reader.rows(since=base.applied_seq), dead)
        except DerivedDamaged:
            pass
    return None, _Rest(reader.rows(), set())


def _sound(base: Base | None, rest: _Rest, reader: WholeReader) -> tuple[Base | None, _Rest]:
    """The same without a file that is not as it was written: what is merged from it would pass for sound ever after."""
    try:
        if base is not None:
            base.verify()
        return base, rest
    except DerivedDamaged:
        return None, _Rest(reader.rows(), set())


def _embedded(reader: WholeReader, rows: Sequence[Row], cache: VectorCache, model: str) -> Iterator[tuple[Row, Vector]]:
    """The vectors of these rows, in order; a chunk without one is left out."""
    return ((row, vector) for row, vector, _ in _pointed(reader, rows, cache, model))


def _pointed(
    reader: WholeReader, rows: Sequence[Row], cache: VectorCache, model: str
) -> Iterator[tuple[Row, Vector, Light]]:
    """The same with what else is known of each."""
    for start in range(0, len(rows), _AT_ONCE):
        lights = reader.lights(rows[start : start + _AT_ONCE])
        vectors = cache.get(model, [light.embed_key for light in lights])
        for light in lights:
            if light.embed_key in vectors:
                yield light.row, vectors[light.embed_key], light
