"""One parser and one compiled query per language, loaded when a file of that language is first met.

This is the only module that imports tree_sitter. It knows where a language's grammar lives, how to run its query over a
text, and how to stop in time; it does not know what the captures mean (captures.py does).

Stopping in time. The bindings' progress callbacks crash the interpreter in 0.26, and their read callback never lets go of
what it was given, so neither is used. Instead a larger text is first tried on its beginning, and the whole is parsed only
if the time that took allows it; and the query runs over one window of the text after another, with a look at the clock
between them. Neither helps where a small text sends a parser astray for long; whoever parses texts of strangers does it in
a process that may be ended.
"""

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from tree_sitter import Language, Node, Parser, Query, QueryCursor, QueryError, Tree

from scova.core.child_process import seconds_for

Match = tuple[int, dict[str, list[Node]]]

_SMALL = 1 << 15  # bytes parsed without a trial: at worst a second or two
_LARGE = 1 << 18  # bytes from which a trial may go on in smaller steps
_USUAL_PACE = 1 << 20  # bytes a second; a parser does five to ten times as much
_WINDOW = 1 << 19  # bytes one run of the query covers
_SAMPLE = 1024  # bytes
_FEWEST_SIGNS = 12  # different bytes in a sample of anything written
_MATCHES_IN_PROGRESS = 1 << 12  # keeps a query's memory bounded on very wide nodes

# language -> (module of its wheel, function that returns the grammar)
GRAMMARS: dict[str, tuple[str, str]] = {
    "arduino": ("tree_sitter_cpp", "language"),
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "cuda": ("tree_sitter_cpp", "language"),
    "elixir": ("tree_sitter_elixir", "language"),
    "go": ("tree_sitter_go", "language"),
    "haskell": ("tree_sitter_haskell", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "scala": ("tree_sitter_scala", "language"),
    "starlark": ("tree_sitter_python", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "zig": ("tree_sitter_zig", "language"),
}

_PATTERN = re.compile(r"^(?=[(\[])", re.MULTILINE)  # a pattern begins at the start of a line, and only there

_CAPTURE = re.compile(r"@([\w.]+)")
_NO_CAPTURES = re.compile(r'(?m)^;.*$|"(?:\\.|[^"\\])*"')  # comments, strings

_ERRORS = "\n(ERROR) @error"  # asked of every language

_QUERIES = Path(__file__).with_name("queries")
_INHERITS = "; inherits: "  # a query file may begin with this line: the named languages' patterns come first


def is_noise(data: bytes) -> bool:
    """Whether a text is one pattern over and over, which no language is made of.

    Error recovery takes time and memory by the square of its length on such texts (30 KB of `x=>` want 30 GB), in one
    step that cannot be stopped. Three samples are looked at: a table of numbers has at least a beginning.
    """
    samples = (data[:_SAMPLE], data[len(data) // 2 :][:_SAMPLE], data[-_SAMPLE:])
    return len(data) > 2 * _SAMPLE and all(len(set(sample)) < _FEWEST_SIGNS for sample in samples)


class Grammar:
    """A language's parser and query. Not for several threads at once: a parser holds state while it parses."""

    def __init__(self, language: Language, query: str) -> None:
        self._parser = Parser(language)
        root = self._parser.parse(b"").root_node.type
        patterns = _PATTERN.split(query)
        self.unknown: tuple[str, ...] = ()  # what this version of the grammar says of patterns that it cannot compile
        try:
            self._queries = Queries.of(language, patterns, root)
        except QueryError:
            # A node that was renamed costs the patterns that name it, and no other; grammar_check tells people.
            errors = {pattern: error for pattern in patterns if (error := _error(language, pattern))}
            self.unknown = tuple(errors.values())
            self._queries = Queries.of(language, [pattern for pattern in patterns if pattern not in errors], root)

    def read(self, data: bytes, seconds: float | None = None) -> "Reading":
        """Parse the text and make its query ready to run; both share the time given, or what a text of this size may take."""
        given = seconds_for(len(data)) if seconds is None else seconds
        return Reading(self._parser, self._queries, data=data, deadline=time.process_time() + given)


def _error(language: Language, pattern: str) -> str:
    """Why this pattern cannot be compiled, in one line; empty where it can."""
    try:
        Query(language, pattern)
    except QueryError as error:
        return f"{str(error).splitlines()[0]}, in `{pattern.splitlines()[0]}`"
    return ""


@dataclass(frozen=True, slots=True)
class Patterns:
    """A compiled query, and the names each of its patterns captures."""

    query: Query
    captures: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, language: Language, text: str) -> "Patterns":
        """Compile a query."""
        query = Query(language, text)
        written = text.encode()
        return cls(query, tuple(_captures(written, query, i) for i in range(query.pattern_count)))


def _captures(text: bytes, query: Query, index: int) -> frozenset[str]:
    written = text[query.start_byte_for_pattern(index) : query.end_byte_for_pattern(index)].decode()
    return frozenset(_CAPTURE.findall(_NO_CAPTURES.sub("", written)))


@dataclass(frozen=True, slots=True)
class Queries:
    """A language's patterns in two parts.

    A pattern that begins at the root of the tree stays in progress until the end and is looked at again for every node,
    which made it the dearest by far. Told to start nowhere else, the cursor does not even walk where it cannot match.
    """

    anywhere: Patterns
    at_root: Patterns | None

    @classmethod
    def of(cls, language: Language, patterns: list[str], root: str) -> "Queries":
        """Compile patterns; `root` is the type of the tree's root."""
        at_root = [pattern for pattern in patterns if pattern.startswith((f"({root} ", f"({root}\n"))]
        anywhere = [pattern for pattern in patterns if pattern not in at_root] + [_ERRORS]
        return cls(
            Patterns.of(language, "".join(anywhere)), Patterns.of(language, "".join(at_root)) if at_root else None
        )


class Reading:
    """One text, parsed. `has_errors` is also true when time ran out before the end."""

    def __init__(self, parser: Parser, queries: Queries, *, data: bytes, deadline: float) -> None:
        self._queries = queries
        self._size = len(data)
        self._deadline = deadline
        self._root = _parse_in_time(parser, data, deadline).root_node
        self.has_errors = self._root.has_error or self._root.end_byte < len(data.rstrip())

    def runs(self) -> Iterator[tuple[tuple[frozenset[str], ...], list[Match]]]:
        """Everything the queries find, with the names each pattern captures; what spans two windows may come twice."""
        queries = self._queries
        if queries.at_root:
            top = QueryCursor(queries.at_root.query, match_limit=_MATCHES_IN_PROGRESS)
            top.set_max_start_depth(0)
            yield queries.at_root.captures, self._run(top)
        cursor = QueryCursor(queries.anywhere.query, match_limit=_MATCHES_IN_PROGRESS)
        for start in range(0, max(self._size, 1), _WINDOW):
            if start and time.process_time() > self._deadline:
                self.has_errors = True
                return
            if self._size > _WINDOW:
                cursor.set_byte_range(start, min(start + _WINDOW, self._size))
            yield queries.anywhere.captures, self._run(cursor)

    def _run(self, cursor: QueryCursor) -> list[Match]:
        found = cursor.matches(self._root)
        self.has_errors = bool(self.has_errors or cursor.did_exceed_match_limit)
        return found


def _parse_in_time(parser: Parser, data: bytes, deadline: float) -> Tree:
    """The tree of the text, or of as much of its beginning as there is time for."""
    size = len(data) if len(data) <= _SMALL else len(data) // 16 + 1
    started = time.process_time()
    tree = parser.parse(data[:size])
    while size < len(data):
        now = time.process_time()
        # A large text is tried in smaller steps, unless its beginning went at the pace of something written.
        growth = 16 if len(data) <= _LARGE or (now - started) * _USUAL_PACE < size else 4
        larger = next(
            (step for step in _steps(size, len(data), growth) if now + _cost(tree, step, now - started) < deadline), 0
        )
        if not larger:
            break
        size, started = larger, now
        tree = parser.parse(data[:size])
    return tree


def _steps(size: int, whole: int, growth: int) -> Iterator[int]:
    """How far to go next, the farthest first."""
    while growth > 1:
        yield min(whole, size * growth)
        growth //= 4


def _cost(tree: Tree, size: int, seconds: float) -> float:
    """How long a beginning of this size may take, where what was parsed took so long. What a parser stumbles over may take it a time by
    the square of the length."""
    times = size / max(tree.root_node.end_byte, 1)
    return seconds * (times**2 if tree.root_node.has_error else times)


@cache  # per process: a parser cannot be shared or pickled, and compiling a query costs 3-130 ms
def grammar_of(language: str) -> Grammar | None:
    """The grammar of a language, or None for a language that has none here, or one that cannot be loaded."""
    if language not in GRAMMARS or not (_QUERIES / f"{language}.scm").is_file():
        return None
    loaded = _compiled(*GRAMMARS[language], _query_text(language))
    return loaded if isinstance(loaded, Grammar) else None


def grammar_error(language: str) -> str:
    """Why the grammar of a language cannot be loaded; empty where it can."""
    if language not in GRAMMARS:
        return ""
    loaded = _compiled(*GRAMMARS[language], _query_text(language))
    return "" if isinstance(loaded, Grammar) else loaded


@cache  # dialects share a grammar and its query
def _compiled(module: str, function: str, query: str) -> Grammar | str:
    """The grammar, or why it cannot be loaded: it is not installed, or made for another version of the runtime."""
    try:
        language = Language(getattr(import_module(module), function)())
    except (ImportError, AttributeError, ValueError) as error:
        return str(error)
    return Grammar(language, query)


def _query_text(language: str) -> str:
    text = (_QUERIES / f"{language}.scm").read_text(encoding="utf-8")
    first, _, own = text.partition("\n")
    if not first.startswith(_INHERITS):
        return text
    inherited = "\n".join(map(_query_text, first.removeprefix(_INHERITS).split()))
    return f"{inherited}\n{own}" if own.strip() else inherited


def prepare(languages: Iterable[str]) -> None:
    """Load these languages now, so that processes forked from this one have them; those without a grammar cost nothing."""
    for language in languages:
        grammar_of(language)
