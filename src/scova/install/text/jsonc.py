"""JSON with comments and trailing commas, read with the place of every member. Changes nothing.

Stricter than the programs that read such files in one point: a key that is there twice is an error, because nobody can say
which of the two counts.
"""

import json
import re
from dataclasses import dataclass, field
from typing import NamedTuple

BOM = "\ufeff"
_MOST_DEPTH = 100
_BETWEEN = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class Malformed(ValueError):
    """The text is not what it should be; says where."""


class Unfit(Malformed):
    """The text is valid, but there is no place for an entry in it."""


@dataclass(slots=True)
class Node:
    """A value with its place: `text[start:end]`. Of an object also its members, and where its commas are."""

    start: int
    end: int = 0
    value: object = None
    members: "list[Member]" = field(default_factory=list)
    commas: list[int] = field(default_factory=list)  # one behind each member, but for the last, which may have one

    @property
    def is_object(self) -> bool:
        """Whether it may have members."""
        return isinstance(self.value, dict)

    def member(self, key: str) -> "Member | None":
        """The member of this name."""
        return next((member for member in self.members if member.key == key), None)


class Member(NamedTuple):
    """One member of an object; `start` is where its key begins."""

    key: str
    start: int
    node: Node


def parse(text: str) -> Node | None:
    """The value a text holds, None when it holds nothing but space and comments; Malformed says what is wrong, and where."""
    start = _between(text, len(BOM) if text.startswith(BOM) else 0)
    if start == len(text):
        return None
    node = _value(text, start, 0)
    if (rest := _between(text, node.end)) != len(text):
        raise _malformed(text, rest, "there is more behind the end")
    return node


def comments_in(text: str) -> bool:
    """Whether a piece of space between two values holds anything but space."""
    return bool(text.strip(" \t\r\n,"))


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _MOST_DEPTH:
        raise _malformed(text, at, "it is nested too deep")
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _list(text, at, depth)
    found = _STRING.match(text, at) or _PLAIN.match(text, at)
    if not found:
        raise _malformed(text, at, "a value is expected")
    return Node(at, found.end(), _decoded(text, at, found.group()))


def _object(text: str, at: int, depth: int) -> Node:
    node = Node(at)
    values: dict[str, object] = {}
    at = _between(text, at + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if not key:
            raise _malformed(text, at, 'a name in quotes or "}" is expected')
        name = str(_decoded(text, at, key.group()))
        if name in values:
            raise _malformed(text, at, f"`{name}` is there twice")
        colon = _between(text, key.end())
        if text[colon : colon + 1] != ":":
            raise _malformed(text, colon, '":" is expected')
        value = _value(text, _between(text, colon + 1), depth + 1)
        values[name] = value.value
        node.members.append(Member(name, at, value))
        at = _behind(text, value.end, "}", node.commas)
    node.end, node.value = at + 1, values
    return node


def _list(text: str, at: int, depth: int) -> Node:
    node = Node(at)
    values: list[object] = []
    at = _between(text, at + 1)
    while text[at : at + 1] != "]":
        value = _value(text, at, depth + 1)
        values.append(value.value)
        at = _behind(text, value.end, "]", node.commas)
    node.end, node.value = at + 1, values
    return node


def _behind(text: str, at: int, closing: str, commas: list[int]) -> int:
    """Where it goes on behind an item: at the next item, or at the closing bracket."""
    at = _between(text, at)
    if text[at : at + 1] == ",":
        commas.append(at)
        return _between(text, at + 1)
    if text[at : at + 1] != closing:
        raise _malformed(text, at, f'"," or "{closing}" is expected')
    return at


def _between(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _decoded(text: str, at: int, word: str) -> object:
    try:
        return json.loads(word)
    except ValueError as error:
        raise _malformed(text, at, "a value cannot be read") from error


def _malformed(text: str, at: int, what: str) -> Malformed:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return Malformed(f"line {line}, column {column}: {what}")
