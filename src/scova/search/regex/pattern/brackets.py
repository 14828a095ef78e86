"""Bracket expressions: `[a-z]`, `[^\\W_]`, `[[:alpha:]--[aeiou]]`."""

import re
from collections.abc import Iterator, Sequence

from scova.search.regex.pattern.escapes import escape
from scova.search.regex.pattern.syntax import Combined, Flags, Item, Named, Range, Set, refused

_POSIX_NAME = re.compile(r"\[:(\^?)(\w+):\]")
_POSIX: dict[str, str] = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "ascii": "\0\x7f",
    "blank": "\t\t  ",
    "cntrl": "\0\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\r  ",
    "upper": "AZ",
    "word": "09AZaz__",
    "xdigit": "09AFaf",
}
_OPERATORS = ("&&", "--", "~~")
_DEEPEST = 100


def _other_case(wanted: Range) -> Iterator[Range]:
    """The ASCII letters of a range in the other case."""
    for first, last, distance in ((ord("A"), ord("Z"), 32), (ord("a"), ord("z"), -32)):
        low, high = max(wanted.low, first), min(wanted.high, last)
        if low <= high:
            yield Range(low + distance, high + distance)


class Brackets:
    """Reads one bracket expression, nested ones included."""

    def __init__(self, pattern: str, flags: Flags) -> None:
        self._pattern = pattern
        self._flags = flags
        self._at = 0
        self._start = 0

    def read(self, at: int) -> tuple[Set, int]:
        """The set whose opening bracket stands at `at`, and where it ends."""
        self._at = self._start = at
        return self._set(0), self._at

    def _set(self, depth: int) -> Set:
        if depth > _DEEPEST:
            raise refused(self._pattern, self._at, "brackets are nested too deeply")
        opened = self._at
        self._at += 1
        self._skip_space()
        negated = self._took("^")
        self._skip_space()
        items: list[Item] = []
        while self._peek() == "-":
            items.append(self._took_character())
            self._skip_space()
        if not items and self._peek() == "]":
            items.append(self._took_character())
        content = self._union(items, depth, opened)
        while self._pattern[self._at : self._at + 2] in _OPERATORS:
            operator = self._pattern[self._at : self._at + 2]
            self._at += 2
            content = Combined(operator, content, self._union([], depth, opened))
        self._at += 1  # the closing bracket
        return Set((content,), negated, self._flags.folds_sets)

    def _union(self, items: list[Item], depth: int, opened: int) -> Item:
        """Items up to an operator or the closing bracket."""
        while True:
            self._skip_space()
            character = self._peek()
            if not character:
                raise refused(self._pattern, opened, "unclosed character class")
            if character == "]" or self._pattern[self._at : self._at + 2] in _OPERATORS:
                return Set(self._cased(items), fold=self._flags.folds_sets)
            if character == "[":
                items.append(self._posix() or self._set(depth + 1))
            else:
                items.append(self._range())

    def _posix(self) -> Set | None:
        found = _POSIX_NAME.match(self._pattern, self._at)
        if found is None or found[2] not in _POSIX:
            return None
        self._at = found.end()
        ends = _POSIX[found[2]]
        ranges = [Range(ord(low), ord(high)) for low, high in zip(ends[::2], ends[1::2], strict=True)]
        return Set(self._cased(ranges), negated=bool(found[1]), fold=self._flags.folds_sets)

    def _cased(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """The items; without Unicode, ignoring case stays within ASCII, so that both cases are written out."""
        if not self._flags.fold or self._flags.unicode:
            return tuple(items)
        other = [each for item in items if isinstance(item, Range) for each in _other_case(item)]
        return (*items, *other)

    def _range(self) -> Item:
        start = self._at
        low = self._member()
        self._skip_space()
        behind = self._pattern[self._at + 1 : self._at + 2]
        if self._peek() != "-" or behind in ("]", "-", ""):
            return low
        self._at += 1
        self._skip_space()
        high_at = self._at
        high = self._member()
        if isinstance(low, Named) or isinstance(high, Named):
            at = start if isinstance(low, Named) else high_at
            raise refused(self._pattern, at, "a range needs a character at both ends", end=self._at)
        if low.low > high.low:
            raise refused(self._pattern, start, "the range begins after its end", end=self._at)
        return Range(low.low, high.low)

    def _member(self) -> Range | Named:
        if self._peek() != "\\":
            if not self._peek():
                raise refused(self._pattern, self._start, "unclosed character class")
            return self._took_character()
        start = self._at
        found = escape(self._pattern, self._at, unicode=self._flags.unicode)
        self._at = found.end
        if isinstance(found.value, Named):
            return found.value
        if len(found.value) != 1:  # a place between characters
            raise refused(self._pattern, start, "this escape has no meaning in brackets", end=found.end)
        return Range(ord(found.value), ord(found.value))

    def _took_character(self) -> Range:
        number = ord(self._pattern[self._at])
        self._at += 1
        return Range(number, number)

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _took(self, character: str) -> bool:
        found = self._peek() == character
        self._at += found
        return found

    def _skip_space(self) -> None:
        while self._flags.spaced and self._peek().isspace():
            self._at += 1
