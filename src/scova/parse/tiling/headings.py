"""The headings of prose, by the looks of lines: Markdown, reStructuredText, AsciiDoc, Org, and plain text with underlines.

A line inside a fenced block or in front matter is no heading. Only headings are read here; what a section is, prose.py says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_HEADING = 120  # characters; what is longer is a sentence someone underlined
_LOOKED_AT = 1000  # characters of one with its markup: what is looked for in it is looked for from each of them
LONGEST_FRONT_MATTER = 200  # lines; a rule at the top without an end soon below is just a rule

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_HTML = re.compile(r"\s*<h([1-6])\b[^>]*>(.*?)</h[1-6]>", re.IGNORECASE)
_SETEXT = re.compile(r" {0,3}(?:={2,}|-{2,})\s*$")
_ASCIIDOC = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ORG = re.compile(r"(\*+)[ \t]+(\S.*)$")
_LATEX = re.compile(r"\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?\{([^}]*)\}")
_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_MAN = re.compile(r"\.(TH|SH|SS)[ \t]+(\S.*)$")
_MAN_LEVELS = ("TH", "SH", "SS")
_UNDERLINE = re.compile(r"""([=\-~^"'`#*+:.<>_])\1+\s*$""")
_FENCE = re.compile(r"[\s>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})(?!.*`)")
_BLOCK = re.compile(r"(-{4,}|\.{4,}|\+{4,}|`{3,})\s*(?:\w+\s*)?$")
_NO_TITLE = re.compile(r"\s*(?:[-*+>|#<]|\d+[.)]\s|```|~~~|\.\. )|\s{4,}")
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKUP = re.compile(r"[`*]+|\{#[^}]*\}|</?\w[^>]*>|:(?:ref|doc|class|mod|func):")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the line it begins on, from 0."""

    level: int
    text: str
    line: int


def headings(rows: list[str], language: str) -> Iterator[Heading]:
    """The headings of a text, in order; those that say nothing are left out."""
    if language == "markdown":
        found = _markdown(rows)
    elif language == "rst":
        found = _underlined(rows)
    elif language == "asciidoc":
        found = _asciidoc(rows)
    elif language in ("org", "latex", "man"):
        found = _by_line(rows, language)
    else:
        found = (heading for heading in _underlined(rows, kinds="=-~"))
    for heading in found:
        text = _plain(heading.text)
        if text:
            yield Heading(heading.level, text, heading.line)


def fences(rows: list[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The fenced blocks among these lines, which begin outside any; a block nobody closes reaches to the end."""
    opened, mark = -1, ""
    for i in range(start, end):
        row = rows[i]
        if mark:
            if _closes(row, mark):
                yield opened, i + 1
                mark = ""
        elif "```" in row or "~~~" in row:
            match = _FENCE.match(row)
            if match:
                opened, mark = i, match[1]
    if mark:
        yield opened, end


def _closes(row: str, mark: str) -> bool:
    body = row.strip().lstrip("> ")
    return len(body) >= len(mark) and not body.strip(mark[0])


def _plain(text: str) -> str:
    """What a reader sees of a heading."""
    text = _MARKUP.sub("", _LINK.sub(r"\1", text.strip().rstrip("#")[:_LOOKED_AT]))
    return " ".join(text.split())[:LONGEST_HEADING]


def _front_matter(rows: list[str]) -> int:
    """The first line after the front matter."""
    if rows and rows[0].rstrip() in ("---", "+++"):
        for i in range(1, min(len(rows), LONGEST_FRONT_MATTER)):
            if rows[i].rstrip() in (rows[0].rstrip(), "..."):
                return i + 1
    return 0


def _markdown(rows: list[str]) -> Iterator[Heading]:
    start = _front_matter(rows)
    fenced = fences(rows, start, len(rows))
    fence = next(fenced, None)
    for i in range(start, len(rows)):
        if fence and i >= fence[1]:
            fence = next(fenced, None)
        if fence and i >= fence[0]:
            continue
        sign = rows[i].lstrip()[:1]
        if sign == "#" and (match := _ATX.match(rows[i])):
            yield Heading(len(match[1]), match[2] or "", i)
        elif sign == "<" and (match := _HTML.match(rows[i])):
            yield Heading(int(match[1]), match[2], i)
        elif sign and sign in "=-" and i > start and _SETEXT.match(rows[i]) and _is_title(rows, i - 1, start):
            yield Heading(1 if sign == "=" else 2, rows[i - 1], i - 1)


def _is_title(rows: list[str], line: int, start: int) -> bool:
    """Whether a line may be the text above an underline: words, with nothing directly above them."""
    row = rows[line]
    return bool(row.strip()) and not _NO_TITLE.match(row) and (line <= start or not rows[line - 1].strip())


def _underlined(rows: list[str], kinds: str = "=-~^\"'`#*+:.<>_") -> Iterator[Heading]:
    """Titles with a line of signs below, and perhaps above, them; a style's level is the order in which it first appears."""
    styles: list[tuple[str, bool]] = []
    taken = -1  # the last line of the last heading
    for i in range(1, len(rows)):
        under = rows[i]
        if under[:1] not in kinds or not under or i - 1 <= taken:
            continue
        title = rows[i - 1].rstrip()
        match = _UNDERLINE.match(under)
        if not match or not title or _UNDERLINE.match(title) or len(under.rstrip()) < min(len(title), 4):
            continue
        above = rows[i - 2] if i - 2 > taken else ""
        over = above[:1] == under[0] and _UNDERLINE.match(above) is not None
        if not over and (above.strip() or title[0].isspace()):
            continue
        style = (under[0], over)
        if style not in styles:
            styles.append(style)
        yield Heading(styles.index(style) + 1, title, i - 2 if over else i - 1)
        taken = i


def _asciidoc(rows: list[str]) -> Iterator[Heading]:
    mark = ""
    for i, row in enumerate(rows):
        if mark:
            mark = "" if row.rstrip() == mark else mark
        elif match := _ASCIIDOC.match(row):
            yield Heading(len(match[1]), match[2], i)
        elif match := _BLOCK.match(row):
            mark = match[1]


def _by_line(rows: list[str], language: str) -> Iterator[Heading]:
    """Formats in which a heading is told by its own line."""
    for i, row in enumerate(rows):
        if language == "org":
            if row[:1] == "*" and (match := _ORG.match(row)):
                yield Heading(len(match[1]), match[2], i)
        elif language == "man":
            if row[:1] == "." and (match := _MAN.match(row)):
                yield Heading(_MAN_LEVELS.index(match[1]), match[2].replace('"', ""), i)
        elif "\\" in row and (match := _LATEX.match(row)):
            yield Heading(_LATEX_LEVELS.index(match[1]), match[2], i)
