"""The first-level keys and sections of data files, where the look of a line tells them.

A file that is written otherwise (one long line, an unknown format) simply has none. Nothing is parsed and no value is read.
"""

import re
from bisect import bisect_right

from scova.parse.tiling.lines import Lines
from scova.types import Symbol

LONGEST_KEY = 120  # characters; a longer one is a sentence or an encoded value

_YAML = re.compile(r"""^(?P<key>"[^"\n]+"|'[^'\n]+'|[^\s#:\-?{}\[\]&*!|>%@`"'][^:#\n]*):(?=\s|$)""", re.MULTILINE)
_SECTION = re.compile(r"^[ \t]*+\[++[ \t]*+(?P<key>[^\]\n]++)\]++[ \t]*+(?:[#;].*)?\r?$", re.MULTILINE)
_SETTING = re.compile(r"^(?:export[ \t]+)?(?P<key>[\w.\-/$]+)[ \t]*[=:]", re.MULTILINE)
_JSON_FIRST = re.compile(r'^([ \t]++)"(?:[^"\\\n]++|\\.)*+"[ \t]*+:', re.MULTILINE)
_COMMENT = ("#", ";", "//", "!")


def keys(lines: Lines, language: str) -> tuple[Symbol, ...]:
    """The keys or sections of the first level, in order, each reaching to the last line that is its own."""
    found = _matches(lines.text, language)
    starts = [bisect_right(lines.offsets, position) - 1 for _, position in found]
    ends = [_own_end(lines.rows, start, end) for start, end in zip(starts, [*starts[1:], len(lines)], strict=False)]
    kind = (
        "section" if found and language in ("ini", "toml") and lines.rows[starts[0]].lstrip().startswith("[") else "key"
    )
    return tuple(
        Symbol(key, key, kind, start + 1, end)
        for (key, _), start, end in zip(found, starts, ends, strict=True)
        if end > start
    )


def _matches(text: str, language: str) -> list[tuple[str, int]]:
    """Each key with where it stands."""
    if language == "yaml":
        return _found(_YAML, text)
    if language == "json":
        first = _JSON_FIRST.search(text)
        if not first:
            return []
        return _found(re.compile(rf'^{first[1]}(?P<key>"(?:[^"\\\n]++|\\.)*+")[ \t]*+:', re.MULTILINE), text)
    if language in ("toml", "ini", "dotenv"):
        return _found(_SECTION, text) or _found(_SETTING, text)
    return []


def _found(pattern: re.Pattern[str], text: str) -> list[tuple[str, int]]:
    return [(match["key"].strip().strip("\"'")[:LONGEST_KEY], match.start("key")) for match in pattern.finditer(text)]


def _own_end(rows: list[str], start: int, end: int) -> int:
    """Where a key's lines end: blank lines and comments above the next key are not its own."""
    while end > start + 1 and (not rows[end - 1].strip() or rows[end - 1].lstrip().startswith(_COMMENT)):
        end -= 1
    return end
