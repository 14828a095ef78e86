"""Texts that a parser stumbles over: the same text with what confuses it blanked out, mostly for a second try.

A grammar of C, C++ or C# sees the text before the preprocessor: a macro without a semicolon, a brace opened under one #if
and closed under another, and half a file may become one error. Blanking keeps every offset and line, so whatever is found
in the masked text stands at the same place in the real one. Nothing here understands macros; it only guesses which words
are some. The grammars of Kotlin and TypeScript have no preprocessor to fear, but lose the rest of a file to one form of a
constructor, and to overloads of an interface that no semicolon parts.
"""

import re

_C_FAMILY = frozenset({"c", "cpp", "cuda", "arduino"})
LANGUAGES = _C_FAMILY | {"csharp", "kotlin", "typescript"}

_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(\S*)")
_SHARP = re.compile(
    rb"^[ \t]*#[ \t]*(?:pragma|region|endregion|nullable|line)\b.*$|\bref(?=[ \t]+(?:partial[ \t]+)?struct\b)",
    re.MULTILINE,
)
# On a line of its own, `@Inject constructor(` and `internal constructor(` are read, but not both together.
_KOTLIN = re.compile(
    rb"@(?:\w+:)?\w[\w.]*(?:\([^()\n]*\))?(?=(?:\s+@\w+)*\s+(?:internal|private|protected|public)\s+constructor\b)"
)
# `<T>(one: T): T` on a line of its own goes on with the type that the line before ends with, says the grammar; a semicolon before it helps.
_OVERLOAD = re.compile(rb"^[ \t]++(?=<)", re.MULTILINE)
_MACRO = rb"_*[A-Z][A-Z0-9_]{3,}"
_MACROS = re.compile(
    rb"^[ \t]*"
    + _MACRO
    + rb"(?:\([^()\n;]*\))?[ \t]*:?[ \t]*$"  # NAMESPACE_BEGIN, Q_SIGNALS:, NON_NULL(1): alone on its line
    rb"|^[ \t]*(?:(?:static|inline|extern)[ \t]+)*(?P<attribute>" + _MACRO + rb"(?:\([^()\n;]*\))?)"
    rb"(?=[ \t]+[a-z_][\w:]*[ \t*&]+[\w:]+[ \t]*\()",  # NO_SANITIZE("x") void f(
    re.MULTILINE,
)
# `class API Foo {`, but not `struct POINT origin{0, 0};`, which has no semicolon inside; nor has an enum.
_EXPORT = re.compile(
    rb"^[ \t]*+(?:(enum[ \t]++)|(?:typedef|friend)[ \t]++|template[ \t]*+<[^\n;{}]*>[ \t]*+)?(?:class|struct)[ \t]++(?P<export>"
    + _MACRO
    + rb"(?:\([^()\n;]*\))?)"
    rb"(?=[ \t]++(?!final\b)\w++[ \t]*+(?:final\b|\r?(?:\n[ \t]*+)?(?::(?!:)|\{(?(1)|(?!\s*+[^;{}\s][^;{}]*+\}\s*+;)))))",
    re.MULTILINE,
)
_SWITCH = re.compile(rb"^#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b.*$", re.MULTILINE)
_CONFUSING = {"csharp": _SHARP, "kotlin": _KOTLIN}  # by language, where it is not macros
_INK = re.compile(rb"[^\n]")


def worth_masking(language: str) -> float:
    """Share of a text that must be unreadable for a second try to pay.

    Measured on a few thousand files: in C a small error rarely hides a definition, in C++ and C# it often hides a class.
    """
    return 0.05 if language == "c" else 0.001


def masked(data: bytes, language: str) -> bytes | None:
    """The text without what confuses its grammar: conditions reduced to one branch and likely macros blanked, overloads parted;
    None where nothing was found to mask."""
    if language not in LANGUAGES:
        return None
    if language == "typescript":
        text = _OVERLOAD.sub(lambda indent: indent.group()[:-1] + b";", data)
        return text if text != data else None
    text = _one_branch(data) if b"#" in data and language != "kotlin" else data
    text = _CONFUSING.get(language, _MACROS).sub(_blank_match, text)
    return text if text != data else None


def without_exports(data: bytes, language: str) -> bytes:
    """The text without the macro of `class API Foo {`: the grammar takes such a class for a function, and stumbles over nothing."""
    return _EXPORT.sub(_blank_match, data) if language in _C_FAMILY else data


def without_switches(data: bytes) -> bytes | None:
    """The text with all branches of its conditions; None where there is none.

    The grammar of Haskell takes everything from `#else` to `#endif` for a comment, and with it what is defined there.
    """
    text = _SWITCH.sub(_blank_match, data) if b"\n#" in data else data
    return text if text != data else None


def _blank(text: bytes) -> bytes:
    return _INK.sub(b" ", text)


def _blank_match(match: re.Match[bytes]) -> bytes:
    whole = match.group()
    macro = next(filter(None, match.groupdict().values()), b"")
    if not macro:
        return _blank(whole)
    at = whole.rindex(macro)
    return whole[:at] + _blank(macro) + whole[at + len(macro) :]


def _one_branch(data: bytes) -> bytes:
    """Keep the first branch of every condition (of `#if 0` the second) and no line that only switches."""
    kept: list[bytes] = []
    reading: list[bool] = []  # by open condition: whether its present branch is kept
    taken: list[bool] = []  # by open condition: whether some branch was
    for line in data.split(b"\n"):
        directive = _DIRECTIVE.match(line) if b"#" in line else None
        if directive is None:
            kept.append(line if all(reading) else _blank(line))
            continue
        kept.append(_blank(line))
        word, condition = directive.groups()
        if word.startswith(b"if"):
            reading.append(condition != b"0")
            taken.append(reading[-1])
        elif reading and word == b"endif":
            reading.pop()
            taken.pop()
        elif reading:
            reading[-1] = not taken[-1]
            taken[-1] = True
    return b"\n".join(kept)
