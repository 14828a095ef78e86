"""The plain name in a written type: `Optional["http.Client"]` is `http.Client`, `&mut Foo<'a>` is `Foo`.

A look at the text, not a parse: what it cannot make a single name of (a union, a tuple, a function) has none. Knows how
languages write types and nothing of what has one.
"""

import re
from functools import lru_cache

_LONGEST = 200
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*")
# They say nothing of what can be called: no type, any type, one to be inferred, or one without members.
_UNTOLD = frozenset(
    [
        "None",
        "Any",
        "any",
        "unknown",
        "void",
        "never",
        "undefined",
        "null",
        "nil",
        "object",
        "auto",
        "var",
        "let",
        "val",
        "dynamic",
        "mixed",
        "callable",
        "Callable",
        "Unit",
        "Nothing",
        "anytype",
        "type",
        "int",
        "long",
        "short",
        "byte",
        "char",
        "float",
        "double",
        "boolean",
        "bool",
    ]
)
# What wraps a type without hiding it: what is called on it is called on what it holds.
_SQUARE = frozenset(["Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly"])
_ANGLED = frozenset(["Readonly", "Box", "Rc", "Arc", "std::unique_ptr", "std::shared_ptr", "unique_ptr", "shared_ptr"])
_EMPTY = frozenset({"None", "null", "undefined", "nil"})
_BEFORE = re.compile(
    r"""(?:[&*?!:\s\\]|'\w+\s|(?:const|mut|ref|readonly|dyn|impl|out|in|inout|scoped|params|final|volatile|some|any|struct|class|enum)\s)+"""
)
_WRAPPED = re.compile(
    r"(?P<outside>[\w.:$\\]+)\s*(?:<(?P<angled>.*)>|\[(?P<square>.+)\])", re.DOTALL
)  # `Foo[]` is an array
_QUOTED = re.compile(r"""(["'])(.*)\1""", re.DOTALL)


@lru_cache(maxsize=8192)
def plain_type(text: str) -> str:
    """The name of a type as written, without what is around it; "" where there is none."""
    if text.isidentifier():
        return "" if text in _UNTOLD else text
    if len(text) > _LONGEST:
        return ""
    text = _bare(text)
    if "|" in text and len(parts := _split(text, "|")) > 1:
        return _only_one(parts)
    if wrapped := _WRAPPED.fullmatch(text):
        return _unwrapped(wrapped)
    return text if _NAME.fullmatch(text) and text not in _UNTOLD else ""


def _bare(text: str) -> str:
    text = text.strip()
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[2].strip()
    if before := _BEFORE.match(text):
        text = text[before.end() :]
    return text.rstrip("&*?! \t\n")


def _unwrapped(wrapped: re.Match[str]) -> str:
    """The type that says what can be called: the one with arguments, or, of a wrapper, what it wraps."""
    outside, square = wrapped["outside"].rstrip(":"), wrapped.lastgroup == "square"
    arguments = _split(wrapped[wrapped.lastgroup or 0], ",")
    if not arguments:  # brackets that do not belong together
        return ""
    last = outside.rpartition(".")[2]
    if last in (_SQUARE if square else _ANGLED):
        return plain_type(arguments[0])
    return _only_one(arguments) if square and last == "Union" else plain_type(outside)


def _only_one(parts: list[str]) -> str:
    """The one type of a union that is not the empty one."""
    real = [part for part in parts if part.strip() not in _EMPTY]
    return plain_type(real[0]) if len(real) == 1 else ""


def _split(text: str, mark: str) -> list[str]:
    """The text cut at a mark, but not inside brackets; nothing for text whose brackets do not match."""
    parts, depth, start = [], 0, 0
    for i, sign in enumerate(text):
        if sign in "[(<{":
            depth += 1
        elif sign in "])>}":
            depth -= 1
            if depth < 0:
                return []
        elif sign == mark and not depth:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]
