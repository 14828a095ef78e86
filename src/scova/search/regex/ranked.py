"""Chunks that hold a pattern, as a ranked answer: the real thing before tests and what is generated, code before prose, then
by how many lines match, then by place. Texts and chunks are of one moment of the store; files are not looked at here."""

from collections.abc import Iterator, Sequence

from scova.errors import QueryError
from scova.protocols import WholeReader
from scova.search.answer import check
from scova.search.handle import place_of
from scova.search.page import paged
from scova.search.ranking.symbols import ASIDE
from scova.search.regex.grep import Asked, Place, grep, stored_reader
from scova.search.view import View
from scova.stores.grams.reader import Grams
from scova.types import UNKNOWN_FRESHNESS, Answer, ChunkType, Filters, Literal, Query, Result


def ranked(view: View, query: Query, grams: Grams | None) -> Answer:
    """The chunks with most matching lines; beside them, the exact count of matching lines by file."""
    check(query)
    found = sorted(_holding(view, query, grams), key=_in_order)
    place = place_of(query.after)
    places = [one for one in place.next(query.limit) if one < len(found)]
    page = paged({one: found[one] for one in places}, place, len(found), query=query)
    return Answer(
        results=page.shown,
        total=len(found),
        truncated=page.truncated,
        next=page.next,
        literal=_counted(query.text, found),
        skipped_files=0,
        freshness=UNKNOWN_FRESHNESS,
        tokens=page.tokens,
        timings={},
        relevance=float(bool(found)),
        nothing_relevant=not found,
    )


def _holding(view: View, query: Query, grams: Grams | None) -> Iterator[Result]:
    allowed = view.chunk_set.select(query.filters) if query.filters else None
    for path, numbers in _lines(view, query, grams).items():
        for chunk in view.chunk_set.by_file(path):
            if chunk.chunk_type is not ChunkType.SYMBOLS and (allowed is None or chunk.row in allowed):
                count = sum(chunk.start_line <= number <= chunk.end_line for number in numbers)
                if count:
                    yield Result(chunk, float(count), {"matching_lines": float(count)})


def _lines(view: View, query: Query, grams: Grams | None) -> dict[str, list[int]]:
    """The numbers of matching lines by path."""
    reader = view.chunk_set.reader
    if not isinstance(reader, WholeReader):
        raise QueryError("these chunks cannot be searched by pattern", "index the folder they come from")
    found: dict[str, list[int]] = {}
    where = Filters(query.filters.paths, query.filters.not_paths, query.filters.languages)
    grep(
        Asked.of(query.text, filters=where, spans=False),
        Place(reader, grams, stored_reader(reader)),
        lambda file: found.update({file.path: [line.number for line in file.lines]}),
    )
    return found


def _counted(pattern: str, found: Sequence[Result]) -> Literal:
    """Matching lines by file: most first, then by path."""
    counts: dict[str, int] = {}
    for result in found:
        path = result.chunk.file_path
        counts[path] = counts.get(path, 0) + int(result.score)
    by_file = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return Literal(pattern, sum(by_file.values()), len(by_file), by_file)


def _in_order(result: Result) -> tuple[bool, bool, float, str, int]:
    chunk = result.chunk
    is_prose = chunk.chunk_type is ChunkType.DOCUMENTATION
    return not ASIDE.isdisjoint(chunk.tags), is_prose, -result.score, chunk.file_path, chunk.start_line
