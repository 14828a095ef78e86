"""What stands behind a dot: members of classes and modules, and what calling something gives.

Whoever inherits says what names mean; it refuses to look at scopes.
"""

from abc import abstractmethod
from collections.abc import Sequence

from scova.answers import Definition
from scova.search.structure.code import CLASSES, FUNCTIONS, SourceFile, key_of
from scova.search.structure.languages import rules_of
from scova.search.structure.resolution import modules, sharing
from scova.search.structure.resolution.classes import Lineage
from scova.search.structure.resolution.things import UNKNOWN, Bases, Thing, thing_of
from scova.types import Binding

_BRING_NOTHING = frozenset(
    ("object", "ABC", "Generic", "Protocol", "Object", "Serializable", "Any")
)  # as bases: no members to call


class Members(Lineage):
    """Members of one moment's classes and modules."""

    @abstractmethod
    def type(self, file: SourceFile, scope: str, written: str) -> Thing:
        """The class a type's name means."""

    @abstractmethod
    def read(self, file: SourceFile, bindings: Sequence[Binding], name: str) -> Thing:
        """What bindings of one name say together."""

    def attribute(self, thing: Thing, name: str) -> Thing:
        """What `thing.name` stands for."""
        if thing.kind == "module" and thing.home:
            return self._inside(thing.home, thing.module, name, reason=thing.reason)
        if thing.definition is None or thing.kind not in ("class", "instance", "above", "value"):
            return UNKNOWN
        if thing.kind == "class" and name in rules_of(thing.definition.language).makers:
            return Thing("class", thing.definition, f"constructs {thing.definition.symbol.name}")
        return self._member(thing.definition, name, thing)

    def _inside(self, home: SourceFile, module: str, name: str, *, reason: str) -> Thing:
        """What a module has under a name."""
        found = modules.find(self.code, home, module, name)
        if found.definitions:
            return thing_of(sharing.only(self.code, found.definitions) or found.definitions[0], reason)
        if found.module:
            return Thing("module", reason=reason, module=found.module, home=found.home)
        return Thing("outside", reason=reason) if found.outside else UNKNOWN

    def _member(self, owner: Definition, name: str, seen_as: Thing) -> Thing:
        member = self.member(owner, name, skip_own=seen_as.kind == "above")
        if member.definition and member.definition.symbol.kind in (CLASSES | FUNCTIONS):
            return thing_of(member.definition, seen_as.reason)
        bindings, home = self.fields(owner, name)
        if home:
            return self.read(home, bindings, f"{owner.symbol.name}.{name}")
        if not member.definition and member.outside:
            why = f"{owner.symbol.name} inherits from {member.outside[0]}, which is not in the index"
            return Thing("outside", reason=why)
        return UNKNOWN

    def result(self, thing: Thing) -> Thing:
        """What calling something gives."""
        if thing.kind == "class":
            return thing._replace(
                kind="instance", reason=f"constructs {thing.definition.symbol.name}" if thing.definition else ""
            )
        if thing.kind != "function" or thing.definition is None:
            return thing if thing.kind in ("outside", "builtin") else UNKNOWN
        file = self.code.file(thing.definition.path)
        symbol = thing.definition.symbol
        said = [one for one in file.bound(symbol.parent, symbol.name) if one.how == "returns"] if file else []
        if file is None or len({one.target for one in said}) != 1:
            return UNKNOWN
        made = self.type(file, symbol.qualified, said[0].target)
        if made.kind == "class":
            return Thing("instance", made.definition, f"{symbol.name} returns {said[0].target}")
        return made

    def bases_of(self, one: Definition) -> Bases:
        """The classes another one inherits from, as its head says."""
        key = key_of(one)
        found = self._known.bases.get(key)
        if found is None:
            self._known.bases[key] = Bases(())  # while it is read: a class that inherits from itself has no bases
            found = self._known.bases[key] = self._read_bases(one)
        return found

    def _read_bases(self, one: Definition) -> Bases:
        file = self.code.file(one.path)
        if file is None:
            return Bases(())
        classes: list[Definition] = []
        outside: list[str] = []
        for base in one.symbol.bases:
            thing = self.type(file, one.symbol.parent, base)
            if thing.kind == "class" and thing.definition and key_of(thing.definition) != key_of(one):
                classes.append(thing.definition)
            elif base.rpartition(".")[2].split("[")[0] not in _BRING_NOTHING:
                outside.append(base)
        return Bases(tuple(classes), tuple(outside))
