"""What a line outside every definition looks like: blank, comment, attribute, or code.

A look, not a parse: the first characters of a line and what block is open decide, with a small table of comment signs by
language. It is used only between definitions, where a parser's tree says nothing of what belongs together.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache


class Look(IntEnum):
    """What a line looks like."""

    BLANK = 0
    COMMENT = 1
    ATTRIBUTE = 2  # decorator, annotation, attribute, or a type signature that stands before what it describes
    CODE = 3


@dataclass(frozen=True, slots=True)
class _Signs:
    line: str  # alternatives of a regular expression
    blocks: tuple[tuple[str, str], ...]
    attribute: str = "(?!)"


_C_BLOCK = (("/*", "*/"),)
_DOCSTRINGS = (('"""', '"""'), ("'''", "'''"))
_HTML_BLOCK = (("<!--", "-->"),)

_UNKNOWN = _Signs(r"\#|//|--|;|%", _C_BLOCK + _HTML_BLOCK + _DOCSTRINGS[:1], r"@|\#?\[")

_FAMILIES: dict[str, _Signs] = {
    "javascript typescript tsx java kotlin scala swift dart groovy": _Signs("//", _C_BLOCK, "@"),
    "go zig css scss less sass protobuf thrift objc glsl hlsl wgsl cuda arduino d solidity gleam v odin json": _Signs(
        "//", _C_BLOCK
    ),
    "bash fish perl r julia nim crystal make cmake dockerfile yaml toml powershell hcl nix awk tcl just meson graphql gdscript "
    "gitignore dotenv": _Signs("#", ()),
    "python cython starlark": _Signs("#", _DOCSTRINGS, "@"),
    "elixir": _Signs("#", _DOCSTRINGS[:1], "@"),
    "ruby": _Signs("#", (("=begin", "=end"),)),
    "php": _Signs(r"//|\#(?!\[)", _C_BLOCK, r"\#\["),
    "rust": _Signs("//", _C_BLOCK, r"\#!?\["),
    "csharp": _Signs("//", _C_BLOCK, r"\["),
    "fsharp ocaml": _Signs("//", (("(*", "*)"),), r"\[<"),
    "cpp": _Signs("//", _C_BLOCK, r"\[\[|template\b"),
    "c": _Signs("//", _C_BLOCK, r"\[\[|__attribute__"),
    "haskell purescript": _Signs("--", (("{-", "-}"),), r"[a-z_][\w']*\s*::"),
    "elm": _Signs("--", (("{-", "-}"),), r"[a-z_]\w*\s*:(?!:)"),
    "lua luau": _Signs(r"--(?!\[=*\[)", (("--[[", "]]"), ("--[==[", "]==]"), ("--[=[", "]=]"))),
    "sql ada vhdl": _Signs("--", _C_BLOCK),
    "lisp clojure scheme racket asm": _Signs(";", (("#|", "|#"),)),
    "erlang latex matlab": _Signs("%", ()),
    "html xml svg vue svelte astro": _Signs("(?!)", _HTML_BLOCK),
    "ini": _Signs("[#;!]", ()),
    "viml": _Signs('"', ()),
    "vb": _Signs("'", ()),
    "fortran": _Signs("!", ()),
}
_BY_LANGUAGE = {language: signs for languages, signs in _FAMILIES.items() for language in languages.split()}
_HANGING = frozenset({"haskell", "purescript", "elm"})  # an indented line goes on with the signature above it


_LINE, _BLOCK, _BLANK = 1, 2, 3  # groups of the opening pattern; the fourth is an attribute


@dataclass(frozen=True, slots=True)
class _Scanner:
    opening: Callable[[str], re.Match[str] | None]
    closing: dict[str, str]
    hanging: bool

    def awaited(self, row: str, match: re.Match[str]) -> str:
        """What ends the block this line opens; nothing where it closes it itself."""
        terminator = self.closing[match[_BLOCK]]
        return "" if terminator in row[match.end() :] else terminator


@lru_cache(maxsize=128)
def _scanner(language: str) -> _Scanner:
    signs = _BY_LANGUAGE.get(language, _UNKNOWN)
    blocks = "|".join(re.escape(opener) for opener, _ in signs.blocks) or "(?!)"
    prefix = "[rRuUbB]?" if signs.blocks is _DOCSTRINGS else ""
    opening = re.compile(rf"\s*(?:({signs.line})|{prefix}({blocks})|($)|({signs.attribute}))")
    return _Scanner(opening.match, dict(signs.blocks), language in _HANGING)


def looks(rows: Sequence[str], language: str) -> list[Look]:
    """The look of each of these lines, which begin outside any comment."""
    return list(_scan(rows, language))


def _scan(rows: Iterable[str], language: str) -> Iterator[Look]:
    scanner = _scanner(language)
    opening = scanner.opening
    comment, attribute, blank, code = Look.COMMENT, Look.ATTRIBUTE, Look.BLANK, Look.CODE
    look = inside = blank
    awaited = ""  # what ends the open block, whose lines look like `inside`
    depth = 0  # brackets an attribute has open
    for row in rows:
        if awaited:
            look = inside
            awaited = "" if awaited in row else awaited
        elif depth > 0:
            look = attribute
            depth += _brackets(row)
        elif not (match := opening(row)):
            look = attribute if scanner.hanging and look is attribute and row[0].isspace() else code
        elif (group := match.lastindex) == _LINE:
            look = comment
        elif group == _BLANK:
            look = blank
        elif group == _BLOCK:
            look = inside = comment
            awaited = scanner.awaited(row, match)
        else:
            look = inside = attribute
            awaited = _HEREDOC if row.count(_HEREDOC) % 2 else ""
            depth = 0 if awaited else _brackets(row)
        yield look


_HEREDOC = '"""'  # Elixir's @doc opens one


def _brackets(row: str) -> int:
    return row.count("(") + row.count("[") + row.count("{") - row.count(")") - row.count("]") - row.count("}")


_CLOSERS = re.compile(r"\s*+(?:[\])}>;,]++|end[;.]?|fi|done|esac|\*/|</[\w:.-]+>)\s*(?:\\|;|,|\))*\s*$")

_OPENING = frozenset("({[")


def closes(row: str) -> bool:
    """Whether the line only ends what was begun above it."""
    return _CLOSERS.match(row) is not None


def opens(row: str) -> bool:
    """Whether the line begins something that goes on below it."""
    return row.rstrip()[-1:] in _OPENING


_ASSIGNMENT = re.compile(
    r"""\s*(?:
        (?:(?:export|const|let|var|val|static|final|public|private|readonly|local|set|setenv|define|auto|\#define)\s+)*
        [\w.$"'\[\]@:<>*&-]+ (?:\s+[\w.<>*&\[\]]+)? \s* (?:[:?+|]?=(?!=)|:(?!:)) .*
      | \#define\s+\w+.*
      | ["'\w.+-]+\s*,?                                      # an element of a list
      | [\[\](){},;]+                                        # brackets alone
    )$""",
    re.VERBOSE,
)


def assigns(rows: Sequence[str], language: str) -> bool:
    """Whether every line that is no comment looks like an assignment or a setting."""
    found = False
    for row, look in zip(rows, _scan(rows, language), strict=True):
        if look is Look.CODE:
            if not _ASSIGNMENT.match(row):
                return False
            found = True
    return found
