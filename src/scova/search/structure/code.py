"""One moment's code: files, definitions and bindings, read from the store once and remembered.

Responsible for reading little: a file's structure is read when something in it matters, and kept while the moment lasts.
It refuses to interpret: what a name means is decided elsewhere.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeVar

from scova.answers import Definition
from scova.chunks.chunkset import ChunkSet
from scova.parse.tags import tags_of
from scova.protocols import StoreReader
from scova.search.structure.calls import Calls, keep
from scova.search.structure.languages import Rules, rules_of
from scova.search.structure.paths import Paths
from scova.types import Binding, Chunk, ChunkType, OutlinedFile, Symbol

CLASSES = frozenset(
    (
        "class", "struct", "enum", "interface", "trait", "protocol", "object", "implementation", "union", "type", "module",
        "namespace",
    )
)  # fmt: skip
FUNCTIONS = frozenset(("function", "method", "constructor", "macro", "property", "prototype"))
CALLABLE = CLASSES | FUNCTIONS
_ASIDE = frozenset(("test", "vendored", "generated", "example"))

_K = TypeVar("_K")

Key = tuple[str, str]  # path and qualified name: overloads, and an `if` and its `else`, are one definition


def key_of(definition: Definition) -> Key:
    """What makes two definitions the same."""
    return definition.path, definition.symbol.qualified


def is_aside(path: str) -> bool:
    """Whether a file is not the real thing: a test, an example, vendored or generated."""
    return not _ASIDE.isdisjoint(tags_of(path))


class SourceFile:
    """What is known of one file, by name."""

    def __init__(self, outlined: OutlinedFile) -> None:
        self.path = outlined.path
        self.folder = outlined.path.rpartition("/")[0]
        self.language = outlined.language
        self.lines = outlined.lines
        self.rules: Rules = rules_of(outlined.language)
        self.package = outlined.outline.package.replace("\\", ".").replace("::", ".").strip(".")
        self.symbols = outlined.outline.symbols
        self.bindings = outlined.outline.bindings
        self._found: dict[str, Definition] = {}

    @cached_property
    def by_qualified(self) -> dict[str, tuple[int, ...]]:
        """Where definitions of a qualified name stand among all."""
        return _places(one.qualified for one in self.symbols)

    @cached_property
    def _bound(self) -> dict[tuple[str, str], tuple[int, ...]]:
        return _places((one.scope, one.name) for one in self.bindings)

    @cached_property
    def scopes(self) -> frozenset[str]:
        """Where something is bound."""
        return frozenset(one.scope for one in self.bindings)

    @cached_property
    def stars(self) -> tuple[Binding, ...]:
        """Modules of which everything is imported."""
        return tuple(one for one in self.bindings if one.how == "import" and "*" in (one.name, one.member))

    def define(self, symbol: Symbol) -> Definition:
        """A symbol of this file with its place."""
        return Definition(self.path, self.language, symbol)

    def all(self, qualified: str) -> list[Symbol]:
        """Every definition of exactly this qualified name."""
        return [self.symbols[place] for place in self.by_qualified.get(qualified, ())]

    def bound(self, scope: str, name: str) -> list[Binding]:
        """What a name stands for in a scope."""
        places = self._bound.get((scope, name))
        return [self.bindings[place] for place in places] if places else []

    def find(self, qualified: str) -> Definition | None:
        """The definition of exactly this qualified name: the one that can be called, or has most in it."""
        if qualified not in self.by_qualified:
            return None
        found = self._found.get(qualified)
        if found is None:
            found = self._found[qualified] = self.define(max(self.all(qualified), key=_weight))
        return found

    def enclosing(self, line: int) -> list[Symbol]:
        """Definitions around a line, the innermost first."""
        around = [symbol for symbol in self.symbols if symbol.start_line <= line <= symbol.end_line]
        return sorted(around, key=lambda symbol: (symbol.end_line - symbol.start_line, -symbol.start_line))


class Code:
    """Everything at one moment. Threads may share it: what is remembered is the same whoever reads it."""

    def __init__(self, reader: StoreReader) -> None:
        self.reader = reader
        self.calls = Calls(reader)
        self._files: dict[str, SourceFile | None] = {}
        self._named: dict[str, list[Definition]] = {}
        self._exact: dict[str, dict[str, list[Definition]]] = {}
        self._last_chunks: tuple[str, list[Chunk]] = "", []
        self._owners: dict[str, frozenset[str]] = {}
        self.tops: dict[tuple[str, str], list[Definition]] = {}  # by family and name
        self.remembered: dict[str, dict[str, str]] = {}  # small tables others make of this moment, by their name
        # What else others remember of this moment, by its class. It must not refer to the code, or only the cycle collector frees it.
        self.made: dict[type, Any] = {}

    @cached_property
    def paths(self) -> Paths:
        """All files."""
        return Paths(self.reader.files())

    @property
    def languages(self) -> dict[str, str]:
        """The language of every file, by path, in order."""
        return self.paths.languages

    @cached_property
    def names(self) -> list[str]:
        """Every name that is defined, in order."""
        return self.reader.names()

    def family(self, definition: Definition) -> str:
        """The languages that can call a definition."""
        return rules_of(definition.language).family

    def file(self, path: str) -> SourceFile | None:
        """The structure of a file, or None when there is no such file."""
        if path in self._files:
            return self._files[path]
        outlined = self.reader.outline(path)
        return keep(self._files, path, SourceFile(outlined) if outlined else None)

    def named(self, name: str) -> list[Definition]:
        """Definitions of this name, or of a qualified name that ends so, by path and line."""
        found = self._named.get(name)
        if found is None:
            found = [
                Definition(path, self.languages.get(path, ""), symbol) for path, symbol in self.reader.symbols(name)
            ]
            keep(self._named, name, found)
        return found

    def exactly(self, qualified: str) -> list[Definition]:
        """Definitions of exactly this qualified name; asking for many members of one name costs one look-up."""
        name = qualified.rpartition(".")[2] or qualified
        found = self._exact.get(name)
        if found is None:
            found = {}
            for one in self.named(name):
                found.setdefault(one.symbol.qualified, []).append(one)
            keep(self._exact, name, found)
        return found.get(qualified, [])

    def owners(self, name: str) -> frozenset[str]:
        """Qualified names of everything that has something of this name inside."""
        found = self._owners.get(name)
        if found is None:
            qualified = (one.symbol.qualified for one in self.named(name))
            owners = {one[: -len(name) - 1] for one in qualified if one.endswith(f".{name}")}
            found = keep(self._owners, name, frozenset(owners | {one.removesuffix(".companion") for one in owners}))
        return found

    def bodied(self, definition: Definition) -> Definition:
        """The definition of what is only declared here, where a language writes them apart and there is one."""
        symbol = definition.symbol
        if (
            rules_of(definition.language).family != "c"
            or symbol.kind not in FUNCTIONS
            or symbol.end_line > symbol.start_line
        ):
            return definition
        bodies = [
            one
            for one in self.exactly(symbol.qualified)
            if one.symbol.kind in FUNCTIONS and one.symbol.end_line > one.symbol.start_line
        ]
        return bodies[0] if len({one.path for one in bodies}) == 1 else definition

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of a file, in order; those of the last one are remembered, since one file is often looked at line by line."""
        known, found = self._last_chunks
        if known != path:
            found = self.reader.chunks_of(path)
            self._last_chunks = path, found
        return found

    def text(self, path: str, start: int, end: int) -> str:
        """Lines of a file as they are in the index, line ends included."""
        pieces = (chunk for chunk in self.chunks_of(path) if chunk.chunk_type is not ChunkType.SYMBOLS)
        wanted = [chunk for chunk in pieces if chunk.start_line <= end and chunk.end_line >= start]
        if not wanted:
            return ""
        lines = "".join(chunk.text for chunk in wanted).split("\n")
        first = wanted[0].start_line
        cut = "\n".join(lines[max(0, start - first) : end - first + 1])
        return cut if end - first + 1 >= len(lines) else cut + "\n"


def best_first(definitions: Iterable[Definition]) -> list[Definition]:
    """The real thing before tests and what is generated or vendored, bodies before declarations, then by place."""
    return sorted(
        definitions,
        key=lambda one: (is_aside(one.path), -_weight(one.symbol)[0], one.path, one.symbol.start_line, one.symbol.name),
    )


def _weight(symbol: Symbol) -> tuple[int, int]:
    """What stands for a name that is defined several times: something that can be called, with a body."""
    if symbol.kind not in CALLABLE:
        return 0, 0
    has_body = symbol.kind != "prototype" and (symbol.end_line > symbol.start_line or symbol.kind in CLASSES)
    return (2 if has_body else 1), symbol.end_line - symbol.start_line


def _places(keys: Iterable[_K]) -> dict[_K, tuple[int, ...]]:
    """Where each key stands."""
    found: dict[_K, tuple[int, ...]] = {}
    for place, key in enumerate(keys):
        found[key] = (*found[key], place) if key in found else (place,)
    return found


def code_of(chunk_set: ChunkSet) -> Code:
    """The code of a moment: the same object for as long as the moment is held."""
    found: Code | None = chunk_set.made.get(Code)
    return found or chunk_set.made.setdefault(Code, Code(chunk_set.reader))
