"""Where a name stands for something: what was found of names, put into the definitions they hold in.

Knows how members of a type are written in each language; not how any of it was found.
"""

from scova.parse.nesting import Placed, around
from scova.parse.reading.records import CLASS_LIKE, Bound
from scova.types import Binding

_OWN = frozenset({"Self", "self", "static", "this"})  # the type they stand in
# How a member is written inside its type; where a bare name will do, that too.
_BARE = ("this.", "")
_MEMBERS: dict[str, tuple[str, ...]] = {
    "cpp": ("this->", ""),
    "cuda": ("this->", ""),
    "arduino": ("this->", ""),
    "go": ("self.",),
    "javascript": ("this.",),
    "php": ("$this->",),
    "python": ("self.",),
    "rust": ("self.",),
    "starlark": ("self.",),
    "swift": ("self.", ""),
    "tsx": ("this.",),
    "typescript": ("this.",),
    "zig": ("self.",),
}


def bindings(found: list[Bound], nested: list[Placed], language: str) -> tuple[Binding, ...]:
    """Each binding once; what was found is in the order of the text."""
    if not found:
        return ()
    named = {placed.definition.named: placed for placed in nested}
    members = _MEMBERS.get(language, _BARE)
    kept: dict[tuple[str, str, str, str, str], Binding] = {}
    for one, place in zip(found, around(found, nested), strict=True):
        if one.how == "import":
            made = [Binding(one.name, one.target, "import", place.owner if place else "", one.row + 1, one.member)]
        else:
            made = _of(one, place, named.get(one.start), members=members)
        for binding in made:
            kept.setdefault((binding.name, binding.target, binding.how, binding.scope, binding.member), binding)
    return tuple(kept.values())


def _of(one: Bound, place: Placed | None, itself: Placed | None, *, members: tuple[str, ...]) -> list[Binding]:
    """What a value's name is bound to; several where a member can be written in several ways."""
    own_type = place.type if place else ""
    target = own_type if one.target.rpartition(".")[2] in _OWN else one.target
    if not target or (itself and itself.kind in CLASS_LIKE):
        return []
    line = one.row + 1
    if one.place == "returns":
        return [Binding(one.name, target, "returns", itself.parent, line)] if itself else []
    made = []
    if one.place == "field" and own_type:
        name = one.name.lstrip("$")
        made = [Binding(f"{prefix}{name}", target, one.how, own_type, line) for prefix in members]
        if place is None or place.kind != "constructor":
            return made
    made.append(Binding(one.name, target, one.how, _scope(one, place, itself), line))
    return made


def _scope(one: Bound, place: Placed | None, itself: Placed | None) -> str:
    """Where a name holds that is no field of a type: a member in its type, the name of a definition around that."""
    if one.place == "member" and place and place.type:
        return place.type
    if itself:
        return itself.parent
    return place.owner if place else ""
