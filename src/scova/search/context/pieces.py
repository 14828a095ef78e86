"""What helps to understand a definition: itself, what it calls, the types it speaks of, who calls it, prose that mentions it.

Responsible for which pieces there are, in which order of worth, and for their two sizes. It refuses to know the budget.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from scova.answers import Definition, Part, Site
from scova.search.asked.literal import literal_terms
from scova.search.demand import rows_with, texts
from scova.search.pack import estimate_tokens
from scova.search.structure.code import CLASSES, Code, Key, code_of, key_of
from scova.search.structure.edges import Edge, Edges
from scova.search.view import View
from scova.types import Chunk, ChunkType, Filters, Symbol

DEFINITION, CALLEE, TYPE, CALLER, DOCUMENTATION = "definition", "callee", "type", "caller", "documentation"
MOST_OF_A_ROLE = 12  # beyond, a reader would rather ask for callers or usages
MOST_GUESSES = 3  # callers, or callees, of which it is not known that they are meant
_HISTORY = re.compile(r"(?i)(?:^|/)(?:changes|changelog|history|news|releases?)\b")  # says what was, not what is
_AROUND = 2  # lines shown above and below a call


class Piece(NamedTuple):
    """Something that explains, whole or in short; `short` is None where a part of it would tell nothing."""

    whole: Part
    short: Part | None = None


def pieces_of(view: View, subject: Definition, others: Iterable[Definition] = ()) -> list[Piece]:
    """The subject, then everything around it: the roles by turns, the surest of each first; no definition twice."""
    code = code_of(view.chunk_set)
    seen = {key_of(subject)}
    edges = Edges(code)
    roles = [
        _definitions(code, others, seen),
        _callees(code, _likely(edges.callees(subject, whole=True)), seen),
        _types(code, subject, seen),
        _callers(code, _likely(edges.callers(subject)), seen),
        _prose(view, subject),
    ]
    first = Piece(
        _whole(code, subject, DEFINITION, "what was asked for"),
        _signature(subject, DEFINITION, "too large to show whole"),
    )
    return [first, *_by_turns([list(islice(role, MOST_OF_A_ROLE)) for role in roles])]


def priced(part: Part) -> Part:
    """The part with what it costs: where it stands, and what it says."""
    shown = f"{part.path}:{part.start_line}-{part.end_line} {part.name}\n{part.text}\n"
    return part._replace(tokens=estimate_tokens(shown))


def _likely(edges: Iterable[Edge]) -> list[Edge]:
    """All edges that are known, and few that are guesses."""
    found = list(edges)
    sure = [edge for edge in found if edge.is_sure]
    return [*sure, *[edge for edge in found if not edge.is_sure][:MOST_GUESSES]]


def _by_turns(roles: list[list[Piece]]) -> list[Piece]:
    longest = max(map(len, roles), default=0)
    return [role[turn] for turn in range(longest) for role in roles if turn < len(role)]


def _definitions(code: Code, others: Iterable[Definition], seen: set[Key]) -> Iterator[Piece]:
    for one in others:
        if key_of(one) not in seen:
            seen.add(key_of(one))
            why = "also has this name"
            yield Piece(_whole(code, one, DEFINITION, why), _signature(one, DEFINITION, why))


def _callees(code: Code, edges: Iterable[Edge], seen: set[Key]) -> Iterator[Piece]:
    for edge in edges:
        if edge.definition is not None and edge.key not in seen:
            seen.add(edge.key)
            why = f"called on line {edge.sites[0].line}: {edge.sites[0].certainty}, {edge.sites[0].reason}"
            yield Piece(_whole(code, edge.definition, CALLEE, why), _signature(edge.definition, CALLEE, why))


def _callers(code: Code, edges: Iterable[Edge], seen: set[Key]) -> Iterator[Piece]:
    for edge in edges:
        site = edge.sites[0]
        why = f"calls it on line {site.line}: {site.certainty}, {site.reason}"
        short = _around(code, edge, site, why)
        if edge.definition is None:
            yield Piece(short)
        elif edge.key not in seen:
            seen.add(edge.key)
            yield Piece(_whole(code, edge.definition, CALLER, why), short)


def _around(code: Code, edge: Edge, site: Site, why: str) -> Part:
    """The lines around a call, not beyond what it stands in."""
    symbol = edge.definition.symbol if edge.definition else None
    first = max(site.line - _AROUND, symbol.start_line if symbol else 1)
    text = code.text(site.path, first, min(site.line + _AROUND, symbol.end_line if symbol else site.line + _AROUND))
    return priced(Part(CALLER, site.path, first, _last(first, text), edge.name, text, 0, why, symbol is None))


def _types(code: Code, subject: Definition, seen: set[Key]) -> Iterator[Piece]:
    """The class it belongs to, its base types, and types its signature and body name, where only one can be meant."""
    file = code.file(subject.path)
    symbol = subject.symbol
    named = [(symbol.parent, "it belongs to this"), *((base, "it is one of these") for base in symbol.bases)]
    for binding in file.bindings if file else ():
        if binding.scope == symbol.qualified and binding.how in ("annotation", "constructor"):
            named.append((binding.target, f"the type of `{binding.name}`"))
        elif binding.how == "returns" and _joined(binding.scope, binding.name) == symbol.qualified:
            named.append((binding.target, "what it returns"))
    for name, why in named:
        meant = _class_of(code, subject, name)
        if meant and key_of(meant) not in seen:
            seen.add(key_of(meant))
            yield Piece(_whole(code, meant, TYPE, why), _signature(meant, TYPE, why))


def _class_of(code: Code, subject: Definition, written: str) -> Definition | None:
    last = re.split(r"\.|::|\\", written)[-1]
    found = [one for one in code.named(last) if one.symbol.kind in CLASSES and one.symbol.name == last] if last else []
    here = [one for one in found if one.path == subject.path]
    chosen = here or found
    return chosen[0] if len(chosen) == 1 else None


def _prose(view: View, subject: Definition) -> Iterator[Piece]:
    """Sections of documentation that mention its name as a word; the qualified name first."""
    symbol = subject.symbol
    rows = rows_with(
        view, literal_terms(symbol.name), view.chunk_set.select(Filters(chunk_types=(ChunkType.DOCUMENTATION,)))
    )
    word = _mention(symbol.name)
    found = [chunk for chunk in texts(view, sorted(rows)) if word.search(chunk.text)]
    for chunk in sorted(found, key=lambda chunk: _worth_of_prose(chunk, symbol)):
        span = chunk.start_line, chunk.end_line
        yield Piece(
            priced(Part(DOCUMENTATION, chunk.file_path, *span, chunk.symbol, chunk.text, 0, "mentions it", True))
        )


def _mention(name: str) -> "re.Pattern[str]":
    """A name in prose. One that is a plain word must look like code: `get` alone says nothing of a method."""
    written = re.escape(name)
    if name.isalpha() and name.islower():
        return re.compile(rf"(?<=[`.:#~]){written}(?!\w)|(?<!\w){written}(?=[`(])")
    return re.compile(rf"(?<!\w){written}(?!\w)")


def _worth_of_prose(chunk: Chunk, symbol: Symbol) -> tuple[bool, bool, bool, str, int]:
    in_heading, in_full = symbol.name in chunk.symbol, symbol.qualified in chunk.text
    is_history = _HISTORY.search(chunk.file_path) is not None
    return not in_heading, is_history, not in_full, chunk.file_path, chunk.start_line


def _whole(code: Code, definition: Definition, role: str, why: str) -> Part:
    symbol = definition.symbol
    text = code.text(definition.path, symbol.start_line, symbol.end_line)
    span = symbol.start_line, symbol.end_line
    return priced(Part(role, definition.path, *span, symbol.qualified, text, 0, why, True))


def _signature(definition: Definition, role: str, why: str) -> Part | None:
    symbol = definition.symbol
    if not symbol.signature:
        return None
    span = symbol.start_line, symbol.start_line
    return priced(Part(role, definition.path, *span, symbol.qualified, symbol.signature, 0, why, False))


def _joined(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name


def _last(first: int, text: str) -> int:
    return first + max(text.count("\n") - text.endswith("\n"), 0)
