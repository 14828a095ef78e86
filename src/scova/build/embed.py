"""Vectors for chunks that have none: by the workers beside parsing, and what is left in a second phase of its own.

A chunk's vector is looked up by the hash of what is embedded before it is computed, so that a text that was seen before, under any path,
on any branch, in any clone, is never embedded twice. Batches go into the shared cache as they come: a build that is killed
here goes on with the batch it was at.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from scova.build.pool import Crashed, map_batches
from scova.errors import DiskFull, EmbedderError, IndexState
from scova.protocols import Embedder, StoreReader, VectorCache
from scova.types import Chunk, Progress, Row, Vector

INLINE_CHUNKS = 2048  # up to here starting worker processes costs more than they save
_AT_ONCE = 2000  # keys looked up at a time

Keyed = tuple[bytes, str]  # hash of a text, the text


@dataclass(frozen=True, slots=True)
class EmbedWork:
    """The function a worker applies to each batch of texts."""

    embedder: Embedder

    def __call__(self, texts: Sequence[Keyed]) -> dict[bytes, Vector]:
        """Each text's vector by its hash."""
        vectors = self.embedder.embed([text for _, text in texts])
        return {key: vector for (key, _), vector in zip(texts, vectors, strict=True)}


@dataclass(frozen=True, slots=True)
class FreshVectors:
    """What a worker that has just made some chunks embeds of them. It opens the cache for itself: no connection outlives a fork."""

    open_cache: Callable[[], VectorCache]
    embedder: Embedder

    def of(self, chunks: Sequence[Chunk]) -> dict[bytes, Vector]:
        """The vectors of those chunks that the cache does not have; none when that fails, for the second phase to meet it."""
        texts = {chunk.embed_key: chunk.embedded_text for chunk in chunks}
        with suppress(EmbedderError, IndexState), self.open_cache() as cache:
            known = cache.get(self.embedder.model, texts)
            return EmbedWork(self.embedder)([(key, text) for key, text in texts.items() if key not in known])
        return {}


class Embedding:
    """What one build embeds."""

    def __init__(self, cache: VectorCache, embedder: Embedder, tell: Callable[[Progress], None]) -> None:
        self._cache = cache
        self._embedder = embedder
        self._tell = tell
        self._ahead: set[bytes] = set()  # embedded by workers, and not met by the second phase yet
        self.embedded = 0
        self.reused = 0

    def take(self, vectors: dict[bytes, Vector]) -> None:
        """Keep what a worker embedded; when that fails, the second phase meets it again, with the text safe."""
        with suppress(EmbedderError, DiskFull):
            self._cache.put(self._embedder.model, vectors)
            self.embedded += len(vectors.keys() - self._ahead)
            self._ahead.update(vectors)

    def run(self, reader: StoreReader, rows: Sequence[Row], *, workers: int) -> None:
        """See to it that the cache has the vector of every one of these chunks."""
        for outcome in self._outcomes(reader, self._missing(reader, rows), workers):
            if isinstance(outcome, Crashed):
                raise EmbedderError("the embedding model crashed", "set `embedder` to `none` to search without vectors")
            self._cache.put(self._embedder.model, outcome)
            self.embedded += len(outcome)
            self._tell(Progress("embed", min(self.embedded + self.reused, len(rows)), len(rows)))

    def _outcomes(
        self, reader: StoreReader, missing: list[Row], workers: int
    ) -> Iterator[dict[bytes, Vector] | Crashed[Keyed]]:
        """The vectors of these chunks as they come. Workers end when nobody asks for more, so keep no other reference to it."""
        work = EmbedWork(self._embedder)
        size = self._embedder.batch_size
        batches = (self._texts(reader, missing[start : start + size]) for start in range(0, len(missing), size))
        inline = self._embedder.is_remote or len(missing) <= INLINE_CHUNKS
        return map(work, batches) if inline else map_batches(work, batches, workers=workers)

    def _missing(self, reader: StoreReader, rows: Sequence[Row]) -> list[Row]:
        """Chunks whose texts the cache does not have, one for each text."""
        missing: dict[bytes, Row] = {}
        for start in range(0, len(rows), _AT_ONCE):
            keys = {light.embed_key: light.row for light in reader.lights(rows[start : start + _AT_ONCE])}
            known = self._cache.get(self._embedder.model, keys)
            fresh = {key: row for key, row in keys.items() if key not in known and key not in missing}
            self.reused += len(keys) - len(fresh) - len(keys.keys() & self._ahead)
            self._ahead.difference_update(keys)
            missing.update(fresh)
        return list(missing.values())

    def _texts(self, reader: StoreReader, rows: Sequence[Row]) -> list[Keyed]:
        return [(chunk.embed_key, chunk.embedded_text) for chunk in reader.chunks(rows)]
