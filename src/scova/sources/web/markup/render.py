"""A parsed page into Markdown-like text: the main content, with its headings, paragraphs, lists, code and tables.

Emphasis is left away and links are their text: what is searched for is words. Knows nothing of bytes and encodings.
"""

import re
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scova.sources.web.markup.blocks import LINE_BREAK, Blocks
from scova.sources.web.markup.code import code_language, code_text
from scova.sources.web.markup.table import table_rows
from scova.sources.web.markup.tame import is_small, tame
from scova.sources.web.markup.tree import TEXT, is_read, steps

_BLOCKS = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "aside",
        "blockquote",
        "figure",
        "figcaption",
        "details",
        "summary",
        "address",
        "dl",
        "dt",
        "dd",
        "form",
        "fieldset",
        "legend",
        "table",
        "caption",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "td",
        "th",
        "hr",
        "center",
        "hgroup",
    ]
)
_HEADING = re.compile(r"h([1-6])")
_CODE = frozenset(("code", "samp", "kbd", "tt"))
_LISTS = frozenset(("ul", "ol", "menu"))
_MAIN = "main, [role=main]"
_LEAST_MAIN_CHARACTERS = 40


class Rendered(NamedTuple):
    """What a page says."""

    title: str
    text: str
    canonical: str  # the page's own idea of its URL, as written


def render(html: str) -> Rendered:
    """The title and the text of a page. Takes time in proportion to its length, whatever it holds."""
    tree = LexborHTMLParser(html if is_small(html) else tame(html))
    body = tree.body
    if body is None:
        return Rendered("", "", "")
    main = _main(body)
    text = _Renderer(inside_main=main is not None).text(main or body)
    title = tree.css_first("head > title") or body.css_first("h1")
    link = tree.css_first("link[rel=canonical]")
    canonical = (link.attributes.get("href") or "").strip() if link is not None else ""
    return Rendered(" ".join(title.text(deep=True).split()) if title is not None else "", text, canonical)


def _main(body: LexborNode) -> LexborNode | None:
    """The element with the main content, if the page names one that is not empty."""
    for node in body.css(_MAIN)[:3]:
        if len(node.text(deep=True).strip()) >= _LEAST_MAIN_CHARACTERS:
            return node
    articles = body.css("article")
    return (
        articles[0]
        if len(articles) == 1 and len(articles[0].text(deep=True).strip()) >= _LEAST_MAIN_CHARACTERS
        else None
    )


class _Renderer:
    """Writes the blocks of one element."""

    def __init__(self, *, inside_main: bool) -> None:
        self._inside_main = inside_main
        self._blocks = Blocks()
        self._lists: list[int] = []  # the next number of each open list; 0 for one without numbers
        self._articles = 0

    def text(self, root: LexborNode) -> str:
        for step in steps(root, self._enters):
            if step.tag == TEXT:
                self._blocks.write(step.node.text_content or "")
            elif step.is_end:
                self._leave(step.tag)
            else:
                self._enter(step.node, step.tag)
        return self._blocks.text()

    def _enters(self, node: LexborNode, tag: str) -> bool:
        """Whether to go into an element; code and tables are taken whole."""
        if not is_read(node, tag, inside_main=self._inside_main or self._articles > 0):
            return False
        if tag == "pre":
            self._blocks.code(code_text(node), code_language(node))
            return False
        if tag == "table":
            rows = table_rows(node)
            if rows:
                self._blocks.table(rows)
                return False
        return True

    def _enter(self, node: LexborNode, tag: str) -> None:
        if tag in _CODE:
            self._blocks.begin_code()
        elif tag == "br":
            self._blocks.write(LINE_BREAK)
        elif tag == "img":
            self._blocks.write(f" {node.attributes.get('alt') or ''} ")
        elif tag in _LISTS:
            self._blocks.end()
            self._lists.append(_first_number(node) if tag == "ol" else 0)
        elif tag == "li":
            self._begin_item()
        elif tag in _BLOCKS or _HEADING.fullmatch(tag):
            self._articles += tag == "article"
            self._blocks.end()

    def _leave(self, tag: str) -> None:
        heading = _HEADING.fullmatch(tag)
        if heading:
            self._blocks.heading(int(heading.group(1)))
        elif tag in _CODE:
            self._blocks.end_code()
        elif tag in _LISTS:
            self._lists.pop()
            self._blocks.end_list(len(self._lists))
        elif tag == "li" or tag in _BLOCKS:
            self._articles -= tag == "article"
            self._blocks.end()

    def _begin_item(self) -> None:
        marker = "-"
        if self._lists and self._lists[-1]:
            marker = f"{self._lists[-1]}."
            self._lists[-1] += 1
        self._blocks.begin_item(marker, max(len(self._lists), 1))


def _first_number(node: LexborNode) -> int:
    start = node.attributes.get("start") or "1"
    return int(start) if re.fullmatch(r"[1-9][0-9]{0,5}", start) else 1
