"""Blocks of code in a page: their text to the letter, and the language that a class names.

Knows nothing of the text around them.
"""

import re

from selectolax.lexbor import LexborNode

from scova.sources.web.markup.tree import TEXT, is_read, steps

_LANGUAGE = re.compile(
    r"(?:^|[\s{])(?:language|lang|highlight-source|highlight|brush|sourceCode|prism)[-:]\s*([A-Za-z0-9+#_.-]{1,30})"
)
_NO_LANGUAGE = frozenset(
    ("default", "none", "text", "plaintext", "plain", "txt", "nohighlight", "no-highlight", "output")
)
_LINE_ELEMENTS = frozenset(("div", "li", "p", "tr"))
_LOOKED_UP = 3


def code_text(node: LexborNode) -> str:
    """The text of a `pre`, with every space and line end, without line numbers and buttons."""
    pieces: list[str] = []
    for step in steps(node, lambda inner, tag: is_read(inner, tag, inside_main=True)):
        if step.tag == TEXT:
            pieces.append(step.node.text_content or "")
        elif (step.tag == "br" and not step.is_end) or (
            step.tag in _LINE_ELEMENTS and pieces and not pieces[-1].endswith("\n")
        ):
            pieces.append("\n")
    return "".join(pieces)


def code_language(node: LexborNode) -> str:
    """The language that the element, the one in it or one shortly around it is said to be in; empty when none is said."""
    inner = node.first_child
    while inner is not None and inner.tag not in ("code", "samp"):
        inner = inner.next
    around: LexborNode | None = node
    for place in range(_LOOKED_UP + 1):
        for each in (inner, around) if place == 0 else (around,):
            found = _said(each) if each is not None else ""
            if found:
                return "" if found in _NO_LANGUAGE else found
        around = around.parent if around is not None else None
    return ""


def _said(node: LexborNode) -> str:
    attributes = node.attributes
    given = attributes.get("data-lang") or attributes.get("data-language")
    if given:
        return given.strip().lower() if re.fullmatch(r"[A-Za-z0-9+#_.-]{1,30}", given.strip()) else ""
    found = _LANGUAGE.search((attributes.get("class") or "")[:500])
    return found.group(1).lower() if found else ""
