"""The tree that is asked about: texts, definitions, and which names mean one definition only.

Everything comes from contents and paths; no index is asked, so that no system decides which questions there are.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from question import Span, head

from scova.parse.grammar import grammar_of
from scova.parse.language import language_of
from scova.parse.outline import outline
from scova.parse.tags import tags_of
from scova.sources.content import Left, text_of
from scova.tokens import parts, words
from scova.types import Outline, Symbol

FUNCTIONS = frozenset(("function", "method", "constructor"))
TYPES = frozenset(
    ("class", "struct", "enum", "interface", "trait", "type", "module", "object", "protocol", "record", "union")
)


class Tree:
    """All texts of a tree by path."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.texts: dict[str, str] = {}
        for path, data in files.items():
            try:
                self.texts[path] = text_of(path, data).replace("\r\n", "\n")
            except Left:
                continue
        self.languages = {path: language_of(path, text) for path, text in self.texts.items()}
        self._outlines: dict[str, Outline] = {}

    @cached_property
    def code(self) -> dict[str, str]:
        """Languages of the files that have definitions, by path."""
        return {path: language for path, language in self.languages.items() if language and grammar_of(language)}

    @cached_property
    def said(self) -> str:
        """All words of all files, in lower case, one space between them; files are kept apart."""
        return "\n".join(f" {' '.join(words(text.lower()))} " for text in self.texts.values())

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def outline(self, path: str) -> Outline:
        """The definitions and calls of a file; empty for one that has none."""
        if path not in self._outlines:
            known = path in self.code
            self._outlines[path] = outline(self.texts[path], self.code[path]) if known else Outline()
        return self._outlines[path]

    @cached_property
    def once(self) -> dict[str, tuple[Symbol, Span]]:
        """Functions and types by name, where only one definition outside of tests, docs and the like has that name."""
        found: defaultdict[str, list[tuple[Symbol, Span]]] = defaultdict(list)
        for path in self.code:
            if not tags_of(path):
                for symbol in self.outline(path).symbols:
                    found[symbol.name].append((symbol, head(Span(path, symbol.start_line, symbol.end_line))))
        wanted = FUNCTIONS | TYPES
        return {name: same[0] for name, same in found.items() if len(same) == 1 and same[0][0].kind in wanted}

    def functions(self, path: str) -> Iterator[tuple[Symbol, Span]]:
        """The functions of a file, whole."""
        for symbol in self.outline(path).symbols:
            if symbol.kind in FUNCTIONS:
                yield symbol, Span(path, symbol.start_line, symbol.end_line)

    def innermost(self, wanted: Span) -> Span | None:
        """The smallest function that holds all these lines."""
        around = [
            span for _, span in self.functions(wanted.path) if span.first <= wanted.first and wanted.last <= span.last
        ]
        return min(around, key=lambda span: span.size, default=None)


def telling(name: str) -> bool:
    """Whether a name is unlikely to be that of something elsewhere too (`get`, `json`): two words, or a long one."""
    return len(parts(name)) >= 2 or len(name) >= 8
