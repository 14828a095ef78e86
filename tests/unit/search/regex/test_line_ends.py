"""Patterns about the ends of lines match what ripgrep matches without `--crlf`: there, a carriage return is a character of its line."""

import pytest

from property.test_grep_equals_ripgrep import shown, theirs
from scova.core.deadline import Deadline
from scova.errors import QueryError
from scova.search.regex.matcher import Matcher, Options
from scova.search.regex.pieces import Pieces
from scova.search.regex.room import Room
from scova.search.regex.scan import Looking, Wanted, scan_files
from scova.search.regex.text import text_of

FILES = {
    "crlf": b"foo 0\r\n0bar\r\n\r\nx\r\n",
    "mixed": b"foo 0\n0bar\r\n\nx\r\n0\n\r\n",
    "lf": b"0\nfoo 0\n\nx\n0\n",
    "returns-only": b"0\rfoo\r0\rx",
    "one-return": b"\r",
    "two-returns": b"0\r\r\nfoo\r\r\n\r\r\n",
    "no-final-line-end": b"foo\r\n0",
    "a-return-at-the-end": b"foo\r\n0\r",
    "empty": b"",
    "one-line-end": b"\r\n",
    "marked": b"\xef\xbb\xbf0 foo\r\n0\r\n",
    "utf-16": "\ufeff0 foo\r\n0\r\n".encode("utf-16-le"),
    "beyond-ascii": "é0\r\n0é\r\né\r\nfoo é\r\n".encode(),
    "not-utf-8": b"\xff0\r\n0\xff\r\nfoo\r\n",
}
PATTERNS = [
    r"\A0", r"\A", r"\z", r"\Z", "^", "$", r"\r", r"\r$", r"^\r", r"\b$", r"[^\n]", ".", r"\s", "(?m)^0", "(?m)$", "(?s).", "(?s)0.",
    r"0\z", "0$", "^$", r"\A\z", r"^\s*$", r"0\r\z", r"\A\r", r"(?:\A0|foo)", r"(?:0\z|foo)", r"\bfoo\b", r"\B", r"\s$", r"\S$", r"\W$",
    "[^0]$", r"foo\s", ".*", ".$", "..$", r"[^\r]$", r"0\r?$", "(?-m)^0", "(?-m)0$", r"\x0d", r"\Ax|0", r"(\A)0", r"(?:\A)?0", "(?i)FOO.$",
    r"\b{end}$", r"\z\r", r"foo\A", "", r"[\s--\r]", r"[\s&&\r]", r"0\b\r",
]  # fmt: skip


@pytest.mark.parametrize("flag", ["", "-i", "-w", "-F", "-x", "-v"])
def test_the_same_lines_as_ripgrep_whatever_the_line_ends(tmp_path, flag):
    flags = {flag} - {""}
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    for pattern in PATTERNS:
        expected, found = theirs(tmp_path, pattern, flags), _ours(pattern, flags)
        assert (found is None) == (expected is None), pattern
        for place, spans in (found or {}).items():
            assert place in expected, (pattern, place)
            if expected[place] is not None:
                assert spans == shown(expected[place], _line(*place)), (pattern, place)
        assert (found or {}).keys() == (expected or {}).keys(), pattern


def _ours(pattern: str, flags: set[str]) -> dict[tuple[str, int], list[tuple[int, int]]] | None:
    """Lines that are found, with the spans in them that are not empty, in bytes."""
    options = Options(
        fixed="-F" in flags, ignore_case="-i" in flags, word="-w" in flags, whole_line="-x" in flags
    )  # fmt: skip
    try:
        matcher = Matcher((pattern,), options)
    except QueryError:
        return None
    found = {}
    with Pieces(matcher) as pieces:
        wanted, room = Wanted(invert="-v" in flags), Room(0, 0, after=0)
        looking = Looking(lambda name, _: FILES[name], pieces, wanted, room, Deadline())
        for file in scan_files([(name, False) for name in FILES], looking):
            for line in file.lines:
                assert not line.text.endswith("\r")
                assert all(end <= len(line.text) for _, end in line.spans)
                spans = [(_bytes(file.path, line, start), _bytes(file.path, line, end)) for start, end in line.spans]
                found[file.path, line.number] = [(start, end) for start, end in spans if start < end]
    return found


def _line(name: str, number: int) -> bytes:
    return text_of(FILES[name]).data.split(b"\n")[number - 1]


def _bytes(name: str, line, at: int) -> int:
    """A place in a line, counted in bytes; one that is no UTF-8 has as many characters as bytes here."""
    raw = _line(name, line.number)
    try:
        return len(raw.decode()[:at].encode())
    except UnicodeDecodeError:
        return at
