"""Chunks that hold a pattern, as a ranked answer: the real thing before tests and what is generated, code before prose, then
by how many lines match, then by place. Texts and chunks are of one moment of the store; files are not looked at here.

Matching lines are counted where they stand and not kept, so what is held is a number for each matching chunk, however many lines
match. What was counted before the deadline is ranked.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from scova.core.deadline import in_force
from scova.counted import counted
from scova.errors import OutOfTime, QueryError
from scova.protocols import WholeReader
from scova.search.answer import check
from scova.search.handle import place_of
from scova.search.page import paged
from scova.search.ranking.symbols import ASIDE
from scova.search.regex.grep import Asked, Place, possible_files, stored_reader
from scova.search.regex.matcher import Matcher
from scova.search.regex.pieces import Pieces
from scova.search.regex.text import text_of
from scova.search.view import View
from scova.stores.grams.reader import Grams
from scova.types import UNKNOWN_FRESHNESS, Answer, Chunk, ChunkType, Filters, Literal, Query, Result, Row


class _Found(NamedTuple):
    """A chunk with matching lines; the smaller it is, the further up it stands."""

    is_aside: bool
    is_prose: bool
    less: int  # minus the number of its matching lines
    path: str
    start_line: int
    row: Row


def ranked(view: View, query: Query, grams: Grams | None) -> Answer:
    """The chunks with most matching lines; beside them, the exact count of matching lines by file."""
    check(query)
    found = sorted(_holding(view, query, grams))
    place = place_of(query.after)
    places = [one for one in place.next(query.limit) if one < len(found)]
    chunks = {chunk.row: chunk for chunk in view.chunk_set.chunks([found[one].row for one in places])}
    page = paged({one: _result(found[one], chunks) for one in places}, place, len(found), query=query)
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


def _result(one: _Found, chunks: dict[Row, Chunk]) -> Result:
    return Result(chunks[one.row], float(-one.less), {"matching_lines": float(-one.less)})


def _holding(view: View, query: Query, grams: Grams | None) -> Iterator[_Found]:
    """Every chunk with matching lines; of files that could be looked through before the deadline."""
    reader = view.chunk_set.reader
    if not isinstance(reader, WholeReader):
        raise QueryError("these chunks cannot be searched by pattern", "index the folder they come from")
    where = Filters(query.filters.paths, query.filters.not_paths, query.filters.languages)
    asked = Asked.of(query.text, filters=where, spans=False)
    matcher = Matcher(asked.patterns, asked.options)
    allowed = view.chunk_set.select(query.filters) if query.filters else None
    paths = possible_files(asked, matcher, Place(reader, grams, stored_reader(reader)))
    deadline, searched = in_force(), 0
    with Pieces(matcher, deadline.check) as stoppable:
        for path in paths:
            if deadline.is_over():
                break
            counting = _Counting(view.chunk_set.by_file(path))
            try:
                counting.count(stoppable)
                searched += 1
            except OutOfTime:
                pass
            yield from counting.found(allowed)
    if searched < len(paths):
        deadline.cut(f"{searched:,} of {counted(len(paths), 'file')} were searched")


class _Counting:
    """The chunks of one file, each with how many of its lines match."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = [chunk for chunk in chunks if chunk.chunk_type is not ChunkType.SYMBOLS]
        self._lines: Counter[int] = Counter()  # by place of the chunk

    def count(self, matcher: Pieces) -> None:
        """Look for the pattern in the text of the file, which the chunks make up."""
        data = text_of("".join(chunk.text for chunk in self._chunks).encode()).data
        starts = [chunk.start_line for chunk in self._chunks]
        number, counted_to = 1, 0
        for line in matcher.found(data, every=False):
            number += data.count(b"\n", counted_to, line.start)
            counted_to = line.start
            place = bisect_right(starts, number) - 1
            # A long line may be divided among several chunks.
            while place >= 0 and self._chunks[place].end_line >= number:
                self._lines[place] += 1
                place -= 1

    def found(self, allowed: AbstractSet[Row] | None) -> Iterator[_Found]:
        """Those with matching lines that may be found."""
        for place, lines in self._lines.items():
            chunk = self._chunks[place]
            if allowed is None or chunk.row in allowed:
                is_prose = chunk.chunk_type is ChunkType.DOCUMENTATION
                is_aside = not ASIDE.isdisjoint(chunk.tags)
                yield _Found(is_aside, is_prose, -lines, chunk.file_path, chunk.start_line, chunk.row)


def _counted(pattern: str, found: Sequence[_Found]) -> Literal:
    """Matching lines by file: most first, then by path."""
    counts: Counter[str] = Counter()
    for one in found:
        counts[one.path] -= one.less
    by_file = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return Literal(pattern, sum(by_file.values()), len(by_file), by_file)
