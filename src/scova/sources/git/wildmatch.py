r"""Git's glob patterns as regular expressions over bytes.

Follows git's own matcher, byte by byte (`?` is one byte, not one character), and never the shell's or fnmatch's. What
git does and its manual does not say is kept too: an unclosed class or a lone trailing backslash matches nothing; `**`
is special only as a whole path component, and the beginning of the pattern given here counts as one.

The expressions do not blow up: wherever two wildcards follow each other, what lies between them is matched at its
leftmost place and never tried again, which cannot lose a match because the later wildcard takes up the slack.

Knows nothing of ignore files, negation or folders.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

STAR, SLASH, FIXED, DEEP, DEEP_SLASH = "star", "slash", "fixed", "deep", "deep-slash"

SPECIAL = frozenset(b"*?[\\")

_ANY_BYTE = frozenset(range(1, 256))
_LOWER = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGIT = frozenset(b"0123456789")
_PRINT = frozenset(range(0x20, 0x7F))
_SPACE = frozenset(b" \t\n\r")

POSIX = {
    b"alnum": _LOWER | _UPPER | _DIGIT,
    b"alpha": _LOWER | _UPPER,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(0x20)) | {0x7F},
    b"digit": _DIGIT,
    b"graph": _PRINT - _SPACE,
    b"lower": _LOWER,
    b"print": _PRINT,
    b"punct": _PRINT - _LOWER - _UPPER - _DIGIT - _SPACE,
    b"space": _SPACE,
    b"upper": _UPPER,
    b"xdigit": _DIGIT | frozenset(b"abcdefABCDEF"),
}


class _Token(NamedTuple):
    kind: str
    regex: bytes


class _NoMatch(Exception):
    """The pattern is malformed: it matches nothing."""


def literal_length(pattern: bytes) -> int:
    """How many bytes from the beginning stand for themselves."""
    return next((at for at, byte in enumerate(pattern) if byte in SPECIAL), len(pattern))


def translate(pattern: bytes, *, deep: bool) -> bytes | None:
    """A regular expression for the whole text, to be used with DOTALL; None if nothing can match.

    With `deep`, `**` crosses slashes where it is a whole component. The expression has no capturing group.
    """
    try:
        return _assemble(list(_tokens(pattern, deep)))
    except _NoMatch:
        return None


def _tokens(pattern: bytes, deep: bool) -> Iterator[_Token]:
    at = 0
    while at < len(pattern):
        byte = pattern[at : at + 1]
        if byte == b"*":
            end = at + len(pattern[at:]) - len(pattern[at:].lstrip(b"*"))
            token = _star(pattern, at, end) if deep else _Token(STAR, b"")
            yield token
            at = end + (token.kind == DEEP_SLASH)
        elif byte == b"?":
            yield _Token(FIXED, b"[^/]")
            at += 1
        elif byte == b"[":
            members, at = _read_class(pattern, at + 1)
            yield _Token(FIXED, _class_regex(members))
        else:
            at += byte == b"\\"
            yield _literal(pattern[at : at + 1])
            at += 1


def _star(pattern: bytes, start: int, end: int) -> _Token:
    """What the asterisks in pattern[start:end] stand for."""
    opens = start == 0 or pattern[start - 1 : start] == b"/"
    rest = pattern[end : end + 2]
    if end - start < 2 or not opens or not (rest == b"" or rest[:1] == b"/" or rest == b"\\/"):
        return _Token(STAR, b"")
    return _Token(DEEP_SLASH if rest[:1] == b"/" else DEEP, b"")


def _literal(byte: bytes) -> _Token:
    if not byte:
        raise _NoMatch
    return _Token(SLASH, b"/") if byte == b"/" else _Token(FIXED, re.escape(byte))


def _read_class(pattern: bytes, at: int) -> tuple[frozenset[int], int]:
    """The bytes a class matches and where it ends; `at` is just behind its opening bracket."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    previous = 0  # what a range would begin with; 0 where none can
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        byte = pattern[at : at + 1]
        if byte == b"-" and previous and pattern[at + 1 : at + 2] not in (b"", b"]"):
            high, at = _class_byte(pattern, at + 1)
            members.update(range(previous, high + 1))
            previous = 0
        elif byte == b"[" and (named := _named_class(pattern, at)) is not None:
            members.update(named[0])
            previous, at = 0, named[1]
        else:
            previous, at = _class_byte(pattern, at)
            members.add(previous)
    return (_ANY_BYTE - members if negated else frozenset(members)), at + 1


def _class_byte(pattern: bytes, at: int) -> tuple[int, int]:
    """One byte inside a class, perhaps escaped, and where the next begins."""
    at += pattern[at : at + 1] == b"\\"
    if at >= len(pattern):
        raise _NoMatch
    return pattern[at], at + 1


def _named_class(pattern: bytes, at: int) -> tuple[frozenset[int], int] | None:
    """The bytes of `[:name:]` at this place and where it ends; None if the bracket stands for itself."""
    if pattern[at : at + 2] != b"[:":
        return None
    close = pattern.find(b"]", at + 2)
    if close < 0:
        raise _NoMatch
    if close == at + 2 or pattern[close - 1 : close] != b":":
        return None
    name = pattern[at + 2 : close - 1]
    if name not in POSIX:
        raise _NoMatch
    return POSIX[name], close + 1


def _class_regex(members: frozenset[int]) -> bytes:
    members = members - {0x2F}
    if not members:
        raise _NoMatch
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(members)) + b"]"


def _assemble(tokens: list[_Token]) -> bytes:
    """Join sections that are divided by `**`; each but the last keeps its leftmost place."""
    leads: list[str] = [""]
    sections: list[list[_Token]] = [[]]
    for token in tokens:
        if token.kind in (DEEP, DEEP_SLASH):
            leads.append(token.kind)
            sections.append([])
        else:
            sections[-1].append(token)
    out = _section(sections[0])
    for lead, section in zip(leads[1:-1], sections[1:-1], strict=True):
        out += b"(?>" + (b"(?:.*?/)??" if lead == DEEP_SLASH else b".*?") + _section(section) + b")"
    if len(sections) > 1:
        out += (b"(?:.*/)?" if leads[-1] == DEEP_SLASH else b".*") + _section(sections[-1])
    return out


def _section(tokens: list[_Token]) -> bytes:
    """Components without `**`; in each, what lies between two asterisks keeps its leftmost place."""
    out, parts = b"", [b""]
    for token in [*tokens, _Token(SLASH, b"")]:
        if token.kind == STAR:
            parts.append(b"")
        elif token.kind == FIXED:
            parts[-1] += token.regex
        else:
            middle = b"".join(b"(?>[^/]*?" + part + b")" for part in parts[1:-1])
            last = b"[^/]*" + parts[-1] if len(parts) > 1 else b""
            out += parts[0] + middle + last + token.regex
            parts = [b""]
    return out
