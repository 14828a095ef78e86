"""Members of a class: its own, those its other parts define elsewhere, and those it inherits.

Whoever inherits says what the name of a base means; it refuses to read names itself.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from scova.answers import Definition
from scova.search.structure.code import CLASSES, Code, SourceFile, key_of
from scova.search.structure.languages import rules_of
from scova.search.structure.resolution.things import Bases, Remembered
from scova.types import Binding

_FEW_PARTS = 4
_MOST_CLASSES = 64  # looked at for one member


class Member(NamedTuple):
    """A member, and the class that has it; or, when there is none, bases outside of the index that may have it."""

    definition: Definition | None
    outside: tuple[str, ...] = ()


class Lineage(ABC):
    """Classes with what they inherit, in the order members are looked up."""

    def __init__(self, code: Code, known: Remembered) -> None:
        self.code = code
        self._known = known

    @abstractmethod
    def bases_of(self, one: Definition) -> Bases:
        """The classes another one inherits from, as its head says."""

    def member(self, owner: Definition, name: str, *, skip_own: bool = False) -> Member:
        """What `name` is on a class."""
        owners = self.code.owners(name)  # most classes are not among them, which saves looking
        if not skip_own and owner.symbol.qualified in owners and (found := self.own(owner, name)):
            return Member(found)
        outside: list[str] = []
        for one in self.line(owner, outside):
            if one.symbol.qualified in owners and key_of(one) != key_of(owner) and (found := self.own(one, name)):
                return Member(found)
        return Member(None, tuple(outside))

    def line(self, owner: Definition, outside: list[str] | None = None) -> list[Definition]:
        """A class and what it inherits from, breadth first, each once; bases that are not in the index are added to `outside`."""
        known = self._known.lines.get(key_of(owner))
        if known is None:
            known = self._known.lines[key_of(owner)] = self._walked(owner)
        if outside is not None:
            outside.extend(known.outside)
        return list(known.classes)

    def _walked(self, owner: Definition) -> Bases:
        seen = {key_of(owner): owner}
        outside: list[str] = []
        waiting = [owner]
        while waiting and len(seen) <= _MOST_CLASSES:
            one = waiting.pop(0)
            bases = self.bases_of(one)
            outside.extend(bases.outside)
            for base in (*self._other_parts(one), *bases.classes):
                if key_of(base) not in seen:
                    seen[key_of(base)] = base
                    waiting.append(base)
        return Bases(tuple(seen.values()), tuple(outside))

    def own(self, owner: Definition, name: str) -> Definition | None:
        """What a class itself defines under a name, in its file or in its other parts."""
        file = self.code.file(owner.path)
        if file is None:
            return None
        qualified = f"{owner.symbol.qualified}.{name}"
        if found := file.find(qualified) or file.find(f"{owner.symbol.qualified}.companion.{name}"):
            return found
        parts = self._parts(file, qualified)
        return parts[0] if len({part.path for part in parts}) == 1 else None

    def fields(self, owner: Definition, name: str) -> tuple[list[Binding], SourceFile | None]:
        """What the syntax says a field of a class, or of one it inherits from, stands for; and the file that says so."""
        for file, scope in self._with_fields(owner):
            for written in (f"self.{name}", f"this.{name}", f"$this->{name}", f"this->{name}", f"@{name}", name):
                found = [said for said in file.bound(scope, written) if said.how != "returns"]
                if found:
                    return found, file
        return [], None

    def _with_fields(self, owner: Definition) -> list[tuple[SourceFile, str]]:
        """Where something is said of fields: classes of the line for which there is anything."""
        found = self._known.fields.get(key_of(owner))
        if found is None:
            line = [(self.code.file(one.path), one.symbol.qualified) for one in self.line(owner)]
            found = [(file, scope) for file, scope in line if file and scope in file.scopes]
            self._known.fields[key_of(owner)] = found
        return found

    def is_heir(self, heir: Definition, ancestor: Definition) -> bool:
        """Whether one class inherits from another."""
        return any(key_of(one) == key_of(ancestor) for one in self.line(heir))

    def _other_parts(self, one: Definition) -> list[Definition]:
        """Where else the same class is defined, in languages that write one class in several places."""
        rules = rules_of(one.language)
        if rules.open_classes != "anywhere" or rules.shares != "all" or one.symbol.kind in ("module", "namespace"):
            return []
        same = self.code.exactly(one.symbol.qualified)
        classes = [part for part in same if part.symbol.kind in CLASSES and self.code.family(part) == rules.family]
        # Members of any part are found by their full name; a part matters here for what it inherits, or, of few, for its fields.
        return classes if len(classes) <= _FEW_PARTS else [part for part in classes if part.symbol.bases]

    def _parts(self, file: SourceFile, qualified: str) -> list[Definition]:
        where = file.rules.open_classes
        if not where:
            return []
        found = [one for one in self.code.exactly(qualified) if self.code.family(one) == file.rules.family]
        if where == "folder":
            found = [one for one in found if one.path.rpartition("/")[0] == file.folder]
        with_body = [one for one in found if one.symbol.end_line > one.symbol.start_line]
        return with_body or found
