"""What programmers shorten words to, and what they mean by it: `cfg` is config and configuration.

Reads `abbreviations.txt`: after a first line that tells how it was made, a line `short long weight` each, sorted; the weight is
how usual that meaning is beside the most usual one of the short word. The table was learned from documentation and code
(training/abbreviations.py), never written by hand. Responsible for looking words up in it, both ways. It refuses to know the
index, and to decide whether a spelling is worth looking for.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from scova.tokens import stem


class Spelling(NamedTuple):
    """Another way to write a word."""

    word: str
    term: str  # its stem, as the index holds it
    weight: float  # 0 to 1


@lru_cache(maxsize=1024)
def spellings_of(term: str) -> tuple[Spelling, ...]:
    """What else the word with this stem may be written as: shorter ones, and those that it shortens; each stem once."""
    found: dict[str, Spelling] = {}
    for line in _lines(term) if len(term) > 1 and term.isalpha() else ():
        short, long, weight = line.split(" ")
        for word, other in ((short, long), (long, short)):
            if stem(word) == term:
                spelling = Spelling(other, stem(other), float(weight))
                found[spelling.term] = max(found.get(spelling.term, spelling), spelling, key=lambda one: one.weight)
    return tuple(found.values())


def _lines(term: str) -> Iterator[str]:
    """The lines where a word begins with this: a stem is always a beginning."""
    # The text is searched as it is: to split and stem it all costs a millisecond, which most searches could not make use of.
    text = _table()
    for before in ("\n", " "):
        place = text.find(before + term)
        while place >= 0:
            start = text.rfind("\n", 0, place + 1) + 1
            end = text.find("\n", start)
            yield text[start:end]
            place = text.find(before + term, place + 1)


@lru_cache(maxsize=1)
def _table() -> str:
    """Every entry on a line of its own, each begun and ended by a line break; without the first line."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="ascii")
    return text[text.index("\n") :]
