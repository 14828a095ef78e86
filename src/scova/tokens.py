"""Identifiers and prose into search tokens.

One tokeniser serves documents and queries, the text index and the embedding model, so that a word always means the same
thing on both sides. This module knows nothing of languages, files or indexes: text in, lower-case tokens out.

Steps, each usable alone:

    words("parseHTTPConfig(user_id)")  ->  ["parseHTTPConfig", "user_id"]     as written
    parts("parseHTTPConfig")           ->  ("parse", "http", "config")        what a reader sees in it
    scored_terms("parseHTTPConfig")    ->  ("parsehttpconfig", "pars", "http", "config")    what it is weighed by: stems
    terms("parsers")                   ->  ("pars", "parsers")                the same, and the spelling: what the text index holds
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS = re.compile(r"[^\W_]+")

_VOWEL = re.compile("[aeiouy]")
# Each with the fewest letters it must leave. Where one ends another, the longer comes first.
_ENDINGS = """ations:3 ation:3 ators:3 ator:3 ating:3 ated:3 ates:3 ate:4 ions:3 ion:4 ings:3 ing:3 ers:3 er:3 ors:3 or:4 ed:3
ments:3 ment:4 able:4 ible:4"""
_SUFFIXES = tuple((ending, int(least)) for ending, _, least in (entry.partition(":") for entry in _ENDINGS.split()))

LONGEST_WORD = 64  # longer runs are hashes and encoded data: noise in an index, never typed by anyone


_Made = TypeVar("_Made")
_remembering: "list[_lru_cache_wrapper[object]]" = []


def remembered(most: int) -> "Callable[[Callable[..., _Made]], _lru_cache_wrapper[_Made]]":
    """Remember what a function makes of so many words, names or paths. Which there are depends on what is met, without an end: a
    process that lives long has all of it let go of now and then (`forget`)."""

    def remembering(function: "Callable[..., _Made]") -> "_lru_cache_wrapper[_Made]":
        found = lru_cache(maxsize=most)(function)
        _remembering.append(found)
        return found

    return remembering


def words(text: str) -> list[str]:
    """Every run of letters, digits and underscores, as written."""
    return _WORD.findall(text)


@remembered(1 << 17)
def parts(word: str) -> tuple[str, ...]:
    """The lower-case pieces of one word: snake_case, camelCase and letter/digit borders split, one-letter pieces dropped."""
    if len(word) > LONGEST_WORD:
        return ()
    if word.isascii():
        return tuple(piece.lower() for piece in _PART.findall(word) if len(piece) > 1 or len(word) == 1)
    pieces: list[str] = []
    for run in _LETTERS.findall(word.lower()):
        pieces.extend(_bigrams(run) if _is_unspaced(run) else (run,))
    return tuple(pieces)


@remembered(1 << 17)
def scored_terms(word: str) -> tuple[str, ...]:
    """What a word is found and weighed by: the stems of its parts, and the whole where it is made of several."""
    whole = word.strip("_").lower()
    if not whole or len(word) > LONGEST_WORD:
        return ()
    pieces = parts(word)
    if pieces == (whole,):
        return (stem(whole),)
    return tuple(dict.fromkeys((whole, *map(stem, pieces))))


@remembered(1 << 17)
def terms(word: str) -> tuple[str, ...]:
    """What the text index holds for a word: what it is weighed by first, and always the whole word as it is spelled."""
    scored = scored_terms(word)
    whole = word.strip("_").lower()
    return scored if not scored or whole in scored else (*scored, whole)


@remembered(1 << 17)
def stem(part: str) -> str:
    """What a lower-case part shares with its relatives: "parser", "parsing" and "parsed" are all "pars".

    Always a beginning of the part, of at least three letters where the part has them; anything but ASCII letters stays.
    """
    if len(part) < 4 or not (part.isascii() and part.isalpha()):
        return part
    word = _singular(part)
    for suffix, least in _SUFFIXES:
        left = len(word) - len(suffix)
        if left >= least and word.endswith(suffix) and _VOWEL.search(word, 0, left):
            word = word[:left]
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "eiy" else word


def forget() -> None:
    """Let go of words, names and paths that were met: a process that lives long meets ever more. They are soon learned again."""
    for remembering in _remembering:
        remembering.cache_clear()


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 5:
        return word[:-3]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _is_unspaced(run: str) -> bool:
    """Whether a run has a letter of a script that is written without spaces."""
    # No character class: compiling one that large costs every search three milliseconds, for text that few ask for.
    return any("\u2e80" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" or "\uf900" <= c <= "\ufaff" for c in run)


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for i in range(len(run) - 1):
        yield run[i : i + 2]
