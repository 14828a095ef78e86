"""Which lines of a chunk say most of what was asked: the first, which says what it is, and the best that follow one another.

The page does the same in `server/page/js/marks.js`. Only what is shown of a line counts. It refuses to print.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scova import tokens
from scova.counted import clipped
from scova.search.asked.query import parse
from scova.types import Answer, Mode, Query

SHOWN_LINES = 8  # of a result's text on a terminal; --json and --budget show all of it
WIDTH = 160  # characters of a line

Said = Callable[[str], list[str]]  # which of the asked words a line says, each as often as it does


class Excerpt(NamedTuple):
    """Lines by their place in the chunk, from 0, and behind which of them how many are left out."""

    lines: Mapping[int, str]
    gaps: Mapping[int, int]


def excerpts(query: Query, found: Answer) -> Iterator[Excerpt]:
    """What is shown of each result: all of what was packed into a budget, otherwise a few lines."""
    texts = [result.chunk.text for result in found.results]
    if query.budget:
        yield from (Excerpt(dict(enumerate(map(_cut, text.rstrip().split("\n")))), {}) for text in texts)
    elif texts:
        said = sayer(query, found.spelled)
        yield from (excerpt(text, said) for text in texts)


def excerpt(text: str, said: Said) -> Excerpt:
    """The lines of a chunk that are shown."""
    lines = text.removesuffix("\n").split("\n")  # as chunks count them: a form feed ends no line
    full = len(text.rstrip().split("\n"))  # blank lines at the end are not worth a line, nor a word
    if full <= SHOWN_LINES:
        return Excerpt(dict(enumerate(map(_cut, lines[:full]))), {})
    begin = 1 + _best([said(line[:WIDTH]) for line in lines[1:full]], SHOWN_LINES - 1)
    end = begin + SHOWN_LINES - 1
    gaps = ({0: begin - 1} if begin > 1 else {}) | ({end - 1: len(lines) - end} if end < full else {})
    return Excerpt({place: _cut(lines[place]) for place in (0, *range(begin, end))}, gaps)


def sayer(query: Query, spelled: Mapping[str, Iterable[str]]) -> Said:
    """Tells which words of a question a line says, by the stems they are found by; `spelled` has what they are called here."""
    if query.mode is Mode.REGEX:
        return _matcher(query.text)
    parsed = parse(query.text, query.filters)
    parts = [star.text.lower() for star in parsed.stars]
    words = [*parsed.content, *parsed.phrases, *parsed.must, *(one.text for group in parsed.either for one in group)]
    words += [other for others in spelled.values() for other in others]
    asked = {term for text in words for word in tokens.words(text) for term in tokens.scored_terms(word)}

    def said(line: str) -> list[str]:
        found = [term for word in tokens.words(line) for term in tokens.scored_terms(word) if term in asked]
        return found + [part for part in parts if part in line.lower()]

    return said


def _matcher(pattern: str) -> Said:
    from scova.search.regex.matcher import Matcher, Options

    matcher = Matcher([pattern], Options())
    return lambda line: [pattern for _ in matcher.found(line.encode(errors="replace"))]


def _best(said: Sequence[Sequence[str]], most: int) -> int:
    """The line from which `most` lines say most: distinct words count, then how many. Of equals the first lines, which go on
    from the head, or those that have as much before what was found as behind it."""
    worths = [
        _worth([word for line in said[begin : begin + most] for word in line]) for begin in range(len(said) - most + 1)
    ]
    best = max(worths)
    first = worths.index(best)
    if first == 0:
        return 0
    last = next((place for place in range(first, len(worths)) if worths[place] != best), len(worths)) - 1
    return (first + last) // 2


def _cut(line: str) -> str:
    return clipped(line, WIDTH)


def _worth(words: Sequence[str]) -> int:
    return 100 * len(set(words)) + len(words)
