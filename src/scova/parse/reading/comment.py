"""The comment that stands above a definition, without its markers.

Found by looking at the lines above rather than by capturing every comment node: only definitions pay, and a file of
comments costs nothing. It knows how each language writes comments and nothing of grammars.
"""

import re
from dataclasses import dataclass

LONGEST = 2000  # characters of documentation kept for one definition
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class Style:
    """How a language writes comments."""

    line: bytes
    block: tuple[bytes, bytes] = (b"", b"")


_SLASHES = Style(b"//", (b"/*", b"*/"))
_HASHES = Style(b"#")
_STYLES = {
    "bash": _HASHES,
    "elixir": _HASHES,
    "haskell": Style(b"--", (b"{-", b"-}")),
    "lua": Style(b"--", (b"--[[", b"]]")),
    "python": _HASHES,
    "ruby": _HASHES,
    "zig": Style(b"//"),
}

_MARKERS = re.compile(r"^(?:/\*+!?|\*+/|///?!?|#+|--+\[=*\[|--+|\{-|\*+(?!\*)|)[ \t]*[|^]?[ \t]?")
_CLOSING = re.compile(r"(?:\*+/|-\}|\]=*\]|#\}) *$")
_XML_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_RULE = re.compile(r"[\W_]*")
# Notes to tools, not to readers.
_DIRECTIVE = re.compile(
    r"(?:go:\w|nolint|eslint|@ts-|prettier-|noqa|type: ?ignore|pylint:|noinspection|rubocop:|swiftlint:|clang-format|"
    r"istanbul |c8 |biome-|shellcheck |frozen_string_literal:|-\*-|!/)"
)
_QUOTE = re.compile(r"(?:[A-Za-z]{1,2}|~[a-zA-Z])?(\"\"\"|'''|\"|')")
_CLOSINGS = ("/", "}", "]")


def style_of(language: str) -> Style:
    """How a language writes comments: like C, where nothing else is known."""
    return _STYLES.get(language, _SLASHES)


def comment_above(data: bytes, start: int, language: str) -> str:
    """The comment on the lines directly above `start`'s line, or an empty string. A blank line ends it."""
    style = style_of(language)
    found: list[bytes] = []
    line_start = data.rfind(b"\n", 0, start) + 1
    while line_start and len(found) < _MOST_LINES:
        end = line_start - 1
        line_start = data.rfind(b"\n", 0, end) + 1
        line = data[line_start:end].strip()
        if style.block[1] and line.endswith(style.block[1]):
            if not found:
                found.append(_block(data, end, style))
            break
        if not line.startswith(style.line) or line.startswith((b"//!", b"#!")):
            break
        found.append(line)
    if not found:
        return ""
    text = b"\n".join(reversed(found)).decode("utf-8", "replace")
    return clean(_XML_TAG.sub("", text) if language == "csharp" else text)


def before_comments(data: bytes, start: int, end: int, *, language: str) -> int:
    """Where the code between two offsets ends, if lines of comment and blank stand at its end."""
    style = style_of(language)
    while True:
        end = start + len(data[start:end].rstrip())
        if style.block[1] and data.endswith(style.block[1], start, end):
            above = data.rfind(style.block[0], start, end)
        else:
            above = data.rfind(b"\n", start, end) + 1
            above += len(data[above:end]) - len(data[above:end].lstrip())
            above = above if data.startswith(style.line, above) else -1
        if above <= start or data[data.rfind(b"\n", start, above) + 1 : above].strip():
            return end
        end = above


def clean(comment: str) -> str:
    """A comment's or docstring's words: markers, quotes, rules and notes to tools removed, each line trimmed."""
    comment = comment.strip()
    quote = _QUOTE.match(comment)
    lines = comment[quote.end() :].removesuffix(quote[1]).splitlines() if quote else _unmarked(comment)
    kept = [line for line in map(str.strip, lines) if not line or not _RULE.fullmatch(line)]
    return "\n".join(kept).strip()[:LONGEST].rstrip()


def _unmarked(comment: str) -> list[str]:
    found = []
    for written in comment.splitlines():
        line = written.strip()
        if markers := _MARKERS.match(line):
            line = line[markers.end() :]
        if line.endswith(_CLOSINGS):
            line = _CLOSING.sub("", line)
        if not _DIRECTIVE.match(line):
            found.append(line)
    return found


def _block(data: bytes, end: int, style: Style) -> bytes:
    """The block comment that ends at `end`, if it begins its line; nothing when code stands before it."""
    opening = data.rfind(style.block[0], 0, end)
    if opening < 0 or data[data.rfind(b"\n", 0, opening) + 1 : opening].strip():
        return b""
    return data[opening:end]
