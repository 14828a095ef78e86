"""What can be learned of one text: its definitions with their parents, its calls with their callers, its imports.

Works for every language that has a grammar and a query in queries/; any other text gives an empty Outline. It knows how
records nest and how names are qualified, and nothing of any one language.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from scova.parse.grammar import Grammar, grammar_of, is_noise
from scova.parse.reading.captures import Captures
from scova.parse.reading.clauses import without_clauses
from scova.parse.reading.comment import clean, comment_above
from scova.parse.reading.mask import masked, worth_masking
from scova.parse.reading.records import SCOPE, Definition, Named, Slices, Span
from scova.parse.reading.signature import signature
from scova.types import Call, Outline, Symbol

FUNCTION_LIKE = frozenset({"function", "method", "constructor", "macro", "property"})
CLASS_LIKE = frozenset(
    [
        "class",
        "struct",
        "enum",
        "interface",
        "trait",
        "protocol",
        "object",
        "implementation",
        "union",
        "type",
    ]  # what makes a function a method
)
_LOCAL = frozenset({"variable", "constant"})  # left out inside functions
_CALLABLE = FUNCTION_LIKE | {"prototype"}
_MEMBERS = frozenset({"property", "field"})
_PATHS = frozenset({SCOPE, "namespace", "module"})  # their names may be written as a path, or with type parameters
_LARGEST_SECOND_TRY = 1 << 20  # bytes
_FARTHEST_DECORATOR = 2000  # bytes of comments between a decorator and what it decorates
_GENERICS = re.compile(r"<.*>|\[.*\]", re.DOTALL)


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
    nested = _nest(without_clauses(captures.definitions))
    return Outline(
        symbols=_symbols(nested, slices, language),
        calls=tuple(_calls(captures.calls, nested)),
        imports=tuple(captures.imports),
        package=captures.package,
        has_errors=captures.has_errors,
    )


def _captures(grammar: Grammar, slices: Slices, language: str) -> Captures:
    """What the query finds; where the parser stumbled, also with macros hidden from it, and the better of the two."""
    found = Captures(grammar.read(slices.data), slices)
    if not found.has_errors or len(slices.data) > _LARGEST_SECOND_TRY:
        return found
    data = masked(slices.data, language) if found.unread > len(slices.data) * worth_masking(language) else None
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


class _Placed:
    """A definition in its place: what encloses it, what it is called in full, and whom its calls belong to."""

    __slots__ = ("definition", "kind", "owner", "parent", "qualified")

    qualified: str
    parent: str
    owner: str
    kind: str

    def __init__(self, definition: Definition, enclosing: "_Placed | None") -> None:
        self.definition = definition
        around = _members_of(enclosing, definition) if enclosing else ""
        self.parent = _joined(around, _plain(definition.parent)) if definition.parent else around
        name = _plain(definition.name) if definition.kind in _PATHS else definition.name
        self.qualified = _joined(self.parent, name)
        self.kind = definition.kind
        if self.kind == "function" and enclosing and (enclosing.kind in CLASS_LIKE or enclosing.kind == SCOPE):
            self.kind = "method"
        if self.kind in FUNCTION_LIKE or self.kind in CLASS_LIKE or self.kind in (SCOPE, "module"):
            self.owner = self.qualified
        else:
            self.owner = enclosing.owner if enclosing else ""


def _members_of(enclosing: _Placed, definition: Definition) -> str:
    """Whose member a definition is: what encloses it, but a constructor's parameter that declares a property, its class's."""
    constructor = enclosing.definition
    if enclosing.kind == "constructor" and definition.kind in _MEMBERS:
        return enclosing.qualified if 0 <= constructor.body <= definition.start else enclosing.parent
    return enclosing.qualified


def _nest(definitions: list[Definition]) -> list[_Placed]:
    """Definitions in the order of the text, each with what encloses it; locals are left out."""
    placed: list[_Placed] = []
    stack: list[_Placed] = []
    for definition in definitions:
        _pop_ended(stack, definition.start)
        # One node with two names (`var a, b = 1, 2`): siblings, and what stands inside belongs to the first.
        twin = bool(stack) and _same_range(stack[-1].definition, definition)
        around = stack[:-1] if twin else stack
        enclosing = around[-1] if around else None
        if enclosing and _is_part(definition, enclosing):
            continue
        placed.append(_Placed(definition, enclosing))
        if not twin:
            stack.append(placed[-1])
    return placed


def _is_part(definition: Definition, enclosing: _Placed) -> bool:
    """Whether it is no definition of its own: a local, or the second mention in `f = function f() {}`."""
    if definition.kind in _LOCAL:
        return enclosing.kind in FUNCTION_LIKE
    return 0 <= definition.body == enclosing.definition.body and definition.name == enclosing.definition.name


def _same_range(one: Definition, other: Definition) -> bool:
    return one.start == other.start and one.end == other.end


def _calls(calls: list[Named], nested: list[_Placed]) -> Iterator[Call]:
    """Each call with the innermost function it stands in; outside functions, the class or module."""
    stack: list[_Placed] = []
    following = 0
    for call in calls:
        while following < len(nested) and nested[following].definition.start <= call.start:
            _pop_ended(stack, nested[following].definition.start)
            stack.append(nested[following])
            following += 1
        _pop_ended(stack, call.start)
        yield Call(call.name, call.row + 1, stack[-1].owner if stack else "", call.receiver)


def _pop_ended(stack: list[_Placed], position: int) -> None:
    while stack and stack[-1].definition.end <= position:
        stack.pop()


def _symbols(nested: list[_Placed], slices: Slices, language: str) -> tuple[Symbol, ...]:
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
                bases=tuple(base for _, base in sorted(definition.bases.items())),
                decorators=tuple(span.text for span in definition.decorators),
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
    start = min((span.start for span in definition.decorators), default=definition.start)
    return comment_above(slices.data, min(start, definition.start), language)


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


def _joined(parent: str, name: str) -> str:
    return f"{parent}.{name}" if parent else name


def _plain(name: str) -> str:
    """A type's name without type parameters, dot-joined: `ns::List<T>` is `ns.List`."""
    return _GENERICS.sub("", name).replace("::", ".").strip(" .&*")


__all__ = ["CLASS_LIKE", "FUNCTION_LIKE", "Span", "outline"]
