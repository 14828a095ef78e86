"""Doc comments taken out of a text, line by line, and proof that nothing else was.

An outline tells where a definition stands and what its comment says; the lines of the comment are found from there. A guess is
never trusted: the text without them is parsed again, and must have the same definitions with the same comments but this one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from scova.parse.outline import outline
from scova.parse.reading.comment import style_of
from scova.types import Outline

FARTHEST = 250  # lines above a definition: attributes, and the longest comments that are read

_STRINGS = ('"""', "'''", '"', "'")


class Lines(NamedTuple):
    """A run of lines, counted from 0, the last one included."""

    first: int
    last: int


def doc_lines(text: str, language: str, number: int, known: Outline) -> Lines | None:
    """The lines of the comment of the definition of this number in the outline; None where they cannot be taken out."""
    lines = text.split("\n")
    for place in _places(lines, number, known):
        found = _around(lines, place, language)
        if found and is_stripped(without(text, [found]), language, known, numbers=[number]):
            return found
    return None


def without(text: str, runs: Iterable[Lines]) -> str:
    """The text without these lines."""
    gone = {line for run in runs for line in range(run.first, run.last + 1)}
    return "\n".join(line for number, line in enumerate(text.split("\n")) if number not in gone)


def is_stripped(text: str, language: str, known: Outline, *, numbers: Sequence[int]) -> bool:
    """Whether a text has the definitions of an outline with their comments, but for those of these numbers, which have none."""
    now = outline(text, language)
    if now.has_errors > known.has_errors or len(now.symbols) != len(known.symbols):
        return False
    gone = set(numbers)
    return all(
        (new.qualified, new.kind, new.doc) == (old.qualified, old.kind, "" if number in gone else old.doc)
        for number, (new, old) in enumerate(zip(now.symbols, known.symbols, strict=True))
    )


def _places(lines: Sequence[str], number: int, known: Outline) -> list[int]:
    """Lines that may begin what the comment says, the nearest to its definition first."""
    symbol = known.symbols[number]
    begins = symbol.doc.split("\n", 1)[0]
    start = symbol.start_line - 1
    nearby = range(max(0, start - FARTHEST), min(len(lines), symbol.end_line))
    return sorted((place for place in nearby if begins in lines[place]), key=lambda place: abs(place - start))[:4]


def _around(lines: Sequence[str], place: int, language: str) -> Lines | None:
    """The comment or string that this line is part of, if it has its lines to itself."""
    style = style_of(language)
    if style.block[1] and (found := _block(lines, place, style.block[0].decode(), style.block[1].decode())):
        return found
    marker = style.line.decode()
    if lines[place].lstrip().startswith(marker):
        return Lines(*_run(lines, place, marker))
    for quote in _STRINGS:
        if found := _string(lines, place, quote):
            return found
    return None


def _run(lines: Sequence[str], place: int, marker: str) -> Iterator[int]:
    """The first and the last of the lines around this one that begin with a marker."""
    for step in (-1, 1):
        end = place
        while 0 <= end + step < len(lines) and lines[end + step].lstrip().startswith(marker):
            end += step
        yield end


def _block(lines: Sequence[str], place: int, opening: str, closing: str) -> Lines | None:
    first = place
    while not lines[first].lstrip().startswith(opening):
        first -= 1
        if first < max(0, place - FARTHEST) or closing in lines[first]:
            return None
    return _closed(lines, first, place, closing)


def _string(lines: Sequence[str], place: int, quote: str) -> Lines | None:
    """The string around a line that stands alone: a docstring, or what `@doc` is given."""
    first = place
    while quote not in lines[first]:
        first -= 1
        if first < max(0, place - FARTHEST):
            return None
    before, _, behind = lines[first].partition(quote)
    if before.strip() and not (len(before.strip()) <= 2 or before.lstrip().startswith("@")):
        return None
    if quote in behind:
        return Lines(first, first) if first == place and behind.rstrip().endswith(quote) else None
    return _closed(lines, first, max(place, first + 1), quote) if len(quote) == 3 else None


def _closed(lines: Sequence[str], first: int, place: int, closing: str) -> Lines | None:
    for last in range(place, min(len(lines), place + 2 * FARTHEST)):
        if closing in lines[last]:
            return Lines(first, last) if lines[last].rstrip().endswith(closing) else None
    return None
