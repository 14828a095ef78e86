"""Which definition stands in which, what each is called in full, and what stands in it.

Knows records and their offsets; nothing of any one language, and no nodes.
"""

import re
import sys
from collections.abc import Sequence

from scova.parse.reading.records import CLASS_LIKE, SCOPE, Definition, Standing

FUNCTION_LIKE = frozenset({"function", "method", "constructor", "macro", "property"})
_LOCAL = frozenset({"variable", "constant"})  # left out inside functions
_MEMBERS = frozenset({"property", "field"})
_PATHS = frozenset({SCOPE, "namespace", "module"})  # their names may be written as a path, or with type parameters
_TYPES = CLASS_LIKE | {SCOPE, "module"}
_OWNERS = FUNCTION_LIKE | _TYPES
_FAR = sys.maxsize
# Characters of a full name; of a longer one the end, or deep nesting would make the square of its depth.
LONGEST_NAME = 2000
_GENERICS = re.compile(r"<.*>|\[.*\]", re.DOTALL)


class Placed:
    """A definition in its place: what encloses it, what it is called in full, and whom its calls belong to."""

    __slots__ = ("definition", "kind", "owner", "parent", "qualified", "type")

    qualified: str
    parent: str
    owner: str  # of what stands in it: the innermost function; outside functions, the class or module
    type: str  # whose members it has, or is one of
    kind: str

    def __init__(self, definition: Definition, enclosing: "Placed | None") -> None:
        self.definition = definition
        around = _members_of(enclosing, definition) if enclosing else ""
        self.parent = _joined(around, _plain(definition.parent)) if definition.parent else around
        name = _plain(definition.name) if definition.kind in _PATHS else definition.name
        self.qualified = _joined(self.parent, name)
        self.kind = definition.kind
        if self.kind == "function" and enclosing and (enclosing.kind in CLASS_LIKE or enclosing.kind == SCOPE):
            self.kind = "method"
        self.owner = self.qualified if self.kind in _OWNERS else enclosing.owner if enclosing else ""
        if self.kind in _TYPES:
            self.type = self.qualified
        else:
            self.type = self.parent if definition.parent else enclosing.type if enclosing else ""


def nest(definitions: list[Definition]) -> list[Placed]:
    """Definitions in the order of the text, each with what encloses it; locals are left out."""
    placed: list[Placed] = []
    stack: list[Placed] = []
    for definition in definitions:
        _pop_ended(stack, definition.start)
        # One node with two names (`var a, b = 1, 2`): siblings, and what stands inside belongs to the first.
        twin = bool(stack) and _same_range(stack[-1].definition, definition)
        around = stack[:-1] if twin else stack
        enclosing = around[-1] if around else None
        if enclosing and _is_part(definition, enclosing):
            continue
        placed.append(Placed(definition, enclosing))
        if not twin:
            stack.append(placed[-1])
    return placed


def around(found: Sequence[Standing], nested: list[Placed]) -> list[Placed | None]:
    """The innermost definition that each stands in, of what was found in the order of the text."""
    places: list[Placed | None] = []
    stack: list[Placed] = []
    following, until = 0, -1
    place = None
    for one in found:
        start = one[0]
        if start >= until:  # a definition begins or ends before here
            while following < len(nested) and nested[following].definition.start <= start:
                _pop_ended(stack, nested[following].definition.start)
                stack.append(nested[following])
                following += 1
            _pop_ended(stack, start)
            place = stack[-1] if stack else None
            until = place.definition.end if place else _FAR
            if following < len(nested):
                until = min(until, nested[following].definition.start)
        places.append(place)
    return places


def _members_of(enclosing: Placed, definition: Definition) -> str:
    """Whose member a definition is: what encloses it, but a constructor's parameter that declares a property, its class's."""
    constructor = enclosing.definition
    if enclosing.kind == "constructor" and definition.kind in _MEMBERS:
        return enclosing.qualified if 0 <= constructor.body <= definition.start else enclosing.parent
    return enclosing.qualified


def _is_part(definition: Definition, enclosing: Placed) -> bool:
    """Whether it is no definition of its own: a local, or the second mention in `f = function f() {}`."""
    if definition.kind in _LOCAL:
        return enclosing.kind in FUNCTION_LIKE
    return 0 <= definition.body == enclosing.definition.body and definition.name == enclosing.definition.name


def _same_range(one: Definition, other: Definition) -> bool:
    return one.start == other.start and one.end == other.end


def _pop_ended(stack: list[Placed], position: int) -> None:
    while stack and stack[-1].definition.end <= position:
        stack.pop()


def _joined(parent: str, name: str) -> str:
    return (f"{parent}.{name}" if parent else name)[-LONGEST_NAME:]


def _plain(name: str) -> str:
    """A type's name without type parameters, dot-joined: `ns::List<T>` is `ns.List`."""
    return _GENERICS.sub("", name).replace("::", ".").strip(" .&*")
