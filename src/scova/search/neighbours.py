"""What the best results call: definitions that help to understand them, when there is room in a budget for more."""

from collections.abc import Iterator, Sequence

from scova.search.view import View
from scova.types import Chunk, ChunkType, Result, Symbol

LOOKED_AT = 3  # of the best results
_CANDIDATES = 2  # definitions of one name; with more, which one is called would be a guess
_MOST = 12  # neighbours in all


def neighbours(view: View, results: Sequence[Result]) -> list[Result]:
    """Chunks that define what the best results call, in the order of the calls; none that is shown already."""
    shown = {result.chunk.row for result in results}
    found: list[Result] = []
    for result in results[:LOOKED_AT]:
        for chunk in _called(view, result.chunk):
            if chunk.row not in shown and len(found) < _MOST:
                shown.add(chunk.row)
                found.append(Result(chunk, 0.0, {"called_by_result": 0.0}))
    return found


def _called(view: View, chunk: Chunk) -> Iterator[Chunk]:
    reader = view.chunk_set.reader
    calls = reader.calls(path=chunk.file_path)
    names = dict.fromkeys(call.name for _, call in calls if chunk.start_line <= call.line <= chunk.end_line)
    for name in names:
        definitions = reader.symbols(name)
        if 1 <= len(definitions) <= _CANDIDATES:
            for path, symbol in definitions:
                yield from _holding(view.chunk_set.by_file(path), symbol)


def _holding(chunks: Sequence[Chunk], symbol: Symbol) -> Iterator[Chunk]:
    """The chunk a definition begins in."""
    for chunk in chunks:
        if chunk.chunk_type is not ChunkType.SYMBOLS and chunk.start_line <= symbol.start_line <= chunk.end_line:
            yield chunk
