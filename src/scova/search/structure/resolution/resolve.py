"""The definition a call means, or, where the syntax does not say, those it could mean.

Resolved only when the meaning is said: by a scope, an import, an annotation, a constructor, the class around, or by being the
only one in a language that shares names. Everything else is a candidate, with the reason. Knows nothing of trees.
"""

from scova.answers import Certainty, Definition
from scova.search.structure.code import CLASSES, FUNCTIONS, Code, SourceFile, key_of
from scova.search.structure.resolution.meaning import Meanings
from scova.search.structure.resolution.things import UNKNOWN, Place, Remembered, Resolution, Thing
from scova.types import Call

_REMEMBERED = 1 << 16
_CONSTRUCTING = frozenset(
    ("super", "base", "this")
)  # called by these names: a constructor of the class, or of its base


ONLY = "the only definition of this name"


class Resolver:
    """Resolves the calls of one moment's code. What they meant is remembered with the code, for all resolvers of it."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self._known = Remembered.of(code)
        self.meanings = Meanings(code, self._known)

    def resolve(self, file: SourceFile, call: Call) -> Resolution:
        """What a call in a file means."""
        key = (file.path, call.caller, call.receiver, call.name)
        known = self._known.calls
        found = known.get(key)
        if found is None:
            with self._known.lock:
                found = self._resolve(file, call)
            if len(known) >= _REMEMBERED:
                known.clear()
            known[key] = found
        return found

    def constructor(self, owner: Definition) -> Definition | None:
        """The member that runs when an instance of a class is made, where it is written or inherited in the index."""
        with self._known.lock:
            return self._constructor(owner)

    def _constructor(self, owner: Definition) -> Definition | None:
        file = self.code.file(owner.path)
        if file is None:
            return None
        own = [one for one in file.symbols if one.parent == owner.symbol.qualified and one.kind == "constructor"]
        if own:
            return file.find(own[0].qualified)
        for name in sorted(file.rules.constructors):
            if found := self.meanings.member(owner, name).definition:
                return found
        return None

    def is_override(self, definition: Definition, of: Definition) -> bool:
        """Whether a member redefines one that its class inherits."""
        if definition.symbol.name != of.symbol.name or not definition.symbol.parent or not of.symbol.parent:
            return False
        with self._known.lock:
            heir, ancestor = self._owner(definition), self._owner(of)
            return heir is not None and ancestor is not None and self.meanings.is_heir(heir, ancestor)

    def _owner(self, definition: Definition) -> Definition | None:
        file = self.code.file(definition.path)
        return self.meanings.owner(Place(file, definition.symbol.qualified)) if file else None

    def _resolve(self, file: SourceFile, call: Call) -> Resolution:
        place = Place(file, call.caller)
        thing = self._meant(place, call)
        if thing.kind in ("class", "function") and thing.definition:
            return self._sure(self.code.bodied(thing.definition))._replace(reason=thing.reason)
        if thing.kind in ("outside", "builtin"):
            return Resolution((), Certainty.CANDIDATE, thing.reason, thing.kind == "builtin")
        if thing.kind in ("value", "instance") and not call.receiver:
            return Resolution((), Certainty.CANDIDATE, f"{call.name} is a variable")
        return self._candidates(file, call, thing.reason)

    def _sure(self, meant: Definition) -> Resolution:
        found = self._known.meant_by.get(key_of(meant))
        if found is None or found.definitions != (meant,):
            found = Resolution((meant,), Certainty.RESOLVED, "", keys=frozenset((key_of(meant),)))
            self._known.meant_by[key_of(meant)] = found
        return found

    def _meant(self, place: Place, call: Call) -> Thing:
        if call.receiver:
            left = self.meanings.of(place, call.receiver)
            return left if left.kind in ("outside", "builtin", "unknown") else self.meanings.attribute(left, call.name)
        if call.name in place.file.rules.this and self._is_class_here(place, call.name):
            owner = self.meanings.owner(place)
            return Thing("class", owner, f"{call.name} in class {owner.symbol.name}") if owner else UNKNOWN
        if call.name in _CONSTRUCTING and (call.name == "this" or call.name in place.file.rules.above):
            return self._constructed(place, call.name)
        return self.meanings.name(place, call.name)

    def _is_class_here(self, place: Place, name: str) -> bool:
        """Whether a word for the object itself stands for its class: `cls` of a class method, `new static()`."""
        around = place.file.find(place.scope)
        return name in ("static", "Self") or (
            name == "cls" and around is not None and "(cls" in around.symbol.signature
        )

    def _constructed(self, place: Place, name: str) -> Thing:
        owner = self.meanings.owner(place)
        classes = [owner] if name == "this" and owner else self.meanings.bases_of(owner).classes if owner else ()
        made = self.constructor(classes[0]) or classes[0] if classes else None
        return Thing("function", made, f"{name} in class {owner.symbol.name}") if made and owner else UNKNOWN

    def _candidates(self, file: SourceFile, call: Call, why: str) -> Resolution:
        """Everything that could be meant by its name: members when there is a receiver, others when there is none."""
        key = (file.rules.family, call.name, bool(call.receiver))
        could = self._known.could.get(key)
        if could is None:
            could = self._known.could[key] = self._all_that_fit(file, call)
        if not could.definitions:
            return could
        unsaid = why or ("the receiver's type is not known" if call.receiver else "it is not imported here")
        return could._replace(reason=f"{could.reason}; {unsaid}")

    def _all_that_fit(self, file: SourceFile, call: Call) -> Resolution:
        named = [one for one in self.code.named(call.name) if one.symbol.name == call.name]
        could = [one for one in named if self.code.family(one) == file.rules.family and self._fits(one, call)]
        found = {key_of(one): one for one in map(self.code.bodied, could)}
        if not found:
            unfit = f"no function or class {call.name} in the index fits this call"
            why = unfit if named else f"{call.name} is not defined in the index"
            return Resolution((), Certainty.CANDIDATE, why)
        count = _count(len(found), of=len({key_of(self.code.bodied(one)) for one in named}))
        return Resolution(tuple(found.values()), Certainty.CANDIDATE, count, keys=frozenset(found))

    def _fits(self, one: Definition, call: Call) -> bool:
        kind, parent = one.symbol.kind, one.symbol.parent
        if kind not in CLASSES and kind not in FUNCTIONS:
            return False
        if kind in ("method", "constructor", "property"):
            return bool(call.receiver) and bool(parent)
        if not parent:
            return not call.receiver
        file = self.code.file(one.path)
        around = file.find(parent) if file else None
        inside_function = around is not None and around.symbol.kind in FUNCTIONS
        if inside_function:
            return False
        is_member = kind in FUNCTIONS and (around is None or around.symbol.kind not in ("namespace", "module"))
        return bool(call.receiver) if is_member else True


def _count(fitting: int, *, of: int) -> str:
    """How many definitions a call could mean, of all that have its name: a variable or a member may have it too, and does not fit."""
    if fitting == of:
        return ONLY if of == 1 else f"{of} definitions have this name"
    return (
        f"{ONLY} that fits this call" if fitting == 1 else f"{fitting} of {of} definitions of this name fit this call"
    )
