"""Whether all parts of an index agree: files, chunks, symbols and calls in the store; text; vectors and their graph; n-grams."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scova.build.memory import embedded_until
from scova.errors import DerivedDamaged
from scova.protocols import Embedder, VectorCache, WholeReader, WholeStore
from scova.stores.ann.metadata import VectorIndexMetadata
from scova.stores.audit import DAMAGED, MISSING, compare_rows
from scova.stores.derived import damaged_files, newest_grams, newest_matrix, newest_segment
from scova.stores.layout import Layout
from scova.types import Finding, Row

if TYPE_CHECKING:
    from scova.protocols.vectors import VectorIndex

DERIVED_PARTS = frozenset(("derived", "text", "vectors", "grams"))  # parts that are rebuilt rather than mended
_AT_ONCE = 2000


def inspect(
    store: WholeStore,
    layout: Layout,
    cache: VectorCache,
    embedder: Embedder | None,
    *,
    vectors: "VectorIndex | None" = None,
) -> list[Finding]:
    """Everything that does not agree; empty when all is well. `vectors` is where they are, unless they are in files."""
    model = embedder.model if embedder else ""
    found = store.audit()
    damaged = damaged_files(layout, model if vectors is None else "", store.store_id, thoroughly=True)
    found += [Finding("derived", DAMAGED, name, why) for name, why in damaged.items()]
    if model and vectors is None and not VectorIndexMetadata(layout).is_readable():
        found.append(Finding("derived", DAMAGED, layout.collection_meta.name, "cannot be read"))
    with store.reader() as reader:
        if segment := newest_segment(layout, reader.store_id):
            found += _compared("text", reader, segment.rows, segment.applied_seq)
        found += _without_grams(reader, layout)
        if model and vectors is not None:
            found += _beside(reader, vectors)
            since = vectors.applied_seq()
            found += without_vector(reader, cache, model, since=since, until=embedded_until(store, model))
        elif model:
            matrix = newest_matrix(layout, model, reader.store_id)
            if matrix:
                found += _compared("vectors", reader, matrix.rows, matrix.applied_seq)
            since = matrix.applied_seq if matrix else 0
            found += without_vector(reader, cache, model, since=since, until=embedded_until(store, model))
    return found


def _compared(part: str, reader: WholeReader, rows: Iterable[int], applied_seq: int) -> list[Finding]:
    """A derived file against the store: what it holds, less what died since, plus what came since, must be what is alive."""
    try:
        dead = {row for row, _ in reader.removed(applied_seq)}
    except DerivedDamaged as error:
        return [Finding(part, DAMAGED, f"change {applied_seq}", error.message)]
    covered = (Row(row) for row in rows if row not in dead)
    newer = reader.rows(since=applied_seq)
    return compare_rows(part, set(reader.rows()), [*covered, *newer])


def _beside(reader: WholeReader, vectors: "VectorIndex") -> list[Finding]:
    """An index beside the store against the store. Rows that came since the change it reflects may be there, as a build that did
    not come to its end leaves them."""
    applied_seq = vectors.applied_seq()
    if applied_seq > reader.change_seq:
        return [Finding("vectors", DAMAGED, f"change {applied_seq}", "newer than the store")]
    newer = set(reader.rows(since=applied_seq))
    return _compared("vectors", reader, (row for row in vectors.rows() if row not in newer), applied_seq)


def _without_grams(reader: WholeReader, layout: Layout) -> list[Finding]:
    """Files that the n-gram index should know and does not: they would never be looked into."""
    grams = newest_grams(layout, reader.store_id)
    if grams is None:
        return []
    known = {*grams.files, *grams.loose, *(file.file_id for file in reader.stored_files(since=grams.applied_seq))}
    missing = [file.path for file in reader.stored_files() if file.file_id not in known]
    return [Finding("grams", MISSING, path, "not in the n-gram index") for path in missing]


def without_vector(reader: WholeReader, cache: VectorCache, model: str, *, since: int, until: int) -> list[Finding]:
    """Chunks newer than the vector file whose vector is not in the cache either, though a build had embedded them.

    What came after `until` is work that a build has still to do, not damage.
    """
    later = set(reader.rows(since=until))
    rows = [row for row in reader.rows(since=since) if row not in later]
    found: list[Finding] = []
    for start in range(0, len(rows), _AT_ONCE):
        keys = {light.row: light.embed_key for light in reader.lights(rows[start : start + _AT_ONCE])}
        known = cache.get(model, list(keys.values()))
        found += [
            Finding("vectors", MISSING, f"row {row}", "not embedded") for row, key in keys.items() if key not in known
        ]
    return found
