"""Why ctags lists something that scova does not: rules that look at the text, so that a reader can check each of them.

Every rule is about what ctags did: it named something that is no definition, or named it wrongly, or scova shows it another
way. What no rule explains counts as missed by scova. The rules read lines of text with regular expressions, and most do
not ask scova's parser, which would excuse itself.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from matching import Tag


@dataclass(frozen=True)
class Around:
    """What a rule may look at besides the tag: the lines of its file, all our definitions there, the project's macros."""

    language: str
    lines: Sequence[str]
    ours: Sequence[Tag]
    macros: frozenset[str] = frozenset()
    quoted: frozenset[int] = field(default_factory=frozenset)  # lines inside a comment or a string of several lines

    def line(self, tag: Tag) -> str:
        """The text of the tag's line."""
        return self.lines[tag.line - 1] if 0 < tag.line <= len(self.lines) else ""


Applies = Callable[[Tag, Around], bool]

_KEYWORDS = {
    "typescript": frozenset({"new", "extends", "any", "true"}),
    "haskell": frozenset({"class", "deriving", "infix", "infixl", "infixr", "instance", "where", "foreign", "pattern"}),
    "csharp": frozenset({"bool", "string", "int", "object"}),
}
_MADE_UP = re.compile(r"<\w+>")
_OTHER_KINDS = frozenset({"constant", "variable", "field", "property"})
_WRAPPED = re.compile(r"\b([A-Z][A-Z0-9_]{2,})\s*\(")


def _no_name(tag: Tag, around: Around) -> bool:
    return bool(_MADE_UP.fullmatch(tag.name)) or tag.name in _KEYWORDS.get(around.language, ())


def _quoted(tag: Tag, around: Around) -> bool:
    return tag.line in around.quoted


def _clause(tag: Tag, around: Around) -> bool:
    return around.language in ("elixir", "haskell") and any(
        one.name == tag.name and one.line <= tag.line <= one.end and one.kind not in _OTHER_KINDS for one in around.ours
    )


def _other_kind(tag: Tag, around: Around) -> bool:
    return any(
        one.kind in _OTHER_KINDS and one.name == tag.name and one.line <= tag.line <= one.line + 2
        for one in around.ours
    )


def _no_class(tag: Tag, around: Around) -> bool:
    return around.language == "javascript" and tag.kind == "class" and not re.search(r"\bclass\b", around.line(tag))


def _not_its_name(tag: Tag, around: Around) -> bool:
    line = around.line(tag)
    if around.language == "ruby":
        return bool(re.search(rf"\bdef\s+{re.escape(tag.name)}\.\w", line))
    if around.language == "javascript":
        return bool(re.search(rf"{re.escape(tag.name)}(\.[\w$]+)*\s*(\[.*\]|\.[\w$]+)\s*=\s*", line))
    return around.language == "lua" and ("[" in tag.name or "]" in tag.name)


def _result(tag: Tag, around: Around) -> bool:
    line = around.line(tag)
    if around.language not in ("lua", "javascript") or not re.search(rf"{re.escape(tag.name)}\b.*=", line):
        return False
    return not re.search(rf"{re.escape(tag.name)}[\"'\]]*\s*[=:]\s*(async\s+)?function\b", line)


def _argument(tag: Tag, around: Around) -> bool:
    if around.language == "lua":
        return "function" in around.line(tag) and not re.search(
            rf"{re.escape(tag.name)}\s*(=\s*function|\()", around.line(tag)
        )
    return False


def _variable(tag: Tag, around: Around) -> bool:
    is_function = re.search(rf"\bfun\b.*{re.escape(tag.name)}`?\s*\(", around.line(tag))
    return around.language == "kotlin" and tag.kind == "method" and not is_function


def _macro(tag: Tag, around: Around) -> bool:
    if around.language not in ("c", "cpp"):
        return False
    if tag.name in around.macros:
        return True
    before = around.line(tag).partition(tag.name)[0]
    return any(before.count("(", one.start()) > before.count(")", one.start()) for one in _WRAPPED.finditer(before))


def _constraint(tag: Tag, around: Around) -> bool:
    return around.language == "csharp" and bool(re.search(rf"\bwhere\b.*\b{re.escape(tag.name)}\b", around.line(tag)))


def _call(tag: Tag, around: Around) -> bool:
    return around.language == "csharp" and bool(re.search(rf"\)\s*\.{re.escape(tag.name)}\(.*;\s*$", around.line(tag)))


def _splice(tag: Tag, around: Around) -> bool:
    return around.language == "haskell" and bool(re.match(r"\$\(|[a-z]\w* .*''?[A-Z]", around.line(tag)))


def _signature(tag: Tag, around: Around) -> bool:
    named = re.match(rf"{re.escape(tag.name)}(\s*,\s*[\w']+)+\s*::", around.line(tag).lstrip())
    return around.language == "haskell" and bool(named) and any(one.name == tag.name for one in around.ours)


def _other_name(tag: Tag, around: Around) -> bool:
    name = {"kotlin": {"Companion": "companion"}, "csharp": {"operator": "implicit"}}.get(around.language, {})
    ours = name.get(tag.name.split(" ")[0])
    return any(one.name == ours and one.line == tag.line for one in around.ours)


RULES: dict[str, tuple[str, Applies]] = {
    "no name": ("ctags invents a name (`<lambda>`) or takes a keyword for one", _no_name),
    "quoted": ("the line stands in a comment, a heredoc or a string of several lines", _quoted),
    "clause": ("a further clause of a function, which scova shows as one definition", _clause),
    "not its name": ("ctags names the object, not the member: `def self.find` is `self`", _not_its_name),
    "other name": ("scova has it under the word in the text: a companion object, a conversion operator", _other_name),
    "no class": ("an object literal or an assignment, with no `class` on the line", _no_class),
    "variable": ("a loop variable or a lambda's parameter, with no `fun` before the name", _variable),
    "macro": ("the use of a macro, or something inside its arguments", _macro),
    "constraint": ("a type parameter in a `where` clause", _constraint),
    "call": ("a call at the end of a chain", _call),
    "splice": ("Template Haskell that runs at compile time", _splice),
    "signature": ("a signature of several names; scova shows the equation of each", _signature),
    "result": ("the name holds the result of a call that is given a function", _result),
    "argument": ("a function without a name, given to a call", _argument),
    "other kind": ("scova has it at this line as a constant, variable, field or property", _other_kind),
}


def reason(tag: Tag, around: Around) -> str:
    """The first rule that explains why scova does not list this; empty when none does."""
    return next((name for name, (_, applies) in RULES.items() if applies(tag, around)), "")


def defined_macros(texts: Iterable[str]) -> frozenset[str]:
    """Every name that a C preprocessor line of these texts defines."""
    return frozenset(
        name for text in texts for name in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE)
    )


_HEREDOC = re.compile(r"<<[~-]?([\"'`]?)([A-Za-z_]\w*)\1")
# Openers and closers of strings or comments that run over several lines.
_FENCES: dict[str, list[tuple[str, str]]] = {
    "elixir": [('"""', '"""'), ("'''", "'''")],
    "lua": [("[[", "]]"), ("[=[", "]=]")],
    "ruby": [("=begin", "=end")],
    "csharp": [("/*", "*/"), ('@"', '"'), ('"""', '"""')],
    "javascript": [("/*", "*/")],
    "typescript": [("/*", "*/")],
    "kotlin": [("/*", "*/"), ('"""', '"""')],
    "haskell": [("{-", "-}")],
}


def quoted_lines(lines: Sequence[str], language: str) -> frozenset[int]:
    """Numbers of the lines that lie wholly inside a heredoc, or between a fence that opens on one line and closes on a later."""
    found: set[int] = set()
    closer = ""
    for number, line in enumerate(lines, 1):
        if closer:
            if _closes(line, closer):
                closer = ""
            else:
                found.add(number)
            continue
        closer = _opened(line, language)
    return frozenset(found)


def _closes(line: str, closer: str) -> bool:
    return line.strip() == closer[1:] if closer.startswith("\n") else closer in line


def _opened(line: str, language: str) -> str:
    """What ends the text that this line begins and does not end; heredocs by their word, after a line feed."""
    if language in ("ruby", "bash", "php") and not line.lstrip().startswith("#"):
        words = _HEREDOC.search(line)
        if words:
            return f"\n{words[2]}"
    for opener, closer in _FENCES.get(language, ()):
        _, there, rest = line.partition(opener)
        if there and closer not in rest:
            return closer
    return ""
