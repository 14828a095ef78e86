"""What a language's query found in one text, as plain records.

The convention of queries/<language>.scm (the capture names are the whole contract between a query and this module):

    @def.KIND   a definition; in the same match @name, and optionally @body (the signature ends where it starts),
                @base (repeatable), @decorator (repeatable), @parent (a parent that nesting does not tell; several
                are joined), @doc, @clause (continues the clause of that name right before it: clauses.py);
                in C and C++ @declarator instead of @name: the name stands at its bottom
    @scope      gives a parent name without being a definition (Rust's impl): @name, optionally @base
    @call       a call: @callee, optionally @receiver; a name in its own definition's head is none
    @ignore     what looks like a call in here is none (Elixir's type specifications)
    @import     an import, whole
    @package    the name of the package the file belongs to
    @error      what the parser could not read (added to every query)
    @outer      with @inner: a definition that starts where @inner does begins at @outer (C++'s `template <…>`)
    @decorator or @doc alone in a match: belongs to the definition that follows it directly, or that it stands in
                before the name (Java's modifiers)
    @body alone in a match: is the body of what ends where it does

Matches with one @name node are one definition: the most specific kind wins, then the larger node; lists are joined.
Everything here is measured in bytes of the UTF-8 text. Node objects do not leave this module.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scova.parse.reading.declarator import declared
from scova.parse.reading.records import Definition, Named, Slices, Span, merged

if TYPE_CHECKING:
    from tree_sitter import Node

    from scova.parse.grammar import Reading

    Captured = dict[str, list[Node]]

_CAST = re.compile(r"^(operator [^(]+)\(\).*$")  # C++: `operator bool() const` is called `operator bool`
# A name with marks around: quotes, the colon of a symbol or a key, Zig's @. Haskell's `f'` and `:*:` are whole names.
_DRESSED = re.compile(r"[:@]?(?P<quote>[`'\"])(?P<quoted>.*)(?P=quote):?|:(?P<symbol>[\w\[].*)|(?P<key>\w.*):")
_DEFINES = re.compile(r"def\.|scope$").match
_LONGEST_RECEIVER = 80
_LONGEST_NAME = 200


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
        self._ignored: dict[int, int] = {}
        self._bodies: dict[int, int] = {}  # by where they end
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
        self.calls = list(self._called())
        self.imports = [line for _, line in sorted(self._imports.items())]
        self.decorators = [span for _, span in sorted(self._decorators.items())]
        self.docs = [span for _, span in sorted(self._docs.items())]

    def _in_order(self) -> list[Definition]:
        definitions = list(self._definitions.values())
        for definition in definitions if self._bodies else ():
            if definition.body < 0 and definition.named < self._bodies.get(definition.end, -1):
                definition.body = self._bodies[definition.end]
        for definition in definitions if self._outer else ():
            if definition.start in self._outer:
                definition.head = definition.start
                definition.start, definition.row = self._outer[definition.start]
        return sorted(definitions, key=lambda one: (one.start, -one.end, one.named))

    def _called(self) -> Iterator[Named]:
        """The calls without what only looks like one: the name in a definition's head, and what is to be ignored."""
        ignored = sorted(self._ignored.items(), reverse=True)
        until = 0
        for start, call in sorted(self._calls.items()):
            while ignored and ignored[-1][0] <= start:
                until = max(until, ignored.pop()[1])
            if start >= until and start not in self._definitions:
                yield call

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
        self._definitions[fresh.named] = fresh if known is None else merged(known, fresh)

    def _record(self, kind: str, node: "Node", captured: "Captured") -> Definition:
        name = captured["name"][0]
        end, blank_rows = self._slices.written_end(node.start_byte, node.end_byte)
        made = Definition(
            kind=kind,
            name=self._name(name),
            start=node.start_byte,
            end=end,
            row=node.start_point[0],
            end_row=node.end_point[0] - blank_rows,
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
        made.clause = "clause" in captured
        for node in captured.get("base", ()):
            made.bases[node.start_byte] = self._slices.line(node.start_byte, node.end_byte)
        made.decorators = [self._span(node) for node in captured.get("decorator", ())]

    def _rest(self, captured: "Captured") -> None:
        for node in captured.get("import", ()):
            self._imports[node.start_byte] = self._slices.line(node.start_byte, node.end_byte)
        for node in captured.get("package", ())[:1]:
            self.package = self.package or self._slices.line(node.start_byte, node.end_byte)
        for node in captured.get("ignore", ()):
            self._ignored[node.start_byte] = max(node.end_byte, self._ignored.get(node.start_byte, 0))
        for node in captured.get("body", ()):
            self._bodies[node.end_byte] = min(node.start_byte, self._bodies.get(node.end_byte, node.start_byte))
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
        name = " ".join(name.split())
        dressed = _DRESSED.fullmatch(name)
        return dressed[dressed.lastgroup or 0] if dressed else _CAST.sub(r"\1", name)

    def _span(self, node: "Node") -> Span:
        start, end = node.start_byte, node.end_byte
        return Span(start, end, self._slices.line(start, end))
