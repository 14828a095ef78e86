"""What a language's query found in one text, as plain records.

The convention of queries/<language>.scm (the capture names are the whole contract between a query and this module):

    @def.KIND   a definition; in the same match @name, and optionally @body (the signature ends where it starts),
                @base (repeatable), @decorator (repeatable), @parent (a parent that nesting does not tell; several
                are joined), @doc; in C and C++ @declarator instead of @name: the name stands at its bottom
    @scope      gives a parent name without being a definition (Rust's impl): @name, optionally @base
    @call       a call: @callee, optionally @receiver
    @import     an import, whole
    @package    the name of the package the file belongs to
    @error      what the parser could not read (added to every query)
    @outer      with @inner: a definition that starts where @inner does begins at @outer (C++'s `template <…>`)
    @decorator or @doc alone in a match: belongs to the definition that follows it directly, or that it stands in
                before the name (Java's modifiers)

Matches with one @name node are one definition: the most specific kind wins, then the larger node; lists are joined.
Everything here is measured in bytes of the UTF-8 text. Node objects do not leave this module.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scova.parse.reading.declarator import declared

if TYPE_CHECKING:
    from tree_sitter import Node

    from scova.parse.grammar import Reading

    Captured = dict[str, list[Node]]

SCOPE = "scope"
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
_CAST = re.compile(r"^(operator [^(]+)\(\).*$")  # C++: `operator bool() const` is called `operator bool`
_DEFINES = re.compile(r"def\.|scope$").match
_LONGEST_RECEIVER = 80
_LONGEST_NAME = 200
_LONGEST_LINE = 300


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


class Slices:
    """The text by byte offsets. In an ASCII text bytes and characters agree, which saves decoding every slice."""

    def __init__(self, text: str) -> None:
        self.data = text.encode("utf-8", "replace")
        self._text = text if len(self.data) == len(text) else None

    def cut(self, start: int, end: int) -> str:
        """The text between two offsets, as written."""
        if self._text is not None:
            return self._text[start:end]
        return self.data[start:end].decode("utf-8", "replace")

    def line(self, start: int, end: int, longest: int = _LONGEST_LINE) -> str:
        """The same on one line with single spaces, cut to `longest` characters."""
        return " ".join(self.cut(start, min(end, start + 8 * longest)).split())[:longest]


class Captures:
    """Collects a reading's matches; afterwards the lists are in the order of the text."""

    def __init__(self, reading: "Reading", slices: Slices) -> None:
        self._slices = slices
        self._definitions: dict[int, Definition] = {}
        self._calls: dict[int, Named] = {}
        self._imports: dict[int, str] = {}
        self._decorators: dict[int, Span] = {}
        self._docs: dict[int, Span] = {}
        self._outer: dict[int, tuple[int, int]] = {}
        self.package = ""
        self.unread = 0  # bytes inside errors
        for _, captured in reading.matches():
            if "callee" in captured:
                self._call(captured)
            elif "name" in captured or "declarator" in captured:
                self._definition(captured)
            else:
                self._rest(captured)
        self.has_errors = reading.has_errors  # after the matches: running out of time is an error too
        self.definitions = self._in_order()
        self.calls = [call for _, call in sorted(self._calls.items())]
        self.imports = [line for _, line in sorted(self._imports.items())]
        self.decorators = [span for _, span in sorted(self._decorators.items())]
        self.docs = [span for _, span in sorted(self._docs.items())]

    def _in_order(self) -> list[Definition]:
        definitions = list(self._definitions.values())
        for definition in definitions if self._outer else ():
            if definition.start in self._outer:
                definition.head = definition.start
                definition.start, definition.row = self._outer[definition.start]
        return sorted(definitions, key=lambda one: (one.start, -one.end, one.named))

    def _call(self, captured: "Captured") -> None:
        callee = captured["callee"][0]
        start = callee.start_byte
        receiver = ""
        if nodes := captured.get("receiver"):
            receiver = self._slices.line(nodes[0].start_byte, nodes[-1].end_byte, _LONGEST_RECEIVER)
        elif start in self._calls:
            return
        name = self._name(callee)
        if name:
            self._calls[start] = Named(start, callee.start_point[0], name, receiver)

    def _definition(self, captured: "Captured") -> None:
        capture = next(filter(_DEFINES, captured), "")
        if not capture:
            return
        kind = capture.removeprefix("def.")
        if "declarator" in captured:
            kind = declared(kind, captured)
        fresh = self._record(kind, captured[capture][0], captured)
        if not fresh.name:
            return
        known = self._definitions.get(fresh.named)
        self._definitions[fresh.named] = fresh if known is None else _merged(known, fresh)

    def _record(self, kind: str, node: "Node", captured: "Captured") -> Definition:
        end_row, end_column = node.end_point
        row = node.start_point[0]
        name = captured["name"][0]
        made = Definition(
            kind=kind,
            name=self._name(name),
            start=node.start_byte,
            end=node.end_byte,
            row=row,
            end_row=end_row - 1 if not end_column and end_row > row else end_row,
            named=name.start_byte,
        )
        if len(captured) > 2:
            self._details(made, captured)
        return made

    def _details(self, made: Definition, captured: "Captured") -> None:
        if body := captured.get("body"):
            made.body = body[0].start_byte
        if parent := captured.get("parent"):
            made.parent = ".".join(map(self._name, parent))
        if doc := captured.get("doc"):
            made.doc = self._slices.cut(doc[0].start_byte, doc[-1].end_byte)
        for node in captured.get("base", ()):
            made.bases[node.start_byte] = self._slices.line(node.start_byte, node.end_byte)
        made.decorators = [self._span(node) for node in captured.get("decorator", ())]

    def _rest(self, captured: "Captured") -> None:
        for node in captured.get("import", ()):
            self._imports[node.start_byte] = self._slices.line(node.start_byte, node.end_byte)
        for node in captured.get("package", ())[:1]:
            self.package = self.package or self._slices.line(node.start_byte, node.end_byte)
        for node in captured.get("error", ()):
            self.unread += node.end_byte - node.start_byte
        for inner, outer in zip(captured.get("inner", ()), captured.get("outer", ()), strict=False):
            self._outer[inner.start_byte] = (outer.start_byte, outer.start_point[0])
        for node in captured.get("decorator", ()):
            self._decorators[node.start_byte] = self._span(node)
        for node in captured.get("doc", ()):
            text = self._slices.cut(node.start_byte, node.end_byte)
            self._docs[node.start_byte] = Span(node.start_byte, node.end_byte, text)

    def _name(self, node: "Node") -> str:
        start = node.start_byte
        name = self._slices.cut(start, min(node.end_byte, start + _LONGEST_NAME))
        if name.isidentifier():
            return name
        return _CAST.sub(r"\1", " ".join(name.split()).strip("`'\""))

    def _span(self, node: "Node") -> Span:
        start, end = node.start_byte, node.end_byte
        return Span(start, end, self._slices.line(start, end))


def _merged(known: Definition, fresh: Definition) -> Definition:
    """Two matches of one definition as one: the more specific kind's, with what only the other has added."""
    if (_rank(fresh), known.end - known.start) < (_rank(known), fresh.end - fresh.start):
        known, fresh = fresh, known
    known.body = min(known.body, fresh.body) if min(known.body, fresh.body) >= 0 else max(known.body, fresh.body)
    known.parent = known.parent or fresh.parent
    known.doc = known.doc or fresh.doc
    known.bases |= fresh.bases
    known.decorators += [one for one in fresh.decorators if one not in known.decorators]
    return known


def _rank(definition: Definition) -> int:
    return _RANKS.get(definition.kind, len(_RANKS))
