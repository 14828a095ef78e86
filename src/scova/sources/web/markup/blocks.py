"""Collects the lines of a Markdown-like text: paragraphs, headings, list items, code and tables.

Knows nothing of HTML.
"""

import re
from collections.abc import Sequence
from typing import Final

# A new line in the same paragraph. Zero characters never come from a page, so that it can be told from its line feeds.
LINE_BREAK: Final = "\n\0"

_LOOKS_LIKE_MARKUP = re.compile(r"#{1,6}\s|```|~~~")
_DEEPEST_ITEM = 10  # as it is written: each level takes two spaces of every line
_BACKTICKS = re.compile(r"`+")


class Blocks:
    """A text in the making. What is written piece by piece becomes a block when it is ended."""

    def __init__(self) -> None:
        self._blocks: list[tuple[int, str]] = []  # each with the number of the outermost list it is an item of, or 0
        self._pieces: list[str] = []
        self._code_from = -1
        self._marker = ""  # of a list item that has not begun yet
        self._list = 1

    def write(self, text: str) -> None:
        """More of the paragraph."""
        self._pieces.append(text)

    def begin_code(self) -> None:
        """What follows is code inside a line."""
        if self._code_from < 0:
            self._code_from = len(self._pieces)

    def end_code(self) -> None:
        """The code inside the line is over."""
        start, self._code_from = self._code_from, -1
        if start < 0:
            return
        code = " ".join("".join(self._pieces[start:]).split())
        if code:
            del self._pieces[start:]
            self._pieces.append(quoted(code))

    def begin_item(self, marker: str, depth: int) -> None:
        """The next paragraph is a list item."""
        self.end()
        self._marker = f"{'  ' * (min(depth, _DEEPEST_ITEM) - 1)}{marker} "

    def end_list(self, depth: int) -> None:
        """A list is over; `depth` more are open around it."""
        self.end()
        self._marker = ""
        self._list += depth == 0

    def end(self) -> None:
        """The paragraph is over."""
        text = self._taken()
        if not text:
            return
        if self._marker:
            self._blocks.append((self._list, self._marker + text))
            self._marker = ""
            return
        guard = "\\" if _LOOKS_LIKE_MARKUP.match(text) else ""
        self._blocks.append((0, guard + text))

    def heading(self, level: int) -> None:
        """What was written is a heading."""
        text = self._taken().replace("\n", " ").replace("`", "")
        self._marker = ""
        if text:
            self._blocks.append((0, f"{'#' * level} {text}"))

    def code(self, text: str, language: str) -> None:
        """A block of code, as it is."""
        self.end()
        body = text.strip("\n").rstrip()
        if not body.strip():
            return
        longest = max((len(run) for run in _BACKTICKS.findall(body)), default=0)
        fence = "`" * max(3, longest + 1)
        self._blocks.append((0, f"{fence}{language}\n{body}\n{fence}"))

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """A table; the first row is its head, and as wide as the widest. The others are as they are: made equally wide, a wide row and many
        short ones would become their product."""
        self.end()
        width = max(map(len, rows), default=0)
        head, *others = rows
        lines = [f"| {' | '.join(row)} |" for row in ([*head, *[""] * (width - len(head))], *others)]
        lines.insert(1, f"|{' --- |' * width}")
        self._blocks.append((0, "\n".join(lines)))

    def text(self) -> str:
        """Everything, with one line feed at the end."""
        self.end()
        parts: list[str] = []
        previous = 0
        for number, block in self._blocks:
            parts += ["\n" if number and number == previous else "\n\n", block]
            previous = number
        return "".join(parts).strip("\n") + "\n" if parts else ""

    def _taken(self) -> str:
        lines = "".join(self._pieces).split(LINE_BREAK)
        self._pieces.clear()
        self._code_from = -1
        return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def quoted(code: str) -> str:
    """Code inside a line."""
    if "`" not in code:
        return f"`{code}`"
    fence = "`" * (max(len(run) for run in _BACKTICKS.findall(code)) + 1)
    return f"{fence} {code} {fence}"
