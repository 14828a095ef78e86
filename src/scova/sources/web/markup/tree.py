"""Walks a parsed page without recursion, and tells which elements are nobody's reading matter.

Knows nothing of what is written out of it.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborNode

TEXT = "-text"

_NEVER = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "iframe",
        "textarea",
        "select",
        "option",
        "nav",
        "button",
        "svg",
        "canvas",
        "audio",
        "video",
        "object",
        "embed",
        "dialog",
        "input",
        "head",
        "-comment",
        "-doctype",
    ]
)
_AROUND = frozenset(("header", "footer", "aside"))  # of the page; inside the main content they belong to it
_ROLES = frozenset(("navigation", "search", "banner", "contentinfo", "dialog", "menu", "tooltip"))
_CLASSES = frozenset(
    [
        "headerlink",
        "hash-link",
        "anchor-link",
        "permalink",
        "linenos",
        "lineno",
        "linenodiv",
        "line-numbers",
        "line-number",
        "line-numbers-rows",
        "gutter",
        "sr-only",
        "visually-hidden",
        "visuallyhidden",
        "screen-reader-text",
        "skip-link",
    ]
)
_INVISIBLE = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


class Step(NamedTuple):
    """One step of a walk: into an element, out of it, or past a text."""

    node: LexborNode
    tag: str
    is_end: bool


def steps(root: LexborNode, enters: Callable[[LexborNode, str], bool]) -> Iterator[Step]:
    """All below `root` in order. What `enters` says no to is passed over with everything in it."""
    trail: list[tuple[LexborNode, str]] = []
    node = root.first_child
    while node is not None:
        tag = node.tag or ""
        if tag == TEXT:
            yield Step(node, tag, False)
        elif enters(node, tag):
            yield Step(node, tag, False)
            child = node.first_child
            if child is not None:
                trail.append((node, tag))
                node = child
                continue
            yield Step(node, tag, True)
        while node.next is None and trail:
            node, tag = trail.pop()
            yield Step(node, tag, True)
        node = node.next


def is_read(node: LexborNode, tag: str, *, inside_main: bool) -> bool:
    """Whether an element is something to read."""
    if tag in _NEVER or (tag in _AROUND and not inside_main):
        return False
    attributes = node.attributes
    if not attributes:
        return True
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return False
    if attributes.get("aria-hidden") == "true" or attributes.get("role") in _ROLES:
        return False
    if _INVISIBLE.search((attributes.get("style") or "")[:1000]):
        return False
    names = attributes.get("class")
    return not names or _CLASSES.isdisjoint(names.split())
