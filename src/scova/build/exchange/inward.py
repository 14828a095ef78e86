"""An index in from exchange files.

What comes in was checked before (`Incoming`). It becomes visible in one step: every file that differs is replaced by its next
generation, every file that is not among what came leaves, and nothing happens if anything fails. What the files on disk look
like is not known afterwards, so the next refresh reads each once, and parses none that is what it was.
"""

import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from scova.build.build import Build, Tools
from scova.build.exchange.outward import stored
from scova.build.footprint import ENGINE, Footprint
from scova.chunks.exchange.incoming import Incoming
from scova.errors import ExchangeError
from scova.protocols import Embedder, VectorCache, WholeReader
from scova.types import Chunk, Document, IndexedFile, Item, Mark, ParsedFile, Progress, Region, Report, Skip, Vector

LARGEST_BATCH = 4_000_000  # characters of chunks that are put at a time
MOST_FILES = 500
_VECTORS_AT_ONCE = 2000
_CHECK_EVERY = 1000  # of so many vectors of our own model, one is computed to see whether it is what it claims to be
_LEAST_LIKENESS = 0.98  # cosine: another machine may round differently

Tell = Callable[[Progress], None]


class _Nothing:
    """A source of no files: what a build does with it is to publish what has been put."""

    def items(self) -> Iterator[Item | Skip]:
        return iter(())

    def read(self, item: Item) -> Document | Skip:
        return Skip(item.path, "vanished")


def import_(tools: Tools, incoming: Incoming, footprint: Footprint, tell: Tell | None = None) -> Report:
    """Make the index what the files say. The caller holds the write lock.

    Says what was added, changed and removed; what is there already stays as it is, so that importing twice changes nothing.
    """
    started = time.monotonic()
    _take_vectors(incoming, tools.cache, tools.embedder)
    footprint.begin(tools.store)
    counts: Counter[str] = Counter()
    known = tools.store.files()
    gone = known.keys() - set(incoming.paths())
    with tools.store.reader() as before, tools.store.together():
        for batch in _batches(_differing(incoming, before, known, counts)):
            tools.store.put(batch)
        if gone:
            tools.store.put([], removed=gone)
    report = Build(tools, tell).run(_Nothing(), region=Region())
    return replace(
        report,
        added=counts["added"],
        changed=counts["changed"],
        removed=len(gone),
        unchanged=counts["unchanged"],
        seconds=round(time.monotonic() - started, 3),
    )


def _differing(
    incoming: Incoming, before: WholeReader, known: dict[str, IndexedFile], counts: Counter[str]
) -> Iterator[ParsedFile]:
    """The files that are not in the index as they come."""
    trusted = incoming.engine in (None, ENGINE)
    for file in incoming.files():
        # Parsed by another version: with no digest, the next refresh parses it again.
        arrived = file if trusted else replace(file, digest="")
        if file.path not in known:
            counts["added"] += 1
        elif _essence(stored(before, file.path)) == _essence(arrived):
            counts["unchanged"] += 1
            continue
        else:
            counts["changed"] += 1
        yield arrived


def _essence(file: ParsedFile) -> ParsedFile:
    """A file without what a store gives to it: equal for two that say the same."""
    chunks = tuple(_bare(chunk) for chunk in file.chunks)
    return replace(file, chunks=chunks, mark=Mark(0, 0), generation=0)


def _bare(chunk: Chunk) -> Chunk:
    return replace(chunk, project="", generation=0, change_seq=0, created_at="", updated_at="")


def _batches(files: Iterator[ParsedFile]) -> Iterator[list[ParsedFile]]:
    """Files a few at a time, by size and by number."""
    batch: list[ParsedFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += sum(len(chunk.text) for chunk in file.chunks)
        if size >= LARGEST_BATCH or len(batch) >= MOST_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _take_vectors(incoming: Incoming, cache: VectorCache, embedder: Embedder | None) -> None:
    """Bring the vectors into the shared cache, so that nothing is embedded twice; before anything else, since they do no harm."""
    found = incoming.vectors()
    own = embedder.model if embedder else ""
    if embedder and incoming.widths.get(own, embedder.width) != embedder.width:
        raise _not_ours(incoming, own)
    while some := list(islice(found, _VECTORS_AT_ONCE)):
        ours = [(embedded.vector, where) for embedded, where in some if embedded.model == own]
        for vector, where in ours[::_CHECK_EVERY]:
            if (
                embedder
                and _likeness(embedder.embed([incoming.chunk(where).embedded_text])[0], vector) < _LEAST_LIKENESS
            ):
                raise _not_ours(incoming, own)
        by_model: dict[str, dict[bytes, Vector]] = {}
        for embedded, _ in some:
            by_model.setdefault(embedded.model, {})[embedded.key] = embedded.vector
        for model, vectors in by_model.items():
            cache.put(model, vectors)


def _not_ours(incoming: Incoming, model: str) -> ExchangeError:
    return ExchangeError(
        f"the vectors in `{incoming.folder}` say they are of `{model}`, and are not",
        "nothing was changed; remove them from the files, and they will be computed",
    )


def _likeness(one: Vector, other: Vector) -> float:
    """The cosine of two vectors."""
    a, b = array("b", one), array("b", other)
    dot, lengths = sum(x * y for x, y in zip(a, b, strict=True)), sum(x * x for x in a) * sum(y * y for y in b)
    return dot / lengths**0.5 if lengths else float(one == other)
