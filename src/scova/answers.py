"""What the exact questions answer: definitions, outlines, call trees, usages, matches, context.

Plain frozen values, like those of types.py, on which they stand. Every answer says how fresh it is, how much there was
in all, and whether something was left out. `cut` says in sentences what is missing because the question had to end, or stood for
too much, and how to have it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from scova.record import record
from scova.types import UNKNOWN_FRESHNESS, Freshness, Symbol


class Certainty(StrEnum):
    """How sure an edge of the call graph is."""

    RESOLVED = "resolved"  # the syntax says which definition is meant
    CANDIDATE = "candidate"  # a guess: one of those it could mean


class Definition(NamedTuple):
    """A symbol and where it stands."""

    path: str
    language: str
    symbol: Symbol
    text: str = ""  # its source, on request


@record
class Definitions:
    """Definitions that were asked for, best first."""

    definitions: tuple[Definition, ...]
    total: int
    truncated: bool
    suggestions: tuple[str, ...] = ()  # nearest names, when nothing was found
    freshness: Freshness = UNKNOWN_FRESHNESS
    cut: tuple[str, ...] = ()


@record
class FileOutline:
    """The definitions of one file, in the order of the text."""

    path: str
    language: str
    lines: int
    definitions: tuple[Definition, ...]


@record
class Outlines:
    """The outline of a file, or of every file under a folder."""

    files: tuple[FileOutline, ...]
    total: int  # files asked about, with definitions or not
    truncated: bool
    caps: Mapping[str, int]  # files, definitions
    freshness: Freshness = UNKNOWN_FRESHNESS
    cut: tuple[str, ...] = ()


class Site(NamedTuple):
    """One place in the text where the edge of a call graph stands."""

    path: str
    line: int
    name: str
    receiver: str
    certainty: Certainty
    reason: str  # one short sentence: why it is resolved, or why it is a guess


@record
class Node:
    """A definition in a call tree with the sites of the edge that leads to it, and what lies behind it."""

    definition: Definition | None  # None: the text outside of any definition, or a name defined nowhere in the index
    path: str  # of the definition, or of the file-level code; empty for a name defined nowhere
    name: str
    sites: tuple[Site, ...] = ()
    nodes: tuple["Node", ...] = ()
    note: str = (
        ""  # cycle: it is its own ancestor; seen: expanded elsewhere in the tree; guess: one of several it could be, so
    )
    # nothing was expanded; cut: a cap left out some of what lies behind it

    @property
    def certainty(self) -> Certainty:
        """That of its surest site."""
        resolved = any(site.certainty is Certainty.RESOLVED for site in self.sites)
        return Certainty.RESOLVED if resolved else Certainty.CANDIDATE


@record
class CallTree:
    """Callers or callees of every definition of a name."""

    direction: str  # callers, callees
    roots: tuple[Node, ...]
    depth: int
    total: int  # nodes shown, roots not counted
    caps: Mapping[str, int]  # per_level, total
    left_out: Mapping[str, int]  # by cap: how many nodes were not shown because of it
    suggestions: tuple[str, ...] = ()
    freshness: Freshness = UNKNOWN_FRESHNESS
    cut: tuple[str, ...] = ()

    @property
    def truncated(self) -> bool:
        """Whether a cap left something out, or the question had to end."""
        return any(self.left_out.values()) or bool(self.cut)


class Usage(NamedTuple):
    """One place where a name is used. `how` is definition, call, import or mention."""

    how: str
    path: str
    line: int
    text: str  # the line
    within: str = ""  # qualified name of the definition it stands in, or heading of the section


@record
class Usages:
    """Every use of a name in the index."""

    name: str
    usages: tuple[Usage, ...]
    counts: Mapping[str, int]  # by `how`, over everything, shown or not
    truncated: bool
    suggestions: tuple[str, ...] = ()
    freshness: Freshness = UNKNOWN_FRESHNESS
    cut: tuple[str, ...] = ()


class Line(NamedTuple):
    """A line of a file: matching, with the spans (in characters) that match, or context, with none. Carriage returns at its end can
    be matched, but are neither in the text nor in the spans."""

    number: int
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    matched: bool = False  # or there for context only; a line that was asked for because it does not match has no spans


@record
class FileMatches:
    """The matching lines of one file, with the context asked for, in order."""

    path: str
    lines: tuple[Line, ...]
    count: int  # matching lines
    matches: int  # a line may hold several; where only lines were asked for, it counts once
    binary: bool = False  # a zero byte put an end to the search: what lies behind it has not been searched


@record
class Matches:
    """Every match of a pattern."""

    pattern: str
    files: tuple[FileMatches, ...]
    count: int  # matching lines in all
    matches: int  # matches in all
    searched: int  # files in scope
    scanned: int  # files whose text had to be read: what the n-gram index could not rule out
    truncated: bool
    freshness: Freshness = UNKNOWN_FRESHNESS
    cut: tuple[str, ...] = ()


class Part(NamedTuple):
    """One piece of a context pack. `role` is definition, caller, callee, type or documentation."""

    role: str
    path: str
    start_line: int
    end_line: int
    name: str
    text: str
    tokens: int
    why: str  # how it relates to what was asked
    whole: bool  # False: only the signature, or the lines around the place, fitted


@record
class Context:
    """The smallest pack that explains a place or a symbol within a budget."""

    subject: str
    parts: tuple[Part, ...]
    tokens: int
    budget: int
    left_out: int  # relevant pieces that did not fit
    suggestions: tuple[str, ...] = ()
    freshness: Freshness = UNKNOWN_FRESHNESS
    cut: tuple[str, ...] = ()
