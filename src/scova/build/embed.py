"""The second phase of a build: vectors for chunks that have none.

A chunk's vector is looked up by the hash of what is embedded before it is computed, so that a text that was seen before, under any path,
on any branch, in any clone, is never embedded twice. Batches go into the shared cache as they come: a build that is killed
here goes on with the batch it was at.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scova.build.pool import Crashed, map_batches
from scova.errors import EmbedderError
from scova.protocols import Embedder, StoreReader
from scova.stores.embeddings import EmbeddingCache
from scova.types import Progress, Row, Vector

BATCH = 512  # chunks embedded at a time
INLINE_CHUNKS = 2048  # up to here starting worker processes costs more than they save

Keyed = tuple[bytes, str]  # hash of a text, the text


@dataclass(frozen=True, slots=True)
class EmbedWork:
    """The function a worker applies to each batch of texts."""

    embedder: Embedder

    def __call__(self, texts: Sequence[Keyed]) -> list[tuple[bytes, Vector]]:
        """Each text's vector beside its hash."""
        vectors = self.embedder.embed([text for _, text in texts])
        return [(key, vector) for (key, _), vector in zip(texts, vectors, strict=True)]


class Embedding:
    """One run over the chunks that may lack vectors."""

    def __init__(self, cache: EmbeddingCache, embedder: Embedder, tell: Callable[[Progress], None]) -> None:
        self._cache = cache
        self._embedder = embedder
        self._tell = tell
        self.embedded = 0
        self.reused = 0

    def run(self, reader: StoreReader, rows: Sequence[Row], *, workers: int) -> None:
        """See to it that the cache has the vector of every one of these chunks."""
        work = EmbedWork(self._embedder)
        batches = self._missing(reader, rows)
        outcomes = map(work, batches) if len(rows) <= INLINE_CHUNKS else map_batches(work, batches, workers=workers)
        for outcome in outcomes:
            if isinstance(outcome, Crashed):
                raise EmbedderError("the embedding model crashed", "set `embedder` to `none` to search without vectors")
            self._cache.put(self._embedder.model, dict(outcome))
            self.embedded += len(outcome)
            self._tell(Progress("embed", min(self.embedded + self.reused, len(rows)), len(rows)))

    def _missing(self, reader: StoreReader, rows: Sequence[Row]) -> Iterator[list[Keyed]]:
        """Texts the cache does not have, each once, in batches."""
        waiting: dict[bytes, str] = {}
        seen: set[bytes] = set()
        for start in range(0, len(rows), BATCH):
            texts = {chunk.embed_key: chunk.embedded_text for chunk in reader.chunks(rows[start : start + BATCH])}
            known = self._cache.get(self._embedder.model, list(texts))
            fresh = {key: text for key, text in texts.items() if key not in known and key not in seen}
            self.reused += len(texts) - len(fresh)
            seen.update(fresh)
            waiting.update(fresh)
            if len(waiting) >= BATCH:
                yield list(waiting.items())
                waiting = {}
        if waiting:
            yield list(waiting.items())
