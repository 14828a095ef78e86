"""The records that a query's captures become, and the text they are cut from: offsets in bytes, rows from 0, no nodes."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from scova.parse.reading.comment import before_comments

SCOPE = "scope"
CLASS_LIKE = frozenset(
    [
        "class",
        "struct",
        "enum",
        "interface",
        "trait",
        "protocol",
        "object",
        "implementation",
        "union",
        "type",
    ]  # what makes a function a method
)
# Most specific first: where two patterns meet on one name, the earlier kind wins.
_RANKS = {
    kind: rank
    for rank, kind in enumerate(
        [
            "constructor",
            "method",
            "macro",
            "function",
            "protocol",
            "trait",
            "interface",
            "enum",
            "union",
            "struct",
            "object",
            "implementation",
            "class",
            "namespace",
            "module",
            "type",
            "prototype",
            "property",
            "constant",
            "field",
            "variable",
            "scope",
        ]
    )
}
_LONGEST_LINE = 300
_LONGEST_NAME = 200
_CAST = re.compile(r"^(operator [^(]+)\(\).*$")  # C++: `operator bool() const` is called `operator bool`
# A name with marks around: quotes, the colon of a symbol or a key, Zig's @. Haskell's `f'` and `:*:` are whole names.
_DRESSED = re.compile(r"[:@]?(?P<quote>[`'\"])(?P<quoted>.*)(?P=quote):?|:(?P<symbol>[\w\[].*)|(?P<key>\w.*):")


@dataclass(slots=True)
class Definition:
    """One definition or scope. `start` and `end` are byte offsets, rows count from 0."""

    kind: str
    name: str
    start: int
    end: int
    row: int
    end_row: int
    named: int  # where its name stands
    head: int = 0  # where it starts itself, where an @outer starts earlier
    body: int = -1
    parent: str = ""
    bases: dict[int, str] = field(default_factory=dict)  # by where they stand
    decorators: list["Span"] = field(default_factory=list)
    doc: str = ""
    clause: bool = False


class Span(NamedTuple):
    """A piece of the text and where it stands."""

    start: int
    end: int
    text: str


class Named(NamedTuple):
    """A call by name: where, on which row, and what stands before the name."""

    start: int
    row: int
    name: str
    receiver: str


class Bound(NamedTuple):
    """What a name stands for. `place` says how it is named: bound, member, field, returns (a function's result)."""

    start: int
    row: int
    name: str
    target: str
    how: str  # import, annotation, constructor
    place: str = "bound"
    member: str = ""


Standing = TypeVar("Standing", Named, Bound)  # what stands somewhere in the text


class Slices:
    """The text by byte offsets. In an ASCII text bytes and characters agree, which saves decoding every slice."""

    def __init__(self, text: str, language: str) -> None:
        self.language = language
        self.data = text.encode("utf-8", "replace")
        self.ascii = text if len(self.data) == len(text) else ""  # empty where bytes and characters do not agree

    def cut(self, start: int, end: int) -> str:
        """The text between two offsets, as written."""
        if self.ascii:
            return self.ascii[start:end]
        return self.data[start:end].decode("utf-8", "replace")

    def name(self, start: int, end: int) -> str:
        """The name between two offsets, without marks around it; of a very long one the beginning."""
        end = min(end, start + _LONGEST_NAME)
        name = self.cut(start, end)
        if name.isidentifier():
            return name
        name = " ".join(name.split())
        dressed = _DRESSED.fullmatch(name)
        return dressed[dressed.lastgroup or 0] if dressed else _CAST.sub(r"\1", name)

    def written_end(self, start: int, end: int) -> tuple[int, int]:
        """Where the text between two offsets ends before the blank at its end, and how many rows that blank takes.

        Some grammars let a definition reach up to the next token, past blank lines and comments that are not its own.
        """
        if end <= start or self.data[end - 1] not in b" \t\r\n":
            return end, 0
        written = before_comments(self.data, start, end, language=self.language)
        return written, self.data.count(b"\n", written, end)

    def line(self, start: int, end: int, longest: int = _LONGEST_LINE) -> str:
        """The same on one line with single spaces, cut to `longest` characters."""
        return " ".join(self.cut(start, min(end, start + 8 * longest)).split())[:longest]


def merged(known: Definition, fresh: Definition) -> Definition:
    """Two matches of one definition as one: the more specific kind's, with what only the other has added."""
    if (_rank(fresh), known.end - known.start) < (_rank(known), fresh.end - fresh.start):
        known, fresh = fresh, known
    known.body = min(known.body, fresh.body) if min(known.body, fresh.body) >= 0 else max(known.body, fresh.body)
    known.parent = known.parent or fresh.parent
    known.doc = known.doc or fresh.doc
    known.clause = known.clause or fresh.clause
    known.bases |= fresh.bases
    known.decorators += [one for one in fresh.decorators if one not in known.decorators]
    return known


def _rank(definition: Definition) -> int:
    return _RANKS.get(definition.kind, len(_RANKS))
