"""A definition on one line, as a reader wants to see it: without its decorators, its body and comments.

Knows the text of a definition and how its language writes comments; nothing of what the definition stands in.
"""

import re
from functools import cache

from scova.parse.reading.comment import style_of
from scova.parse.reading.records import Definition, Slices

_LONGEST = 300
_STRING = r'"(?:\\.|[^"\\])*(?:"|$)|`[^`]*`|' + r"'(?:\\.|[^'\\\n])*'"


def signature(definition: Definition, slices: Slices, language: str, *, whole_brackets: bool) -> str:
    """The definition up to its body; without a known body its first line, `whole_brackets` to the last one's closing."""
    start = definition.start
    for decorator in definition.decorators:
        if decorator.start >= start and not _written(slices, start, decorator.start, language=language):
            start = decorator.end
    if definition.body > start:
        return _without_opening(_written(slices, start, definition.body, language=language))
    written, end = "", start - 1
    while not written and end < definition.end:  # a decorator's line may end in a comment
        start, end = end + 1, _first_line_end(slices.data, end + 1, definition, whole_brackets=whole_brackets)
        written = _written(slices, start, end, language=language)
    return _without_opening(written)


def _written(slices: Slices, start: int, end: int, *, language: str) -> str:
    """The text between two offsets on one line, without comments; of a very long one the beginning."""
    end = min(end, start + 8 * _LONGEST)
    style, data = style_of(language), slices.data
    if data.find(style.line, start, end) < 0 and (not style.block[0] or data.find(style.block[0], start, end) < 0):
        return slices.line(start, end, _LONGEST)
    return " ".join(_comments(language).sub(_string_or_space, slices.cut(start, end)).split())[:_LONGEST]


@cache
def _comments(language: str) -> re.Pattern[str]:
    """Strings, which are kept, and comments. A mark inside a word or an operator (`$#`, `-->`, `http://`) begins none."""
    style = style_of(language)
    line, opening, closing = (re.escape(mark.decode()) for mark in (style.line, *style.block))
    block = rf"{opening}(?s:.*?)(?:{closing}|\Z)|" if opening else ""
    operator = r"(?![<>|+*.=\\])" if style.line == b"--" else ""
    return re.compile(rf"(?P<string>{_STRING})|{block}(?:^|(?<=[\s,;(){{}}\[\]])){line}{operator}.*", re.MULTILINE)


def _string_or_space(match: re.Match[str]) -> str:
    return match.group() if match.lastgroup == "string" else " "


def _without_opening(signature: str) -> str:
    """Without what only leads over to the body: `{`, `:`, `=`, `=>`, `do`."""
    while (shorter := signature.rstrip(" :;,{=\\").removesuffix("=>").removesuffix(" do")) != signature:
        signature = shorter
    return signature


def _first_line_end(data: bytes, start: int, definition: Definition, *, whole_brackets: bool) -> int:
    """Where the first line ends; with `whole_brackets` it goes on while a parenthesis is open: parameters stay whole."""
    end = min(definition.end, start + 4 * _LONGEST)
    line_end = data.find(b"\n", max(start, definition.head), end)
    while whole_brackets and line_end >= 0 and data.count(b"(", start, line_end) > data.count(b")", start, line_end):
        line_end = data.find(b"\n", line_end + 1, end)
    return line_end if line_end >= 0 else end
