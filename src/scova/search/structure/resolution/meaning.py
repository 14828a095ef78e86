"""What an expression stands for where it is written: a class, an instance of one, a module, a function.

Follows scopes, imports, annotations, constructors and inheritance, as far as the syntax says. It refuses to guess: what is
not said is UNKNOWN, and what is surely not in the index is OUTSIDE, with the reason.
"""

from collections.abc import Iterator, Sequence

from scova.answers import Definition
from scova.search.structure.code import CLASSES, FUNCTIONS, Code, SourceFile
from scova.search.structure.resolution import modules, sharing
from scova.search.structure.resolution.members import Members
from scova.search.structure.resolution.things import UNKNOWN, Place, Remembered, Thing, thing_of
from scova.search.structure.resolution.written import Step, is_parameter, steps
from scova.types import Binding

_DEEPEST = 12  # steps from one name to the next
_REMEMBERED = 1 << 15


class Meanings(Members):
    """Reads expressions of one moment's code, and remembers what they meant."""

    def __init__(self, code: Code, known: Remembered) -> None:
        super().__init__(code, known)
        self._depth = 0

    # --- expressions

    def of(self, place: Place, text: str) -> Thing:
        """What an expression stands for."""
        if bound := self._bound(place, text):
            return bound
        path = steps(text)
        if not path:
            return UNKNOWN
        thing, rest = self._first(place, path, text)
        for number, step in enumerate(rest):
            if thing.kind in ("unknown", "outside", "builtin"):
                return thing
            owner, thing = thing, self.attribute(thing, step.name)
            if step.called:
                thing = self.result(thing)
            elif thing.kind == "outside" and owner.kind != "module":
                return UNKNOWN  # a field may be set by anyone, whatever the class inherits
            elif number == len(rest) - 1 and thing.kind == "function":
                return UNKNOWN
        return thing

    def _first(self, place: Place, path: Sequence[Step], text: str) -> tuple[Thing, Sequence[Step]]:
        """What an expression begins with, and what follows."""
        rules, first = place.file.rules, path[0]
        whole = f"{first.name}()" if first.called else first.name
        if whole in rules.this or text in rules.this or whole in rules.above:
            owner = self.owner(place)
            if owner is None:
                return UNKNOWN, ()
            kind = "above" if whole in rules.above else "instance"
            return Thing(kind, owner, f"{whole} in {owner.symbol.kind} {owner.symbol.name}"), path[1:]
        # The longest beginning that is bound: `self.client`, `os.path`.
        for length in range(len(path) - 1, 1, -1):
            if not any(step.called for step in path[:length]):
                joined = ".".join(step.name for step in path[:length])
                if bound := self._bound(place, joined):
                    return bound, path[length:]
        thing = self.name(place, first.name)
        if thing.kind == "unknown" and not thing.reason and not first.called:
            if first.name in rules.outside:
                thing = Thing("outside", reason=f"{first.name} is not in the index")
            elif rules.full_names and (len(path) > 1 or rules.family == "rust"):
                thing = Thing("module", reason="named in full", module=first.name, home=place.file)
        return (self.result(thing) if first.called else thing), path[1:]

    def owner(self, place: Place) -> Definition | None:
        """The class a place lies in, wherever that class is defined."""
        scope = place.scope
        while scope:
            own = place.file.find(scope)
            if own is None:
                return sharing.elsewhere(self.code, place.file, scope)
            holds_members = (
                own.symbol.kind not in FUNCTIONS and scope != place.scope
            )  # a table of Lua, an object of JavaScript
            if own.symbol.kind != "namespace" and (own.symbol.kind in CLASSES or holds_members):
                return own
            scope = own.symbol.parent
        return None

    # --- names

    def name(self, place: Place, name: str) -> Thing:
        """What a plain name stands for."""
        key = (place.file.path, place.scope, name)
        found = self._known.names.get(key)
        if found is None:
            if self._depth >= _DEEPEST:
                return UNKNOWN
            self._depth += 1
            try:
                found = self._name(place.file, place.scope, name)
            finally:
                self._depth -= 1
        return found

    def _name(self, file: SourceFile, scope: str, name: str) -> Thing:
        """The same, from this scope outwards; all methods of a class share what lies outside of them."""
        key = (file.path, scope, name)
        found = self._known.names.get(key)
        if found is None:
            if scope:
                found = self._in_scope(file, scope, name) or self._name(file, scope.rpartition(".")[0], name)
            else:
                found = self._at_top(file, name)
            if len(self._known.names) >= _REMEMBERED:
                self._known.names.clear()
            self._known.names[key] = found
        return found

    def _at_top(self, file: SourceFile, name: str) -> Thing:
        bound = self._bound_in(file, "", name)
        own = file.find(name)
        if bound and own:
            return UNKNOWN  # defined here and imported as well: which one holds is decided when it runs
        if own:
            return thing_of(own, "defined in this file")
        return bound or self._shared(file, name)

    def _in_scope(self, file: SourceFile, scope: str, name: str) -> Thing | None:
        around = file.find(scope)
        is_class = around.symbol.kind in CLASSES if around else scope not in file.by_qualified
        if is_class and not file.rules.bare_members:
            return None
        if bound := self._bound_in(file, scope, name):
            return bound
        if around and not is_class and is_parameter(around.symbol.signature, name):
            return UNKNOWN._replace(reason=f"{name} is a parameter of unknown type")
        own = file.find(f"{scope}.{name}")
        if own and own.symbol.kind != "constructor":  # which is called by the name of its class
            return thing_of(own, f"defined in {scope}")
        if is_class and not (around and around.symbol.kind in ("module", "namespace")):
            owner = around or sharing.elsewhere(self.code, file, scope)
            if name in file.rules.makers:
                return Thing("class", owner, f"{name} in class {owner.symbol.name}")
            member = self.member(owner, name).definition
            if member and member.symbol.kind in FUNCTIONS | CLASSES and member.symbol.kind != "constructor":
                return thing_of(member, f"member of {owner.symbol.name}")
            bindings, home = self.fields(owner, name)
            if home:
                return self.read(home, bindings, f"{owner.symbol.name}.{name}")
        return None

    def _shared(self, file: SourceFile, name: str) -> Thing:
        """A name that is neither defined nor imported by itself in the file."""
        if name in file.rules.builtins:
            return Thing("builtin", reason=f"{name} is built in")
        if found := sharing.near(self.code, file, name):
            return thing_of(found, f"in the same {file.rules.shares}")
        for star in file.stars:
            imported = modules.find(self.code, file, star.target, name)
            if imported.definitions:
                return thing_of(imported.definitions[0], f"imported from {star.target}")
        if found := sharing.anywhere(self.code, file, name):
            return thing_of(found, f"the only {name}")
        return UNKNOWN

    # --- bindings

    def _bound(self, place: Place, text: str) -> Thing | None:
        """What a whole expression is bound to, from the innermost scope outwards."""
        for scope in (*_outwards(place.scope), ""):
            around = place.file.find(scope) if scope else None
            plain = text.isidentifier()
            if plain and around and around.symbol.kind in CLASSES and not place.file.rules.bare_members:
                continue
            if plain and f"{scope}.{text}".lstrip(".") in place.file.by_qualified:
                return None  # defined here: that is for `name` to say
            if found := self._bound_in(place.file, scope, text):
                return found
            if plain and around and around.symbol.kind in FUNCTIONS and is_parameter(around.symbol.signature, text):
                return None
        return None

    def _bound_in(self, file: SourceFile, scope: str, name: str) -> Thing | None:
        bound = file.bound(scope, name)
        found = [one for one in bound if one.how != "returns"] if bound else bound
        return self.read(file, found, name) if found else None

    def read(self, file: SourceFile, bindings: Sequence[Binding], name: str) -> Thing:
        """What bindings of one name in one scope say together: something, if they agree."""
        declared = [one for one in bindings if one.how == "annotation"]
        said = {(one.how == "import", one.target, one.member) for one in (declared or bindings)}
        if len(said) != 1 or (declared and any(one.how == "import" for one in bindings)):
            return UNKNOWN._replace(reason=f"{name} stands for several things")
        one = (declared or bindings)[0]
        if one.how == "import":
            return self._imported(file, one)
        thing = self.type(file, one.scope, one.target)
        how = (
            f"is annotated {one.target}"
            if one.how == "annotation"
            else f"is constructed as {one.target} on line {one.line}"
        )
        if thing.kind == "class":
            return Thing("instance", thing.definition, f"{name} {how}")
        return Thing("outside", reason=f"{name} {how}") if thing.kind in ("outside", "builtin") else UNKNOWN

    def _imported(self, file: SourceFile, binding: Binding) -> Thing:
        found = modules.find(self.code, file, binding.target, binding.member)
        if not found.definitions and binding.member == "default":
            found = modules.find(self.code, file, binding.target, binding.name)
        reason = f"imported from {binding.target}"
        if found.definitions:
            only = sharing.only(self.code, found.definitions) or (
                found.definitions[0] if len(found.definitions) == 1 else None
            )
            return thing_of(only, reason) if only else UNKNOWN
        if found.module:
            return Thing("module", reason=reason, module=found.module, home=found.home)
        return Thing("outside", reason=f"{reason}, which is not in the index") if found.outside else UNKNOWN

    # --- types and members

    def type(self, file: SourceFile, scope: str, written: str) -> Thing:
        """The class a type's name means."""
        if self._depth >= _DEEPEST:
            return UNKNOWN
        name = written.split("<", maxsplit=1)[0].split("[", maxsplit=1)[0].strip(" &*?!")
        if name in file.rules.this or name == "Self":
            owner = self.owner(Place(file, scope))
            return Thing("class", owner) if owner else UNKNOWN
        self._depth += 1
        try:
            path = steps(name)
            thing = self.name(Place(file, scope), path[0].name) if path else UNKNOWN
            for step in path[1:]:
                thing = self.attribute(thing, step.name) if thing.kind in ("class", "module") else thing
        finally:
            self._depth -= 1
        if thing.kind == "unknown" and len(path) > 1:
            return self._by_full_name(file, ".".join(step.name for step in path))
        if thing.kind == "module" and "." in modules.dotted(name):
            return self._by_full_name(file, modules.dotted(name))
        return thing if thing.kind in ("class", "outside", "builtin") else UNKNOWN

    def _by_full_name(self, file: SourceFile, name: str) -> Thing:
        found = [one for one in self.code.named(name) if self.code.family(one) == file.rules.family]
        only = sharing.only(self.code, [one for one in found if one.symbol.kind in CLASSES])
        return Thing("class", only, f"the only {name}") if only and file.rules.shares else UNKNOWN


def _outwards(scope: str) -> Iterator[str]:
    while scope:
        yield scope
        scope = scope.rpartition(".")[0]
