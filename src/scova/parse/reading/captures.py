"""What a language's query found in one text, as plain records.

The convention of queries/<language>.scm (the capture names are the whole contract between a query and this module):

    @def.KIND   a definition; alone in a match, its fields `name` and `body` are its name and body (such a pattern costs
                nothing to compile); else in the same match @name, and optionally @body (the signature ends where it starts) or
                @holder (its field `body` is the body), @base (repeatable), @decorator (repeatable), @parent (a parent
                that nesting does not tell; several are joined), @doc, @clause (continues the clause of that name right
                before it: clauses.py);
                in C and C++ @declarator instead of @name: the name stands at its bottom
    @scope      gives a parent name without being a definition (Rust's impl): @name, optionally @base
    @callee     the name in a call, optionally with @receiver; a name in its own definition's head is none
    @ignore     what looks like a call or a binding in here is none (Elixir's type specifications)
    @import     an import, whole; @import.statement: only where it is a statement of its own
    @package    the name of the package the file belongs to
    @error      what the parser could not read (added to every query)
    @outer      with @inner: a definition that starts where @inner does begins at @outer (C++'s `template <…>`)
    @decorator or @doc alone in a match: belongs to the definition that follows it directly, or that it stands in
                before the name (Java's modifiers)
    @body alone in a match: is the body of what ends where it does
    @bound @field @declared @returning   what a name stands for: bindings.py
    @module @path @prefix                what an import names: imports.py

Matches with one @name node are one definition: the most specific kind wins, then the larger node; lists are joined.
Everything here is measured in bytes of the UTF-8 text. Node objects do not leave this module.
"""

import re
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING

from scova.parse.reading.bindings import Bindings
from scova.parse.reading.calls import read_calls
from scova.parse.reading.declarator import declared
from scova.parse.reading.imports import IMPORTS, Imports
from scova.parse.reading.records import CLASS_LIKE, SCOPE, Definition, Named, Slices, Span, Standing, merged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from scova.parse.grammar import Match, Reading

    Captured = dict[str, list[Node]]

_CALL, _DEFINITION, _BINDING, _IMPORT, _REST = range(5)  # what a pattern's matches are
_TYPED = frozenset({"function", "method", "prototype", "field", "property"})  # they may say their type themselves
_TARGETS = frozenset({"type", "maker", "new"})


class Captures:
    """Collects a reading's matches; afterwards the lists are in the order of the text."""

    def __init__(self, reading: "Reading", slices: Slices) -> None:
        self._slices = slices
        self._definitions: dict[int, Definition] = {}
        self._calls: dict[int, Named] = {}
        self._bindings = Bindings(slices)
        self._imported = Imports(slices)
        self._imports: dict[int, str] = {}
        self._decorators: dict[int, Span] = {}
        self._docs: dict[int, Span] = {}
        self._outer: dict[int, tuple[int, int]] = {}
        self._ignored: dict[int, int] = {}
        self._bodies: dict[int, int] = {}  # by where they end
        self.package = ""
        self.unread = 0  # bytes inside errors
        for patterns, found in reading.runs():
            self._take(patterns, found)
        self.has_errors = reading.has_errors  # after the matches: running out of time is an error too
        self.definitions = self._in_order()
        self.calls = self._heeded([self._calls[at] for at in sorted(self._calls) if at not in self._definitions])
        self.bindings = self._heeded(sorted([*self._imported.found(), *self._bindings.found()], key=itemgetter(0)))
        self.imports = [line for _, line in sorted(self._imports.items())]
        self.decorators = [span for _, span in sorted(self._decorators.items())]
        self.docs = [span for _, span in sorted(self._docs.items())]

    def _take(self, patterns: tuple[frozenset[str], ...], found: "list[Match]") -> None:
        """Take in the matches of one query, sorted by what they are: one tight loop for each."""
        sorts: tuple[list[Match], ...] = ([], [], [], [], [])
        sinks = [sorts[sort].append for sort in _sorts(patterns)]
        for match in found:
            sinks[match[0]](match)
        read_calls(sorts[_CALL], self._slices, self._calls)
        kinds = _kinds(patterns)
        for pattern, captured in sorts[_DEFINITION]:
            self._definition(kinds[pattern] or next(filter(_DEFINES, captured), ""), captured)
        if sorts[_BINDING]:
            types = {one.name for one in self._definitions.values() if one.kind in CLASS_LIKE or one.kind == SCOPE}
            for _, captured in sorts[_BINDING]:
                self._bindings.add(captured, types)
        for _, captured in sorts[_IMPORT]:
            self._imported.add(captured)
        for _, captured in sorts[_REST]:
            self._rest(captured)

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

    def _heeded(self, found: list[Standing]) -> list[Standing]:
        """Those of what was found, in the order of the text, that do not stand where they are to be ignored."""
        ignored = sorted(self._ignored.items(), reverse=True)
        if not ignored:
            return found
        heeded, until = [], 0
        for one in found:
            while ignored and ignored[-1][0] <= one.start:
                until = max(until, ignored.pop()[1])
            if one.start >= until:
                heeded.append(one)
        return heeded

    def _definition(self, capture: str, captured: "Captured") -> None:
        if not capture:
            return
        kind = capture.removeprefix("def.")
        node = captured[capture][0]
        if "declarator" in captured:
            kind = declared(kind, captured)
        elif "name" not in captured and not _by_fields(node, captured):
            return
        fresh = self._record(kind, node, captured)
        if not fresh.name:
            return
        if kind in _TYPED:
            self._bindings.declared(captured["name"][0], captured.get("holder", [node])[0], kind)
        known = self._definitions.get(fresh.named)
        self._definitions[fresh.named] = fresh if known is None else merged(known, fresh)

    def _record(self, kind: str, node: "Node", captured: "Captured") -> Definition:
        name = captured["name"][0]
        end, blank_rows = self._slices.written_end(node.start_byte, node.end_byte)
        made = Definition(
            kind=kind,
            name=self._slices.name(name.start_byte, name.end_byte),
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
        if body := captured.get("body") or captured.get("holder"):
            inner = body[0] if "body" in captured else body[0].child_by_field_name("body")
            made.body = inner.start_byte if inner else -1
        if parent := captured.get("parent"):
            made.parent = ".".join(self._slices.name(node.start_byte, node.end_byte) for node in parent)
        if doc := captured.get("doc"):
            made.doc = self._slices.cut(doc[0].start_byte, doc[-1].end_byte)
        made.clause = "clause" in captured
        for node in captured.get("base", ()):
            made.bases[node.start_byte] = self._slices.line(node.start_byte, node.end_byte)
        made.decorators = [self._span(node) for node in captured.get("decorator", ())]

    def _rest(self, captured: "Captured") -> None:
        for node in captured.get("import") or _statements(captured.get("import.statement", ())):
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

    def _span(self, node: "Node") -> Span:
        start, end = node.start_byte, node.end_byte
        return Span(start, end, self._slices.line(start, end))


def _by_fields(node: "Node", captured: "Captured") -> bool:
    """Put the name and the body a definition's fields give into the captures; false where it has no name."""
    name = node.child_by_field_name("name")
    if name is None:
        return False
    captured["name"] = [name]
    if body := node.child_by_field_name("body"):
        captured["body"] = [body]
    return True


def _statements(nodes: "Iterable[Node]") -> "list[Node]":
    return [node for node in nodes if node.parent and node.parent.type == "expression_statement"]


_DEFINES = re.compile(r"def\.|scope$").match


@cache  # by the patterns of one query
def _sorts(patterns: tuple[frozenset[str], ...]) -> list[int]:
    """What the matches of each pattern are."""
    return [_sort(names) for names in patterns]


def _sort(names: frozenset[str]) -> int:
    if "callee" in names:
        return _CALL
    if "name" in names or "declarator" in names or any(map(_DEFINES, names)):
        return _DEFINITION
    if names & _TARGETS:
        return _BINDING
    return _IMPORT if names & IMPORTS else _REST


@cache
def _kinds(patterns: tuple[frozenset[str], ...]) -> list[str]:
    """The capture that holds the definition, for each pattern; empty where a pattern has several, or none."""
    found = [[name for name in names if _DEFINES(name)] for names in patterns]
    return [names[0] if len(names) == 1 else "" for names in found]
