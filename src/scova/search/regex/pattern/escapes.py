"""Backslash and what follows it, inside and outside of brackets."""

import re
from typing import NamedTuple

from scova.search.regex.pattern.syntax import LAST, Named, Where, refused

_CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_PLACES = {"A": Where.LINE_START, "z": Where.LINE_END, "<": Where.WORD_START, ">": Where.WORD_END}
_WORD_PLACES = {
    "start": Where.WORD_START,
    "end": Where.WORD_END,
    "start-half": Where.WORD_START_HALF,
    "end-half": Where.WORD_END_HALF,
}
_HEX_WIDTHS = {"x": 2, "u": 4, "U": 8}
_SPECIAL_PLACE = re.compile(r"\{([A-Za-z-]*)\}?")
_PROPERTY = re.compile(r"\{(\^?)([^{}]*)\}|([A-Za-z])")


class Escaped(NamedTuple):
    """What an escape stands for, and where it ends."""

    value: str | Named | Where
    end: int


def escape(pattern: str, at: int, *, unicode: bool) -> Escaped:
    """The escape at `at`, where a backslash stands."""
    letter = pattern[at + 1 : at + 2]
    if not letter:
        raise refused(pattern, at, "it ends with a backslash")
    if letter in _CONTROLS:
        return Escaped(_CONTROLS[letter], at + 2)
    if letter in "dswDSW":
        return Escaped(Named(letter.lower(), negated=letter.isupper(), ascii=not unicode), at + 2)
    if letter in _PLACES:
        return Escaped(_PLACES[letter], at + 2)
    if letter in "bB":
        return _word_place(pattern, at, unicode=unicode)
    if letter in "pP":
        return _property(pattern, at, unicode=unicode)
    if letter in _HEX_WIDTHS:
        return _hexadecimal(pattern, at)
    if letter.isascii() and not letter.isalnum():
        return Escaped(letter, at + 2)
    if letter in "0123456789":
        hint = "write out what is to come again, or match anything there and choose among the lines"
        raise refused(pattern, at, "backreferences are not supported", end=at + 2, hint=hint)
    raise refused(pattern, at, "unrecognized escape sequence", end=at + 2)


def _word_place(pattern: str, at: int, *, unicode: bool) -> Escaped:
    if pattern[at + 1] == "B":
        return Escaped(Where.NOT_WORD if unicode else Where.ASCII_NOT_WORD, at + 2)
    special = _SPECIAL_PLACE.match(pattern, at + 2)
    if special is None or not special[1]:  # `\b{2}` is a repetition
        return Escaped(Where.WORD if unicode else Where.ASCII_WORD, at + 2)
    if special[1] not in _WORD_PLACES or not special[0].endswith("}"):
        problem = "unrecognized word boundary; there are start, end, start-half and end-half"
        raise refused(pattern, special.start(1), problem, end=special.end(1))
    if not unicode:
        raise refused(pattern, at, "this word boundary is supported with Unicode only", end=special.end())
    return Escaped(_WORD_PLACES[special[1]], special.end())


def _property(pattern: str, at: int, *, unicode: bool) -> Escaped:
    found = _PROPERTY.match(pattern, at + 2)
    if found is None or not unicode:
        raise refused(pattern, at, "Unicode property not found", end=at + 2)
    name = found[2] if found[3] is None else found[3]
    negated = (pattern[at + 1] == "P") != bool(found[1])
    if "!=" in name:
        negated, name = not negated, name.replace("!=", "=")
    from scova.search.regex.pattern.unicode import (
        known_property,
    )  # it loads the engine, which few patterns need this early

    known = known_property(name)
    if not known:
        raise refused(pattern, at, "Unicode property not found", end=found.end())
    return Escaped(Named(known, negated=negated), found.end())


def _hexadecimal(pattern: str, at: int) -> Escaped:
    digits = pattern[at + 2 : at + 2 + _HEX_WIDTHS[pattern[at + 1]]]
    start, end = at + 2, at + 2 + len(digits)
    if digits.startswith("{"):
        close = pattern.find("}", at)
        if close < 0:
            raise refused(pattern, at, "unclosed hexadecimal number")
        digits, start, end = pattern[at + 3 : close], at + 3, close + 1
    elif len(digits) < _HEX_WIDTHS[pattern[at + 1]]:
        raise refused(pattern, at, "unfinished hexadecimal number")
    if not re.fullmatch("[0-9A-Fa-f]{1,8}", digits):
        raise refused(pattern, start, "invalid hexadecimal digit")
    number = int(digits, 16)
    if number > LAST or 0xD800 <= number <= 0xDFFF:
        raise refused(pattern, start, "not the number of a character", end=end)
    return Escaped(chr(number), end)
