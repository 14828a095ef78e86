"""Exactly what was typed: which texts hold it, and how often, over the whole index.

The text index finds candidates by word and is generous (it knows stems, not spellings or order); here the texts themselves
decide. Responsible for both exact readings of a query: whether a text holds what is demanded, and how often the literal
occurs, file by file. It refuses to find candidates.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from scova import tokens
from scova.search.asked.query import Demand, ParsedQuery, Shape, Way
from scova.types import Chunk, ChunkType, Literal

Test = Callable[[str], bool]

_WORDY = re.compile(r"\w+")


def literal_of(query: ParsedQuery) -> str:
    """What to count: the phrase in quotes, or a query that is one identifier; empty when the query is neither."""
    if query.phrases:
        return query.phrases[0]
    return query.identifiers[0] if query.shape is Shape.IDENTIFIER and query.identifiers else ""


def literal_terms(literal: str) -> tuple[str, ...]:
    """Terms that every chunk with this literal has: ask the text index for all of them. None for one without any word."""
    # Where words are written without spaces, a literal may be any part of one; only its pairs of letters are sure.
    spelled = (tokens.terms(word) if word.isascii() else tokens.parts(word) for word in tokens.words(literal))
    return tuple(dict.fromkeys(term for terms in spelled for term in terms))


def count(literal: str, chunks: Iterable[Chunk]) -> Literal:
    """Occurrences of the literal, as written and bounded by word borders, by file: most first, then by path.

    Chunks tile their files, so nothing is counted twice; the map of a file's symbols is not its text and does not count.
    """
    found: dict[str, int] = {}
    for chunk in chunks:
        if literal and chunk.chunk_type is not ChunkType.SYMBOLS:
            occurrences = _occurrences(literal, chunk.text)
            if occurrences:
                found[chunk.file_path] = found.get(chunk.file_path, 0) + occurrences
    by_file = dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
    return Literal(literal, sum(by_file.values()), len(by_file), by_file)


def holding(demand: Demand) -> Test:
    """A test that a text holds something. Words stand anywhere, inside identifiers too; phrases mind word borders, and mind case when
    they have an upper-case letter."""
    if demand.way is Way.PHRASE:
        return _phrase(demand.text)
    return _prefix(demand.text) if demand.way is Way.PREFIX else _word(demand.text)


@lru_cache(maxsize=64)
def _bounded(literal: str) -> re.Pattern[str]:
    begins, ends = _borders(literal)
    before, after = r"(?<!\w)" if begins else "", r"(?!\w)" if ends else ""
    return re.compile(before + re.escape(literal) + after)


def _occurrences(literal: str, text: str) -> int:
    """The same as matches of `_bounded`, ten times faster: the characters around are looked at, without a pattern."""
    before, after = _borders(literal)
    one_word = before and _WORDY.fullmatch(literal) is not None
    total, place = 0, text.find(literal)
    while place >= 0:
        end = place + len(literal)
        if (before and place and _is_wordy(text[place - 1])) or (after and end < len(text) and _is_wordy(text[end])):
            place = text.find(literal, _after_run(text, place) if one_word else place + 1)
        else:
            total += 1
            place = text.find(literal, end)
    return total


def _after_run(text: str, place: int) -> int:
    """Where the letters end that a place lies in: one word cannot begin among them, be they a million."""
    run = _WORDY.match(text, place)
    return run.end() if run else place + 1


def _run_before(text: str, place: int) -> int:
    """Where the letters begin that a place lies in."""
    while place and _is_wordy(text[place - 1]):
        place -= 1
    return place


def _borders(literal: str) -> tuple[bool, bool]:
    """Whether it must not go on to the left, and to the right: scripts without spaces have no word borders."""
    first, last = literal[0], literal[-1]
    # They begin where the classes of spaced letters end.
    return _is_wordy(first) and first < "\u2e80", _is_wordy(last) and last < "\u2e80"


def _is_wordy(character: str) -> bool:
    return character.isalnum() or character == "_"


def _phrase(phrase: str) -> Test:
    pattern = _bounded(phrase)
    if phrase == phrase.lower():
        pattern = re.compile(pattern.pattern, re.IGNORECASE)
    return lambda text: pattern.search(text) is not None


def _word(word: str) -> Test:
    lowered = word.lower()
    return lambda text: lowered in text.lower()


def _prefix(prefix: str) -> Test:
    """A word, or a part of an identifier, begins so."""
    lowered = prefix.lower()
    rough = re.compile(re.escape(lowered), re.IGNORECASE)

    def holds(text: str) -> bool:
        place = rough.search(text)
        while place is not None:  # only words that have it somewhere are taken apart
            end = _after_run(text, place.start())
            word = text[_run_before(text, place.start()) : end]
            if any(part.startswith(lowered) for part in (word.lower(), word.strip("_").lower(), *tokens.parts(word))):
                return True
            place = rough.search(text, end)
        return False

    return holds
