"""Questions from documentation: the first sentence of a function's doc comment, answered by the file of the function.

The sentence stands in the index, so these questions are asked of a copy without it. Responsible for which sentences are
questions, and that none stands anywhere else in the tree.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from scova.evaluation.question import Kind, Question, lot, plain, real_words
from scova.evaluation.stripping import Lines, doc_lines, is_stripped, without
from scova.parse.outline import outline
from scova.parse.tags import tags_of
from scova.tokens import words
from scova.types import Symbol

FEWEST_WORDS, MOST_WORDS = 4, 40
PER_FILE = 4  # so that they come from many files
MOST_FILES = 5000  # that are looked at
_KINDS = frozenset(("function", "method", "constructor"))
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[A-Z(`\[])")
_PARTS = re.compile(
    r"\n\s*(?:\n|(?=[@\\:]\w)|(?=(?:args|arguments|parameters|params|returns|raises|throws|examples?)\s*:))",
    re.IGNORECASE,
)
_NO_SENTENCE = re.compile(
    r"[@:\\<#|>=*+-]|(?:todo|fixme|xxx|hack|note|copyright|licen[cs]e|deprecated|see|copied)\b", re.IGNORECASE
)

Read = Callable[[str], str | None]  # the text of a file by its path, if it can be had


class Documented(NamedTuple):
    """A question, and the lines that have to go so that it is one."""

    question: Question
    lines: Lines
    number: int  # of the definition in its outline
    said: tuple[str, ...]  # the sentence as it stands in the file, word by word


def documented(files: Mapping[str, str], read: Read, wanted: int, *, seed: int) -> list[Documented]:
    """At most as many as wanted, in an order by chance that the seed decides."""
    paths = [path for path, language in files.items() if language and not tags_of(path)]
    paths.sort(key=lambda path: lot(seed, path))
    found: list[Documented] = []
    for path in paths[:MOST_FILES]:
        found += _in_file(path, files[path], read, seed=seed)
        if len(found) >= 2 * wanted:  # some stand elsewhere too, and are dropped
            break
    found.sort(key=lambda one: lot(seed, *one.question.relevant, one.question.text))
    return said_once(found, files, read)[:wanted]


def first_sentence(doc: str, name: str) -> str:
    """What a doc comment begins with, as a question that does not begin with the name it explains; empty if it is none."""
    sentence = raw_sentence(doc)
    if _NO_SENTENCE.match(sentence):
        return ""
    text = plain(sentence)
    if text.split(" ", 1)[0].removesuffix("()") == name:  # as Go wants it; everything would be found by its name
        text = text.partition(" ")[2]
    return text if len(real_words(text)) >= FEWEST_WORDS and len(text.split()) <= MOST_WORDS else ""


def raw_sentence(doc: str) -> str:
    """The first sentence as it is written, on one line, without the parameters and results that may be listed behind it."""
    return _SENTENCE.split(" ".join(_PARTS.split(doc, maxsplit=1)[0].split()), maxsplit=1)[0]


def said_once(found: Iterable[Documented], files: Iterable[str], read: Read) -> list[Documented]:
    """Those whose sentence stands nowhere in these files but in its own comment."""
    listed = list(found)
    begins: defaultdict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for one in listed:
        begins[one.said[:3]].add(one.said)
    count: Counter[tuple[str, ...]] = Counter()
    for path in files:
        spoken = [word.lower() for word in words(read(path) or "")]
        for place, start in enumerate(zip(spoken, spoken[1:], spoken[2:], strict=False)):
            for said in begins.get(start, ()):
                count[said] += tuple(spoken[place : place + len(said)]) == said
    return [one for one in listed if count[one.said] == 1]


def stripped(text: str, language: str, found: Iterable[Documented]) -> str | None:
    """A file's text without the comments in question; None if they cannot be taken out all together."""
    listed = list(found)
    bare = without(text, [one.lines for one in listed])
    numbers = [one.number for one in listed]
    return bare if is_stripped(bare, language, outline(text, language), numbers=numbers) else None


def _in_file(path: str, language: str, read: Read, *, seed: int) -> list[Documented]:
    text = read(path)
    known = outline(text, language) if text else None
    if text is None or known is None:
        return []
    asked = {
        n: first_sentence(one.doc, one.name) for n, one in enumerate(known.symbols) if one.doc and one.kind in _KINDS
    }
    numbers = [number for number, sentence in asked.items() if sentence]
    numbers.sort(key=lambda number: lot(seed, asked[number]))
    found = []
    for number in numbers[:PER_FILE]:
        lines = doc_lines(text, language, number, known)
        if lines:
            found.append(_documented(path, known.symbols[number], asked[number], (number, lines)))
    return found


def _documented(path: str, symbol: Symbol, text: str, place: tuple[int, Lines]) -> Documented:
    number, lines = place
    said = tuple(word.lower() for word in words(raw_sentence(symbol.doc)))
    return Documented(Question(Kind.DOCS, text, (path,), f"{path}:{symbol.start_line}"), lines, number, said)
