"""The exact answers, with their places as they are now.

A match of a pattern is read from the files themselves, so there is nothing to check.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from scova.answers import (
    CallTree,
    Context,
    Definition,
    Definitions,
    FileOutline,
    Node,
    Outlines,
    Part,
    Site,
    Usage,
    Usages,
)
from scova.record import replace
from scova.search.verify.verifier import Verifier

Answered = TypeVar("Answered")


def verified_exact(answer: Answered, verifier: Verifier) -> Answered:
    """The answer without what is gone, and with what moved where it is now."""
    if isinstance(answer, Definitions):
        definitions = tuple(_definitions(answer.definitions, verifier))
        gone = len(answer.definitions) - len(definitions)
        return replace(answer, definitions=definitions, total=answer.total - gone)
    if isinstance(answer, Outlines):
        files = tuple(_files(answer.files, verifier))
        return replace(answer, files=files, total=answer.total - len(answer.files) + len(files))
    if isinstance(answer, CallTree):
        roots = tuple(_nodes(answer.roots, verifier, are_roots=True))
        return replace(answer, roots=roots, total=_size(roots) - len(roots))
    if isinstance(answer, Usages):
        usages = tuple(_usages(answer.usages, verifier))
        gone_by_how = Counter(one.how for one in answer.usages) - Counter(one.how for one in usages)
        counts = {how: count - gone_by_how[how] for how, count in answer.counts.items()}
        return replace(answer, usages=usages, counts=counts)
    if isinstance(answer, Context):
        parts = tuple(_parts(answer.parts, verifier))
        return replace(answer, parts=parts, tokens=sum(part.tokens for part in parts))
    return answer


def _definitions(definitions: Iterable[Definition], verifier: Verifier) -> Iterable[Definition]:
    for definition in definitions:
        symbol = definition.symbol
        span = verifier.span(definition.path, symbol.start_line, symbol.end_line)
        if span == (symbol.start_line, symbol.end_line):
            yield definition
        elif span:
            yield definition._replace(symbol=symbol._replace(start_line=span[0], end_line=span[1]))


def _files(files: Iterable[FileOutline], verifier: Verifier) -> Iterable[FileOutline]:
    for file in files:
        definitions = tuple(_definitions(file.definitions, verifier))
        if definitions or not file.definitions:
            yield replace(file, definitions=definitions)


def _nodes(nodes: Iterable[Node], verifier: Verifier, *, are_roots: bool = False) -> Iterable[Node]:
    """A node whose call is gone goes with everything behind it; one whose definition is gone, too."""
    for node in nodes:
        sites = tuple(_sites(node.sites, verifier))
        found = tuple(_definitions([node.definition], verifier)) if node.definition else (None,)
        if found and (sites or are_roots):
            yield replace(node, definition=found[0], sites=sites, nodes=tuple(_nodes(node.nodes, verifier)))


def _size(nodes: Iterable[Node]) -> int:
    return sum(1 + _size(node.nodes) for node in nodes)


def _sites(sites: Iterable[Site], verifier: Verifier) -> Iterable[Site]:
    for site in sites:
        span = verifier.span(site.path, site.line, site.line)
        if span:
            yield site if span[0] == site.line else site._replace(line=span[0])


def _usages(usages: Iterable[Usage], verifier: Verifier) -> Iterable[Usage]:
    for usage in usages:
        span = verifier.span(usage.path, usage.line, usage.line)
        if span:
            yield usage if span[0] == usage.line else usage._replace(line=span[0])


def _parts(parts: Iterable[Part], verifier: Verifier) -> Iterable[Part]:
    for part in parts:
        span = verifier.span(part.path, part.start_line, part.end_line)
        if span:
            yield part._replace(start_line=span[0], end_line=span[1])
