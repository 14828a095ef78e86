"""What an edit leaves behind so that it can be undone to the byte. Knows no format."""

from typing import NamedTuple


class Trace(NamedTuple):
    """How something was put into a text: the space before and behind it that was not there, and how far up it had to be made.

    `made` is the number of keys that lead to the outermost thing made: as many as the entry has when its table was there already,
    0 when the whole document was made.
    """

    lead: str = ""
    tail: str = ""
    made: int = 0


class Edited(NamedTuple):
    """A text after an edit, and what undoes it."""

    text: str
    trace: Trace


def newline_of(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def without(text: str, begin: int, end: int) -> str:
    """A text without some of its lines; what stood before and behind them does not grow together."""
    joins = begin > 0 and end < len(text) and text[begin - 1] != "\n" and text[end] not in "\r\n"
    return text[:begin] + newline_of(text) * joins + text[end:]
