"""The lines of a PDF page with their place and height, as the layout has them.

Knows nothing of what a line means.
"""

import re
from ctypes import byref
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

# The library writes one of these where a word is divided at the end of a line, and joins the lines.
_DIVIDED = re.compile("[\ufffe\x02](?=(.?))")
_DIVIDED_BY_HAND = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]$")
_CONTROLS = {code: None for code in (*range(9), *range(11, 32), 127, 0xFFFF, 0xFEFF, 0xAD)}


class Line(NamedTuple):
    """A line of text. Lengths are in points; `bottom` counts from the lower edge of the page."""

    text: str
    height: float  # of its letters, so that it follows the size of the font
    top: float  # where it begins, which for a joined line is further up than where it ends
    bottom: float


def lines_of(page: "PdfPage") -> list[Line]:
    """The lines of a page in the order the file gives them, without empty ones."""
    text_page = page.get_textpage()
    try:
        return _joined(_raw(text_page))
    finally:
        text_page.close()


def _raw(text_page: "PdfTextPage") -> list[Line]:
    found: list[Line] = []
    offset = 0
    for raw in text_page.get_text_range().split("\r\n"):
        length = len(raw.encode("utf-16-le", "surrogatepass")) // 2  # the library counts in these
        text = _DIVIDED.sub(_undivided, raw).translate(_CONTROLS).encode("utf-8", "replace").decode().rstrip()
        if text.strip():
            lead = len(raw) - len(raw.lstrip())
            first = _box(text_page, offset + lead)
            last = _box(text_page, offset + len(raw.rstrip()) - len(raw) + length - 1)
            heights = [box.top - box.bottom for box in (first, last) if box.top > box.bottom]
            found.append(Line(text, min(heights, default=0.0), first.top, last.bottom))
        offset += length + 2
    return found


def _undivided(found: re.Match[str]) -> str:
    """Nothing where a word goes on in small letters; else the hyphen belongs to it."""
    return "" if found.group(1).islower() else "-"


def _joined(lines: list[Line]) -> list[Line]:
    """The same with divided words made whole, where the library left them."""
    out: list[Line] = []
    for line in lines:
        if out and _DIVIDED_BY_HAND.search(out[-1].text) and line.text[:1].islower() and line.height == out[-1].height:
            start = out.pop()
            out.append(Line(start.text[:-1] + line.text, line.height, start.top, line.bottom))
        else:
            out.append(line)
    return out


class _Box(NamedTuple):
    top: float
    bottom: float


def _box(text_page: "PdfTextPage", index: int) -> _Box:
    """Upper and lower edge of a letter, from its font and not from its shape; both 0 where the library does not know."""
    import pypdfium2.raw as library

    place = library.FPDFText_GetCharIndexFromTextIndex(text_page, index)
    box = library.FS_RECTF()
    if place < 0 or not library.FPDFText_GetLooseCharBox(text_page, place, byref(box)):
        return _Box(0.0, 0.0)
    return _Box(round(box.top, 1), round(box.bottom, 1))
