"""`path:`, `lang:`, `kind:`, `type:` and `tag:` into Filters.

Responsible for which values an operator takes, and for suggesting the right one. It refuses to know the rest of the query
language, and which chunks pass: the store applies filters.
"""

from collections.abc import Collection

from scova.errors import QueryError
from scova.record import replace
from scova.types import ChunkType, Filters

OPERATORS = frozenset(("path", "lang", "kind", "type", "tag"))

_KINDS = """class constant constructor enum field function implementation interface key macro method module namespace object
property protocol prototype section struct trait type union variable"""
KINDS = frozenset(_KINDS.split())
_KIND_OF = {"func": "function", "def": "function", "fn": "function", "const": "constant", "var": "variable"}
_TYPE_OF = {"symbol": "symbols", "definition": "definitions", "code": "definitions", "docs": "documentation"}
_LANGUAGE_OF = {"c++": "cpp", "c#": "csharp", "golang": "go", "shell": "bash", "restructuredtext": "rst"}
_HEADERS = ("c", "cpp")
_EXAMPLE = {"path": "src/**", "lang": "python", "kind": "class", "type": "definitions", "tag": "test"}


def apply(filters: Filters, operator: str, value: str, *, out: bool, position: int) -> Filters:
    """The filters with one operator more. `value` may list several, separated by commas. Raises QueryError."""
    values = tuple(part.strip() for part in value.split(",") if part.strip())
    if not values:
        hint = f"Write the value right after the colon: {operator}:{_EXAMPLE[operator]}"
        raise QueryError(f"{operator}: at character {position} has no value", hint)
    if out and operator != "path":
        hint = "Use -path:GLOB, or name what you want."
        raise QueryError(f"-{operator}: at character {position}: only path: can be left out", hint)
    if out:
        return replace(filters, not_paths=filters.not_paths + values)
    if operator == "path":
        return replace(filters, paths=filters.paths + values)
    if operator == "lang":
        return replace(filters, languages=filters.languages + _languages(values))
    if operator == "kind":
        return replace(filters, kinds=filters.kinds + tuple(kind(item) for item in values))
    if operator == "type":
        return replace(filters, chunk_types=filters.chunk_types + tuple(chunk_type(item) for item in values))
    return replace(filters, tags=filters.tags + values)


def checked(filters: Filters) -> Filters:
    """The same filters with every name as the index knows it, however they were given. Raises QueryError."""
    if not (filters.languages or filters.kinds):
        return filters
    return replace(filters, languages=_languages(filters.languages), kinds=tuple(kind(name) for name in filters.kinds))


def joined(one: Filters, other: Filters) -> Filters:
    """What either restricts. Two lists of the same kind are united, as if written in one query."""
    if not other:
        return one
    names = ("paths", "not_paths", "languages", "chunk_types", "tags", "kinds")
    return Filters(**{name: tuple(dict.fromkeys(getattr(one, name) + getattr(other, name))) for name in names})


def _languages(values: Collection[str]) -> tuple[str, ...]:
    """All languages meant; what is called `.h` may be either of two."""
    return tuple(
        found for value in values for found in (_HEADERS if value.lower() in ("h", ".h") else (language(value),))
    )


def language(value: str) -> str:
    """The language meant; QueryError with a suggestion when there is none."""
    from scova.parse.language import LANGUAGES, language_of  # only a query that names a language pays for the table

    name = value.lower().removeprefix(".")
    name = _LANGUAGE_OF.get(name, name)
    return name if name in LANGUAGES else _known("language", language_of(f"any.{name}") or name, LANGUAGES)


def kind(value: str) -> str:
    """The kind of symbol meant; QueryError with a suggestion when there is none."""
    name = value.lower()
    return _known("kind", _KIND_OF.get(name, name), KINDS)


def chunk_type(value: str) -> ChunkType:
    """The chunk type meant; QueryError with a suggestion when there is none."""
    name = value.lower()
    return ChunkType(_known("type", _TYPE_OF.get(name, name), [item.value for item in ChunkType]))


def _known(what: str, name: str, known: Collection[str]) -> str:
    if name in known:
        return name
    from difflib import get_close_matches  # only for whoever mistyped

    close = get_close_matches(name, sorted(known), n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Known are: {', '.join(sorted(known))}."
    raise QueryError(f"there is no {what} {name!r}", hint)
