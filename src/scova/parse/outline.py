"""What can be learned of one text: its definitions, its calls with their callers, its imports, what its names stand for.

Works for every language that has a grammar and a query in queries/; any other text gives an empty Outline. It knows how
records nest and how names are qualified, and nothing of any one language.
"""

from bisect import bisect_left
from collections.abc import Iterator

from scova.parse.binding import bindings
from scova.parse.grammar import Grammar, grammar_of, is_noise
from scova.parse.nesting import FUNCTION_LIKE, Placed, around, nest
from scova.parse.reading.captures import Captures
from scova.parse.reading.clauses import without_clauses
from scova.parse.reading.comment import clean, comment_above
from scova.parse.reading.mask import masked, without_exports, without_switches, worth_masking
from scova.parse.reading.records import CLASS_LIKE, SCOPE, Definition, Named, Slices, Span
from scova.parse.reading.signature import signature
from scova.types import Call, Outline, Symbol

_new = tuple.__new__  # a named tuple's own constructor takes three times as long
_CALLABLE = FUNCTION_LIKE | {"prototype"}
_LARGEST_SECOND_TRY = 1 << 20  # bytes
_FARTHEST_DECORATOR = 2000  # bytes of comments between a decorator and what it decorates


def outline(text: str, language: str) -> Outline:
    """The outline of a text. Never raises for any text; a broken or very slow one gives what could be read of it."""
    grammar = grammar_of(language)
    if grammar is None:
        return Outline()
    slices = Slices(text, language)
    if is_noise(slices.data):
        return Outline(has_errors=True)
    captures = _captures(grammar, slices, language)
    _join_loose(captures, slices.data)
    nested = nest(without_clauses(captures.definitions))
    return Outline(
        symbols=_symbols(nested, slices, language),
        calls=_calls(captures.calls, nested),
        imports=tuple(captures.imports),
        bindings=bindings(captures.bindings, nested, language),
        package=captures.package,
        has_errors=captures.has_errors,
    )


def _captures(grammar: Grammar, slices: Slices, language: str) -> Captures:
    """What the query finds; where the parser stumbled, also with macros hidden from it, and the better of the two."""
    text = without_exports(slices.data, language)
    found = Captures(grammar.read(text), slices)
    if language == "haskell" and (joined := without_switches(slices.data)) is not None:
        second = Captures(grammar.read(joined), slices)
        found = second if second.unread <= found.unread else found
    if not found.has_errors or len(slices.data) > _LARGEST_SECOND_TRY:
        return found
    data = masked(text, language) if found.unread > len(slices.data) * worth_masking(language) else None
    if data is None:
        return found
    second = Captures(grammar.read(data), slices)
    return second if _is_better(second, found) else found


def _is_better(second: Captures, first: Captures) -> bool:
    """Whether hiding macros paid: more was read, and not at the price of what stood under the hidden conditions."""
    whole, before = _whole(second), _whole(first)
    return whole > before or (whole > 0.8 * before and second.unread < first.unread / 2)


def _whole(captures: Captures) -> int:
    """How many definitions have a body; what a stumbling parser makes up has none."""
    return sum(definition.body >= 0 for definition in captures.definitions)


def _calls(calls: list[Named], nested: list[Placed]) -> tuple[Call, ...]:
    """Each call with the innermost function it stands in; outside functions, the class or module."""
    places = around(calls, nested)
    return tuple(
        [
            _new(Call, (name, row + 1, place.owner if place else "", receiver))
            for (_, row, name, receiver), place in zip(calls, places, strict=True)
        ]
    )


def _symbols(nested: list[Placed], slices: Slices, language: str) -> tuple[Symbol, ...]:
    symbols: list[Symbol] = []
    inherited: dict[str, list[str]] = {}  # by qualified name: what scopes say a type implements
    documented_row = -1
    for one in nested:
        definition = one.definition
        if one.kind == SCOPE:
            inherited.setdefault(one.qualified, []).extend(definition.bases.values())
            continue
        # Of several definitions on one line, the comment above belongs to the first.
        doc = _doc(definition, slices, language) if definition.doc or definition.row != documented_row else ""
        documented_row = definition.row
        symbols.append(
            Symbol(
                name=definition.name,
                qualified=one.qualified,
                kind=one.kind,
                start_line=definition.row + 1,
                end_line=definition.end_row + 1,
                parent=one.parent,
                signature=signature(definition, slices, language, whole_brackets=definition.kind in _CALLABLE),
                bases=tuple([base for _, base in sorted(definition.bases.items())]) if definition.bases else (),
                decorators=tuple([span.text for span in definition.decorators]) if definition.decorators else (),
                doc=doc,
            )
        )
    return tuple(_with_bases(symbols, inherited) if any(inherited.values()) else symbols)


def _with_bases(symbols: list[Symbol], inherited: dict[str, list[str]]) -> Iterator[Symbol]:
    for symbol in symbols:
        more = inherited.get(symbol.qualified, ()) if symbol.kind in CLASS_LIKE else ()
        yield symbol._replace(bases=tuple(dict.fromkeys((*symbol.bases, *more)))) if more else symbol


def _doc(definition: Definition, slices: Slices, language: str) -> str:
    if definition.doc:
        return clean(definition.doc)
    start = min([definition.start, *[span.start for span in definition.decorators]])
    return comment_above(slices.data, start, language)


def _join_loose(captures: Captures, data: bytes) -> None:
    """Give decorators and docs that stand alone in the text to their definition: below them, or around them."""
    loose = sorted([*captures.decorators, *captures.docs], key=lambda span: span.start)
    if not loose:
        return
    docs = set(captures.docs)
    starts = [span.start for span in loose]
    for definition in captures.definitions:
        first = bisect_left(starts, definition.start)
        for span in loose[
            _first_above(loose, first, definition.start, data=data) : bisect_left(starts, definition.named)
        ]:
            if span in docs:
                definition.doc = definition.doc or span.text
            elif span not in definition.decorators:
                definition.decorators.append(span)


def _first_above(loose: list[Span], first: int, start: int, *, data: bytes) -> int:
    """Index of the topmost span of those that stand directly above `start`, with nothing but comments between."""
    while first and start >= (above := loose[first - 1]).end:
        if start - above.end > _FARTHEST_DECORATOR or not _only_comments(data[above.end : start]):
            break
        start = above.start
        first -= 1
    return first


def _only_comments(between: bytes) -> bool:
    return all(
        line.lstrip().startswith((b"//", b"/*", b"*", b"#", b"--")) for line in between.splitlines() if line.strip()
    )


__all__ = ["CLASS_LIKE", "FUNCTION_LIKE", "Span", "outline"]
