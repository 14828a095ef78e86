"""An expression as it is written, in steps: `Client(url).session.get` is Client called, then session, then get.

A look at the text that says nothing when it is not sure. Knows no language in particular, and no names.
"""

import re
from typing import NamedTuple

from scova.tokens import remembered

_BEFORE = re.compile(r"(?:(?:await|new|try[?!]?|return|yield|not|typeof|&mut|&|\*|!)\s*)+")
_NAME = re.compile(r"(?:[$@]{0,2}[^\W\d][\w$]*|\$\d+)")
_AFTER_NAME = re.compile(r"(?:::)?<[\w\s,.:<>?&'\[\]*]*>(?=\s*(?:\(|\.|::|$))|!!|[?!](?=\s*(?:\.|->|\(|\[|::|$))")
_JOINT = re.compile(r"\s*(?:\?\.|\?->|!!\.|!\.|\.|::|->|\\|:(?=\w))\s*")
_OPENING, _CLOSING = "([{", ")]}"
_LONGEST = 80


class Step(NamedTuple):
    """One name, and whether it is called."""

    name: str
    called: bool = False


@remembered(16384)
def steps(text: str) -> tuple[Step, ...]:
    """The steps of an expression; none when it is anything but names, calls and what joins them."""
    if text.isidentifier():
        return (Step(text),)
    text = _bare(text)
    found: list[Step] = []
    position = 0
    while position < len(text):
        name = _NAME.match(text, position)
        if name is None:
            return ()
        position = name.end()
        while after := _AFTER_NAME.match(text, position):
            position = after.end()
        called = text.startswith("(", position)
        if called:
            position = _closed(text, position)
            while after := _AFTER_NAME.match(text, position):
                position = after.end()
        found.append(Step(name.group(), called))
        if position == len(text):
            return tuple(found)
        joint = _JOINT.match(text, position)
        if joint is None or position < 0:
            return ()
        position = joint.end()
    return ()


def is_parameter(signature: str, name: str) -> bool:
    """Whether a function's head has a parameter of this name, which then hides everything further out.

    A parameter is the first word after a bracket or comma. Where types come first, their names are taken for parameters, and
    parameters are not seen: that only makes less known.
    """
    at = signature.find(name, signature.find("(") + 1) if "(" in signature else -1
    while at >= 0:
        before, after = signature[:at].rstrip(" *&"), signature[at + len(name) :].lstrip()
        if before[-1:] in ("(", ",", "{", "[") and after[:1] in (",", ":", "=", ")", "?", ""):
            return True
        at = signature.find(name, at + 1)
    return False


def _bare(text: str) -> str:
    """Without what stands before, and without brackets around the whole."""
    text = text.strip()
    while True:
        if before := _BEFORE.match(text):
            text = text[before.end() :]
        if text.startswith("(") and _closed(text, 0) == len(text):
            text = text[1:-1].strip()
        elif not before:
            return text.removeprefix("\\").removeprefix("::")


def _closed(text: str, position: int) -> int:
    """Where the bracket that opens here is closed; -1 when it is not. Brackets in strings do not count."""
    depth, quote = 0, ""
    for index in range(position, len(text)):
        sign = text[index]
        if quote:
            quote = "" if sign == quote and text[index - 1] != "\\" else quote
        elif sign in "\"'`" and not (sign == "'" and re.match(r"'\w+[^\w']", text[index:])):
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
            if depth == 0:
                return index + 1
    return -1
