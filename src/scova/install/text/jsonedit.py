"""One member put into a JSON text, changed, or taken out again; every other byte stays as it is. Knows no file and no client.

A member is put behind the last one of its object, in the style of its surroundings: one line each or all in one, their indentation,
their line ends, a comma behind the last one where there was one. Taking it out is the exact reverse.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scova.install.text.jsonc import BOM, Member, Node, Unfit, comments_in, parse
from scova.install.text.trace import Edited, Trace, newline_of

_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)")  # a comment that ends on the line it begins on
_REMARKS = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.S)
_INDENT = re.compile(r"[ \t]*")
_SPACE = " \t\r\n"


def value_of(text: str) -> dict[str, object]:
    """What a text says, as plain values; an empty one says nothing. Malformed when it cannot be read, or is no object."""
    root = parse(text)
    if root is None:
        return {}
    if not isinstance(root.value, dict):
        raise Unfit("it is not an object")
    return root.value


def put(text: str, path: Sequence[str], value: Mapping[str, object]) -> Edited:
    """The text with `value` under `path`, which is not there yet."""
    style = _Style.of(text)
    root = parse(text)
    if root is None:
        bare = text.removeprefix(BOM)
        lead = "" if not bare or bare.endswith("\n") else style.newline
        written = style.written(_wrapped(path, value), "")
        return Edited(f"{text}{lead}{written}{style.newline}", Trace(lead, style.newline, 0))
    node, depth = root, 0
    while depth < len(path) and (found := _object_at(node, path, depth).member(path[depth])):
        node, depth = found.node, depth + 1
    lead, tail, new = _inserted(text, node, path[depth], _wrapped(path[depth + 1 :], value), style=style)
    return Edited(new, Trace(lead, tail, depth + 1))


def refit(text: str, path: Sequence[str], value: Mapping[str, object]) -> str:
    """The text with the members of `value` in the object under `path`; what else it has stays."""
    for key, wanted in value.items():
        node = _object_at(_chain(text, path)[-1], path, len(path))
        member = node.member(key)
        if member is None:
            text = _inserted(text, node, key, wanted, style=_Style.of(text))[2]
        elif member.node.value != wanted:
            written = _Style.of(text).written(wanted, _indent_at(text, member.start))
            text = text[: member.node.start] + written + text[member.node.end :]
    return text


def swap(text: str, path: Sequence[str], value: Mapping[str, object]) -> tuple[str, str]:
    """The text with `value` instead of what is under `path`, and the words that stood there."""
    node = _chain(text, path)[-1]
    written = _Style.of(text).written(value, _indent_at(text, node.start))
    return text[: node.start] + written + text[node.end :], text[node.start : node.end]


def swap_back(text: str, path: Sequence[str], words: str) -> str:
    """The text with these words instead of what is under `path`."""
    node = _chain(text, path)[-1]
    return text[: node.start] + words + text[node.end :]


def drop(text: str, path: Sequence[str], trace: Trace | None) -> str:
    """The text without the member under `path`, and without what was made for it alone and holds nothing else."""
    chain = _chain(text, path)
    made = len(path) if trace is None else min(trace.made, len(path))
    depth = next(n for n in range(made, len(path) + 1) if all(_is_lonely(text, node) for node in chain[n:-1]))
    known = trace if trace and depth == trace.made else None
    if depth == 0:
        begin, end = chain[0].start, chain[0].end
        lead, tail = (known.lead, known.tail) if known else ("", "")
        begin -= len(lead) * text.endswith(lead, 0, begin)
        end += len(tail) * text.startswith(tail, end)
        return text[:begin] + text[end:]
    return _cut(text, chain[depth - 1], path[depth - 1], known)


def _chain(text: str, path: Sequence[str]) -> list[Node]:
    """The nodes from the document down to the one under `path`."""
    root = parse(text)
    chain = [root] if root else []
    for key in path:
        member = chain[-1].member(key) if chain else None
        if member is None:
            raise Unfit(f"there is no `{key}`")
        chain.append(member.node)
    return chain


def _object_at(node: Node, path: Sequence[str], depth: int) -> Node:
    if not node.is_object:
        raise Unfit(f"`{'.'.join(path[:depth])}` is not an object" if depth else "it is not an object")
    return node


def _is_lonely(text: str, node: Node) -> bool:
    """Whether an object holds one member and nothing else, no comment either."""
    if len(node.members) != 1:
        return False
    only = node.members[0]
    return not comments_in(text[node.start + 1 : only.start]) and not comments_in(text[only.node.end : node.end - 1])


def _wrapped(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _inserted(text: str, node: Node, key: str, value: object, *, style: "_Style") -> tuple[str, str, str]:
    """The space before and behind the new member, and the text with it."""
    last = node.members[-1] if node.members else None
    trailing = bool(last) and len(node.commas) == len(node.members)
    at = node.start + 1 if last is None else node.commas[-1] + 1 if trailing else last.node.end
    forced = False
    while found := _REMARK.match(text, at):
        at, forced = found.end(), "//" in found.group()
    one_each = forced or (_begins_line(text, last.start) if last else style.is_spread)
    lead, tail, indent = (" " if last and style.is_airy else ""), "", ""
    if one_each:
        own = bool(last) and _begins_line(text, last.start if last else 0)
        indent = _indent_at(text, last.start) if last and own else _indent_at(text, node.start) + style.unit
        lead = style.newline + indent
        if last is None and "\n" not in text[at : node.end]:
            tail = style.newline + _indent_at(text, node.start)
    written = f"{_quoted(key)}{style.colon}{style.written(value, indent, one_each=one_each)}"
    comma_at = last.node.end if last and not trailing else at
    comma = "," if last and not trailing else ""
    inserted = f"{lead}{written}{',' if trailing else ''}{tail}"
    return lead, tail, f"{text[:comma_at]}{comma}{text[comma_at:at]}{inserted}{text[at:]}"


def _cut(text: str, node: Node, key: str, trace: Trace | None) -> str:
    """The text without one member of an object, and without the comma that it no longer needs."""
    index, member = next((i, one) for i, one in enumerate(node.members) if one.key == key)
    before = node.commas[index - 1] + 1 if index else node.start + 1
    end = member.node.end
    spans = [(_begin_of(text, before, member, trace), end)]
    if index < len(node.commas):
        spans.append((node.commas[index], node.commas[index] + 1))
        end = node.commas[index] + 1
    elif index:
        spans.append((node.commas[index - 1], node.commas[index - 1] + 1))
    if trace and trace.tail and len(node.members) == 1 and text.startswith(trace.tail, end):
        spans.append((end, end + len(trace.tail)))
    return _spliced(text, spans)


def _begin_of(text: str, before: int, member: Member, trace: Trace | None) -> int:
    """Where the space begins that goes with a member; `before` is the end of what precedes it."""
    begin = max(before, len(text[: member.start].rstrip(_SPACE)))
    if trace and text.endswith(trace.lead, before, member.start):
        begin = member.start - len(trace.lead)
    remarks = _REMARKS.findall(text[before:begin])
    runs_on = bool(remarks) and remarks[-1].startswith("//") and text[before:begin].endswith(remarks[-1])
    if runs_on and not text[member.node.end :].lstrip(" \t,").startswith(("\n", "\r")):
        return member.start  # or the comment would swallow what follows
    return begin


def _spliced(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for begin, end in sorted(spans, reverse=True):
        text = text[:begin] + text[end:]
    return text


def _begins_line(text: str, at: int) -> bool:
    """Whether nothing but space and comments stands before this place on its line, which is not the first."""
    start = text.rfind("\n", 0, at) + 1
    before = text[start:at].strip()
    return start > 0 and (not before or before.endswith("*/"))


def _indent_at(text: str, at: int) -> str:
    found = _INDENT.match(text, max(text.rfind("\n", 0, at) + 1, len(BOM) if text.startswith(BOM) else 0))
    return found.group() if found else ""


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text is laid out."""

    newline: str
    unit: str  # one step of indentation
    is_spread: bool  # over several lines
    is_airy: bool  # with spaces between what is on one line

    @classmethod
    def of(cls, text: str) -> "_Style":
        root = parse(text)
        lines = [member for member in root.members if _begins_line(text, member.start)] if root else []
        unit = _indent_at(text, lines[0].start) if lines else ""
        airy = not root or not root.members or '": ' in text
        return cls(
            newline_of(text),
            unit or "  ",
            root is None or "\n" in text[root.start : root.end] or not root.members,
            airy,
        )

    @property
    def colon(self) -> str:
        return ": " if self.is_airy else ":"

    def written(self, value: object, indent: str, *, one_each: bool | None = None) -> str:
        """A value as text; lists stay on one line."""
        spread = self.is_spread if one_each is None else one_each
        comma = ", " if self.is_airy else ","
        if isinstance(value, Mapping) and value:
            inner = indent + self.unit
            pairs = [
                f"{_quoted(str(k))}{self.colon}{self.written(v, inner, one_each=spread)}" for k, v in value.items()
            ]
            if not spread:
                return f"{{{comma.join(pairs)}}}"
            between = f",{self.newline}{inner}"
            return f"{{{self.newline}{inner}{between.join(pairs)}{self.newline}{indent}}}"
        if isinstance(value, list | tuple):
            return f"[{comma.join(self.written(one, indent, one_each=False) for one in value)}]"
        return json.dumps(value, ensure_ascii=False)
