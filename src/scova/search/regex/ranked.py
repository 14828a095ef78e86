"""Chunks that hold a pattern, as a ranked answer: the real thing before tests and what is generated, code before prose, then
by how many lines match, then by place. Which lines match is found elsewhere; here they are put into their chunks."""

from collections.abc import Iterator, Mapping, Sequence

from scova.search.answer import check
from scova.search.handle import handle, place_of
from scova.search.pack import cost, pack
from scova.search.ranking.rank import ASIDE
from scova.search.view import View
from scova.types import UNKNOWN_FRESHNESS, Answer, ChunkType, Literal, Query, Result

Lines = Mapping[str, Sequence[int]]  # by path: the numbers of the lines that match


def ranked(view: View, query: Query, lines: Lines) -> Answer:
    """The chunks with most matching lines; beside them, the exact count of matching lines by file."""
    check(query)
    found = sorted(_holding(view, query, lines), key=_in_order)
    place = place_of(query.after)
    places = [one for one in place.next(query.limit) if one < len(found)]
    results = {one: found[one] for one in places}
    shown = pack(list(results.values()), query.budget).results if query.budget else tuple(results.values())
    rows = {result.chunk.row for result in shown}
    following = place.after(places, {one for one, result in results.items() if result.chunk.row in rows})
    truncated = bool(following.left) or len(found) > following.offset
    counts = {path: len(numbers) for path, numbers in lines.items()}
    by_file = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return Answer(
        results=shown,
        total=len(found),
        truncated=truncated,
        next=handle(following) if truncated else "",
        literal=Literal(query.text, sum(by_file.values()), len(by_file), by_file),
        skipped_files=0,
        freshness=UNKNOWN_FRESHNESS,
        tokens=sum(map(cost, shown)),
        timings={},
    )


def _holding(view: View, query: Query, lines: Lines) -> Iterator[Result]:
    allowed = view.chunk_set.select(query.filters) if query.filters else None
    for path, numbers in lines.items():
        for chunk in view.chunk_set.by_file(path):
            if chunk.chunk_type is not ChunkType.SYMBOLS and (allowed is None or chunk.row in allowed):
                count = sum(chunk.start_line <= number <= chunk.end_line for number in numbers)
                if count:
                    yield Result(chunk, float(count), {"matching_lines": float(count)})


def _in_order(result: Result) -> tuple[bool, bool, float, str, int]:
    chunk = result.chunk
    is_prose = chunk.chunk_type is ChunkType.DOCUMENTATION
    return not ASIDE.isdisjoint(chunk.tags), is_prose, -result.score, chunk.file_path, chunk.start_line
