"""What the content of a file tells: text that is worth indexing, or a reason why it is left out.

Responsible for telling text from bytes, and what people wrote from what programs did. Opens nothing: whoever has the bytes, from a
disk or from elsewhere, asks here.
"""

import re

from scova.core.line_ends import with_line_feeds
from scova.sources.secrets import NO_SECRETS, SecretRules

_HEAD_BYTES = 8192
_MARKER_CHARACTERS = 2048
_LONGEST_LINE = 20_000
_MEAN_LINE, _MEAN_LINE_MATTERS_FROM = 500, 5_000

# What a text may hold below the space: bell, backspace, tab, line feed, vertical tab, form feed, return, escape.
_CONTROLS = bytes(sorted(set(range(0x20)) - set(b"\a\b\t\n\v\f\r\x1b") | {0x7F}))
_MOST_CONTROLS_IN_UTF8 = 0.10
_MOST_CONTROLS_ELSEWHERE = 0.03

# A line is as long as a paragraph or a row there, and a heading may well speak of generated code.
_PROSE = re.compile(
    r"\.(?:md|markdown|mdx|rst|txt|text|adoc|asciidoc|org|tex|textile|wiki|log|csv|tsv|psv|po|pot|srt)$", re.IGNORECASE
)

# What comes before the first line of code; a program that writes such a marker has it further down, in a string.
_HEADER = re.compile(
    r"(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*|--[^\n]*|;[^\n]*|%[^\n]*|<!--.*?(?:-->|\Z)|<\?\w*[^>\n]*>?"
    r"|\{-.*?(?:-\}|\Z)|\(\*.*?(?:\*\)|\Z)|(?:@?rem|package)\b[^\n]*)*+",
    re.DOTALL | re.IGNORECASE,
)
_GENERATED = re.compile(
    r"@generated\b|generated\b[^\n]*\bdo not (?:edit|modify|change)\b"
    r"|\bdo not (?:edit|modify|change)\b[^\n]*generated\b|generated\b[^\n]*\.\W*\n\W*(?:please )?do not (?:edit|modify|change)\b"
    r"|\bthis (?:file|code|source)(?: is| was| has been)? (?:automatically |auto[- ]?)generated\b",
    re.IGNORECASE,
)


class Left(Exception):
    """The file is left out; carries the Skip's reason and detail."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def text_of(path: str, data: bytes, secrets: SecretRules = NO_SECRETS, *, keep_line_ends: bool = False) -> str:
    """The text of a file, without a byte order mark, and with line feeds as line ends unless these are to be kept; raises Left where
    there is none, or none that is to be indexed."""
    if reason := secrets.reason(path, data):
        raise Left("secret", reason)
    as_it_is = _decoded(data)
    text = with_line_feeds(as_it_is)
    _refuse_unreadable_code(path, text)
    return as_it_is if keep_line_ends else text


def _decoded(data: bytes) -> str:
    """The text, without a byte order mark and with its line ends as they are."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded_utf16(data)
    head = data[:_HEAD_BYTES]
    if b"\0" in head:
        raise Left("binary", "it has zero bytes")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    allowed = _MOST_CONTROLS_IN_UTF8 if text or not data else _MOST_CONTROLS_ELSEWHERE
    if controls > len(head) * allowed:
        raise Left("binary", "it has too many control characters")
    return text or data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _decoded_utf16(data: bytes) -> str:
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        raise Left("binary", "it begins like UTF-16 but is not") from None
    if "\0" in text[:_HEAD_BYTES]:
        raise Left("binary", "it has zero characters")
    return text


def _refuse_unreadable_code(path: str, text: str) -> None:
    """Leave out what no person wrote or reads."""
    if _PROSE.search(path):
        return
    if _says_generated(text):
        raise Left("generated", "it says of itself that a program wrote it")
    if len(text) <= _MEAN_LINE_MATTERS_FROM:
        return
    end = "\n" if "\n" in text else "\r"
    if len(text) / (text.count(end) + 1) > _MEAN_LINE:
        raise Left("minified", f"its lines have more than {_MEAN_LINE} characters on average")
    if _has_long_line(text, end):
        raise Left("minified", f"it has a line of more than {_LONGEST_LINE:,} characters")


def _says_generated(text: str) -> bool:
    """Whether the comments at the beginning say that a program wrote this."""
    # Most files do not even have the word; looking for it first is much cheaper than the expressions.
    if "generated" not in text[:_MARKER_CHARACTERS].lower():
        return False
    header = _HEADER.match(text, 0, _MARKER_CHARACTERS)
    return header is not None and _GENERATED.search(header[0]) is not None


def _has_long_line(text: str, end: str) -> bool:
    """Whether a line is over the limit, found in leaps of that length instead of line by line."""
    start = 0
    while len(text) - start > _LONGEST_LINE:
        last = text.rfind(end, start, start + _LONGEST_LINE + 1)
        if last < 0:
            return True
        start = last + 1
    return False
