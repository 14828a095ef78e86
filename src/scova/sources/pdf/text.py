"""The text of a PDF page as Markdown: headings where letters are clearly larger than those of most of the file.

A guess, made from the layout alone: a PDF does not say what is a heading. Knows nothing of files and sources.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from scova.sources.pdf.lines import Line, lines_of
from scova.sources.pdf.opened import Opened

_LEVELS = ((1.8, 1), (1.4, 2), (1.2, 3))  # how many times the usual height, and the level of the heading
_LONGEST_HEADING = 200
_GAP = 0.9  # of a line's height, above which a new paragraph begins
_LOOKS_LIKE_MARKUP = re.compile(r"\s{0,3}(?:#{1,6}(?:\s|$)|```|~~~)")
_WORD = re.compile(r"[^\W\d_]{2}")


def page_text(file: Opened, number: int, body_height: float) -> str:
    """The text of a page (the first is 1); empty when it has none. Whatever the library raises is passed on."""
    return markdown(_lines(file, number), body_height)


def heights(file: Opened, number: int) -> "Counter[float]":
    """How many letters of a page are in lines of which height."""
    found: Counter[float] = Counter()
    for line in _lines(file, number):
        found[line.height] += len(line.text)
    return found


def has_images(file: Opened, number: int) -> bool:
    """Whether a page shows pictures."""
    import pypdfium2.raw as library

    page = file.document[number - 1]
    try:
        return next(page.get_objects(filter=[library.FPDF_PAGEOBJ_IMAGE], max_depth=3), None) is not None
    finally:
        page.close()


def markdown(lines: Sequence[Line], body_height: float) -> str:
    """Lines with headings marked and paragraphs set apart."""
    parts: list[str] = []
    for block in _blocks(lines, body_height):
        level = _level(block[0], body_height)
        if level:
            parts.append(f"{'#' * level} {' '.join(' '.join(line.text for line in block).split())}")
        else:
            parts.append("\n".join(_plain(line.text) for line in block))
    return "\n\n".join(parts) + "\n" if parts else ""


def _blocks(lines: Sequence[Line], body_height: float) -> Iterable[list[Line]]:
    """Lines that belong together: of one level, and close to each other."""
    block: list[Line] = list(lines[:1])
    for before, line in pairwise(lines):
        is_apart = _level(before, body_height) != _level(line, body_height)
        if is_apart or before.bottom - line.top > _GAP * max(line.height, 1.0):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _level(line: Line, body_height: float) -> int:
    """The level of a heading; 0 for any other line."""
    if body_height <= 0 or len(line.text) > _LONGEST_HEADING or not _WORD.search(line.text):
        return 0
    return next((level for ratio, level in _LEVELS if line.height >= ratio * body_height), 0)


def _plain(text: str) -> str:
    """A line that is not taken for markup."""
    return f"\\{text.lstrip()}" if _LOOKS_LIKE_MARKUP.match(text) else text


def _lines(file: Opened, number: int) -> list[Line]:
    page = file.document[number - 1]
    try:
        return lines_of(page)
    finally:
        page.close()
