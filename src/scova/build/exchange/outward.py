"""An index out to exchange files: everything of one moment, file by file of the tree."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scova.build.footprint import ENGINE
from scova.chunks.exchange.graph import Head
from scova.chunks.exchange.names import Format
from scova.chunks.exchange.objects import Embedded
from scova.chunks.exchange.outgoing import Exported, Outgoing, prepare
from scova.protocols import VectorCache, WholeReader
from scova.types import ParsedFile


def export(
    reader: WholeReader, to: Path, *, form: Format, cache: VectorCache | None = None, model: str = ""
) -> Exported:
    """Write everything the reader sees; with a `cache`, the vectors of this model, too."""
    prepare(to)
    paths = list(reader.files())
    with Outgoing(to, Head(ENGINE, len(paths)), form=form, vectors=cache is not None) as outgoing:
        for path in paths:
            file = stored(reader, path)
            outgoing.add(file, _vectors(file, cache, model) if cache else ())
        return outgoing.finish()


def stored(reader: WholeReader, path: str) -> ParsedFile:
    """Everything the store has of a file."""
    known, outlined = reader.file(path), reader.outline(path)
    if known is None or outlined is None:
        raise LookupError(path)
    calls = tuple(call for _, call in reader.calls(path=path))
    return ParsedFile(
        path=path,
        digest=known.digest,
        language=outlined.language,
        mark=known.mark,
        chunks=tuple(reader.chunks_of(path)),
        outline=replace(outlined.outline, calls=calls),
        generation=known.generation,
    )


def _vectors(file: ParsedFile, cache: VectorCache, model: str) -> Iterator[Embedded]:
    found = cache.get(model, {chunk.embed_key for chunk in file.chunks})
    return (Embedded(model, key, vector) for key, vector in found.items())
