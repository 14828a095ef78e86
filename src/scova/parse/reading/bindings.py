"""What names stand for, from a query's captures: constructed values, declared types. Each match is one binding:

Beside these, a definition whose node has a field for its type or result says so itself (`declared`).

    @bound      the name as calls write it: `client`, `self.client`; or
    @field      a name declared in a type; or
    @declared   in C++ a declarator: the name stands at its bottom; or
    @returning  the name of a function whose result is declared
        with
    @type       the declared type, or
    @new        the type that is constructed, or
    @maker      what is called: a constructor where it is named like a type, else the match says nothing

Knows nodes and bytes; not which definition a name stands in.
"""

import re
from collections.abc import Container
from typing import TYPE_CHECKING

from scova.parse.reading.declarator import bottom
from scova.parse.reading.records import Bound, Slices
from scova.parse.reading.typename import plain_type

if TYPE_CHECKING:
    from tree_sitter import Node

    Captured = dict[str, list[Node]]

_LONGEST = 200
_WRITABLE = re.compile(r"[\w$@#?]+(?:(?:\.|->|::|\?\.)[\w$#]+)*").fullmatch
_MEMBERS = frozenset({"field", "property"})
_PRIMITIVE = frozenset({"primitive_type", "sized_type_specifier"})  # of C++: they have no members
_LAST = re.compile(r"(?s)^.*[.:\\](?=\w)|[<\[(].*")  # what stands around the last word of a path
_MEMBER = re.compile(r"(?:self|this)\.|@|\$this->|this->").match


# By language: the field of a function that is the type of its result, and that of a member that is its type.
_FIELDS = {
    "arduino": ("type", "type"),
    "cpp": ("type", "type"),
    "csharp": ("returns", "type"),
    "cuda": ("type", "type"),
    "go": ("result", "type"),
    "java": ("type", "type"),
    "php": ("return_type", ""),
    "python": ("return_type", ""),
    "rust": ("return_type", "type"),
    "scala": ("return_type", "type"),
    "starlark": ("return_type", ""),
    "tsx": ("return_type", "type"),
    "typescript": ("return_type", "type"),
}
_NO_FIELDS = ("", "")


class Bindings:
    """Collects the bindings of one text."""

    def __init__(self, slices: Slices) -> None:
        self._slices = slices
        self._fields = _FIELDS.get(slices.language, _NO_FIELDS)
        self._found: dict[tuple[int, str], Bound] = {}  # by where the name stands, and as what

    def add(self, captured: "Captured", types: Container[str]) -> None:
        """Take in one match that has a name and a target; one that says nothing is left out. `types` are of this text."""
        if "maker" in captured and not self._makes(captured["maker"][0], types):
            return
        place, node = self._named(captured)
        start = node.start_byte
        name = self._slices.cut(start, node.end_byte)
        if not name.isidentifier():
            if len(name) > _LONGEST or not _WRITABLE(name):
                return
            place = "member" if place == "bound" and _MEMBER(name) else place
        if "type" in captured:
            how, target = "annotation", captured["type"][0]
        elif (known := self._found.get((start, place))) and known.how == "annotation":
            return  # what a name is declared as holds longer than what it is given first
        else:
            how, target = "constructor", captured["new" if "new" in captured else "maker"][0]
        if plain := plain_type(self._slices.cut(target.start_byte, target.end_byte)):
            self._found[start, place] = Bound(start, node.start_point[0], name, plain, how, place)

    def declared(self, name: "Node", node: "Node", kind: str) -> None:
        """Take in what a definition of this kind says of its type: the result of a function, the type of a member."""
        place = "field" if kind in _MEMBERS else "returns"
        field = self._fields[place == "field"]
        target = node.child_by_field_name(field) if field else None
        if target is None or (self._fields[0] == "type" and target.type in _PRIMITIVE):
            return
        start = name.start_byte
        written = self._slices.name(start, name.end_byte)
        plain = plain_type(self._slices.cut(target.start_byte, target.end_byte))
        if plain and written != "this":  # C#'s indexer
            self._found[start, place] = Bound(start, name.start_point[0], written, plain, "annotation", place)

    def found(self) -> list[Bound]:
        """Every binding; what a type declares is no local name."""
        known = self._found
        return [one for (at, place), one in known.items() if place != "bound" or (at, "field") not in known]

    def _makes(self, node: "Node", types: Container[str]) -> bool:
        """Whether what is called is named like a type: by a capital letter after underscores, or as one of these types."""
        called = self._slices.cut(node.start_byte, node.end_byte)
        if not called.isidentifier():
            called = _LAST.sub("", called)
        return called.lstrip("_")[:1].isupper() or called in types

    def _named(self, captured: "Captured") -> "tuple[str, Node]":
        if "bound" in captured:
            return "bound", captured["bound"][0]
        if "field" in captured:
            return "field", captured["field"][0]
        if "returning" in captured:
            return "returns", captured["returning"][0]
        node, function = bottom(captured["declared"][0])
        return "returns" if function else "bound", node
