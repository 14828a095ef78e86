"""Tables of a page as rows of text, where they are tables and not a way to lay out a page.

Knows nothing of the text around them.
"""

from selectolax.lexbor import LexborNode

from scova.sources.web.markup.blocks import quoted
from scova.sources.web.markup.tree import TEXT, is_read, steps

_NOT_IN_A_CELL = frozenset(["table", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "blockquote"])
_CODE = frozenset(("code", "samp", "kbd", "tt"))
_CELLS = frozenset(("td", "th"))


def table_rows(node: LexborNode) -> list[list[str]]:
    """The cells of a table, row by row; empty if it holds more than fits into cells, or only one column."""
    rows = _Rows()
    for step in steps(node, lambda inner, tag: is_read(inner, tag, inside_main=True)):
        if step.tag == TEXT:
            rows.write(step.node.text_content or "")
        elif step.tag in _NOT_IN_A_CELL:
            return []
        elif step.is_end:
            rows.leave(step.tag)
        else:
            rows.enter(step.tag, step.node)
    filled = [row for row in rows.rows if any(row)]
    return filled if any(len(row) > 1 for row in filled) else []


class _Rows:
    """Rows in the making."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self._pieces: list[str] | None = None
        self._code: list[str] | None = None

    def enter(self, tag: str, node: LexborNode) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in _CELLS:
            self._pieces = []
        elif tag in _CODE and self._code is None:
            self._code = []
        elif tag == "img":
            self.write(node.attributes.get("alt") or "")
        else:
            self.write(" " if tag in ("br", "p", "div") else "")

    def leave(self, tag: str) -> None:
        if tag in _CODE and self._code is not None:
            code, self._code = " ".join("".join(self._code).split()), None
            self.write(quoted(code) if code else "")
        elif tag in _CELLS and self._pieces is not None:
            cell, self._pieces = " ".join("".join(self._pieces).split()), None
            if self.rows:
                self.rows[-1].append(cell.replace("|", "\\|"))
        elif tag in ("p", "div"):
            self.write(" ")

    def write(self, text: str) -> None:
        target = self._code if self._code is not None else self._pieces
        if target is not None:
            target.append(text)
