"""What a pattern is made of: the syntax tree, and the error for a pattern that cannot be read.

The language is that of Rust's regex crate, as ripgrep takes it: line by line, so that no match holds a line feed. Groups are
not kept (nothing asks what they caught), and flags are worked into the nodes. Nothing here knows how to match.
"""

from enum import StrEnum
from typing import NamedTuple

from scova.errors import QueryError

LAST = 0x10FFFF  # the last character
LINE_FEED = 0x0A
_AS_TEXT = "escape special characters with a backslash; `scova grep -F` takes a text as it is"


class Where(StrEnum):
    """Places between characters."""

    LINE_START = "^"
    LINE_END = "$"
    WORD = r"\b"
    NOT_WORD = r"\B"
    WORD_START = r"\b{start}"
    WORD_END = r"\b{end}"
    WORD_START_HALF = r"\b{start-half}"  # no word character before
    WORD_END_HALF = r"\b{end-half}"  # no word character behind
    ASCII_WORD = r"(?-u:\b)"
    ASCII_NOT_WORD = r"(?-u:\B)"


class Literal(NamedTuple):
    """One character; with `fold`, in any case."""

    character: str
    fold: bool


class Range(NamedTuple):
    """Characters from one to another, both included."""

    low: int
    high: int


class Named(NamedTuple):
    """A set with a name: `d`, `s`, `w`, or a Unicode property. `ascii` is the part of it within ASCII."""

    name: str
    negated: bool = False
    ascii: bool = False


class Set(NamedTuple):
    """Characters of any of its items, or of none. With `fold`, case is ignored: before it is negated, as everywhere."""

    items: tuple["Item", ...]
    negated: bool = False
    fold: bool = False


class Combined(NamedTuple):
    """Two sets and `&&` (in both), `--` (in the first only) or `~~` (in one only)."""

    operator: str
    left: "Item"
    right: "Item"


class Look(NamedTuple):
    """Matches nothing, at some places."""

    where: Where


class Repeat(NamedTuple):
    """A node several times; without an upper limit if `most` is None."""

    node: "Node"
    least: int
    most: int | None
    greedy: bool


class Concat(NamedTuple):
    """Nodes one after the other; of none, the empty match."""

    nodes: tuple["Node", ...]


class Alternate(NamedTuple):
    """The first of these nodes that matches."""

    nodes: tuple["Node", ...]


Item = Range | Named | Set | Combined
Node = Literal | Set | Look | Repeat | Concat | Alternate

ANY = Set((Range(0, LAST),))  # line feeds are never part of a match, so `.` and `(?s).` are the same


class Flags(NamedTuple):
    """What is in force at one place of a pattern."""

    fold: bool = False  # i
    lazy: bool = False  # U: greedy and lazy change places
    spaced: bool = False  # x: white space and comments are for people
    unicode: bool = True  # u

    @property
    def folds_sets(self) -> bool:
        """Whether the engine is to ignore case in sets; without Unicode it would go beyond ASCII."""
        return self.fold and self.unicode


def refused(pattern: str, start: int, problem: str, *, end: int = 0, hint: str = _AS_TEXT) -> QueryError:
    """The error for a pattern that cannot be read, with the place marked."""
    line_start = pattern.rfind("\n", 0, start) + 1
    line_end = pattern.find("\n", start)
    line = pattern[line_start : line_end if line_end >= 0 else None]
    begins = max(0, start - line_start - 60)
    shown = "".join(c if c.isprintable() else "?" for c in line[begins : start - line_start + 60])
    marks = " " * (start - line_start - begins) + "^" * max(1, min(end, line_start + len(line)) - start)
    text = f"the pattern cannot be read: {problem} (position {start + 1})\n    {shown}\n    {marks}"
    return QueryError(text, hint)


def no_line_feed(pattern: str) -> QueryError:
    """The error for a pattern that asks for the end of a line itself."""
    return QueryError(
        f"the pattern `{pattern}` holds a line feed, and is matched within lines",
        "use `$` for the end of a line, or search for each line by itself",
    )
