"""Spans of lines, when one answers for another, and a question whose answers are spans."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

LONGEST = 60  # lines of a definition that are asked for, from its first


class Kind(StrEnum):
    """Where questions come from."""

    HISTORY = "history"  # the subject of a later commit; what it changed
    DOCS = "docs"  # the first sentence of a doc comment, which is taken out; its function
    GUIDES = "guides"  # a sentence of a guide that names one symbol, without the name; the symbol's definition
    TESTS = "tests"  # the name of a test; what it calls
    NOTHING = "nothing"  # no answer here


class Span(NamedTuple):
    """Lines of a file, from 1, the last one included."""

    path: str
    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def shared(self, other: "Span") -> int:
        """How many lines are in both."""
        if self.path != other.path:
            return 0
        return max(0, min(self.last, other.last) - max(self.first, other.first) + 1)

    def answers(self, wanted: "Span") -> bool:
        """Whether these lines are the wanted ones: at least half of the shorter of the two is in both."""
        return 2 * self.shared(wanted) >= min(self.size, wanted.size)


class Question(NamedTuple):
    """What is asked, and where the answers stand in the tree that is indexed."""

    kind: Kind
    text: str
    spans: tuple[Span, ...]
    origin: str  # a commit, PATH:LINE, or which kind of nothing
    source: Span | None = None  # where the question's own words stand in the tree: no result there is judged

    @property
    def ignored(self) -> frozenset[str]:
        """The file of the source, which no ranking of files is judged by."""
        return frozenset((self.source.path,)) if self.source else frozenset()


def head(span: Span) -> Span:
    """The beginning of a definition, which is what is asked for."""
    return span._replace(last=min(span.last, span.first + LONGEST - 1))


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """These spans in order, those that overlap made one."""
    made: list[Span] = []
    for span in sorted(spans):
        if made and made[-1].shared(span):
            made[-1] = made[-1]._replace(last=max(made[-1].last, span.last))
        else:
            made.append(span)
    return tuple(made)


def moved(span: Span, gone: Sequence[int]) -> Span | None:
    """The span in a text without the lines in `gone` (from 1, in order); None when nothing of it is left."""
    first = span.first - sum(line < span.first for line in gone)
    last = span.last - sum(line <= span.last for line in gone)
    return Span(span.path, first, last) if first <= last else None
