"""One step through the call graph: who calls this definition, whom does it call. Each edge with the places it stands at.

Responsible for which calls belong to a definition and for joining them into edges. It refuses to resolve, and to walk.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from scova.answers import Certainty, Definition, Site
from scova.core.deadline import in_force
from scova.counted import counted
from scova.search.structure.code import CLASSES, FUNCTIONS, Code, Key, SourceFile, is_aside, key_of
from scova.search.structure.languages import Rules, rules_of
from scova.search.structure.resolution.resolve import ONLY, Resolver
from scova.search.structure.resolution.things import Resolution
from scova.types import Call

MOST_SITES = 5000  # calls of one name that are looked at
_MOST_HEIRS = 50
MOST_FURTHER = 300  # the same, further away from what was asked

_T = TypeVar("_T")


class Edge(NamedTuple):
    """The other end of some calls, and where they stand. Without a definition: a file's outermost code, or an unknown name."""

    definition: Definition | None
    path: str
    name: str
    sites: tuple[Site, ...]

    @property
    def key(self) -> Key:
        """What makes two ends the same."""
        return key_of(self.definition) if self.definition else (self.path, f"\0{self.name}")

    @property
    def is_followed(self) -> bool:
        """Whether to go on from here: it is sure, or there is nothing else of that name it could be."""
        return self.is_sure or any(site.reason.startswith(ONLY) for site in self.sites)

    @property
    def is_sure(self) -> bool:
        """Whether at least one of its sites is resolved."""
        return any(site.certainty is Certainty.RESOLVED for site in self.sites)


class Edges:
    """Both directions, over one moment's code."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self._resolver = Resolver(code)
        self._calls: dict[tuple[str, str], list[tuple[str, Call]]] = {}  # by name and family: roots often share them
        self._deadline = in_force()
        self._looked_at = 0
        self.unseen = 0  # call sites that were not looked at, because a name has too many

    def callers(self, target: Definition, *, most: int = MOST_SITES) -> list[Edge]:
        """Who calls a definition: resolved edges first, real code before tests, then by place. At most so many calls of its name
        are looked at; `unseen` counts the others."""
        target = self.code.bodied(target)
        sites: defaultdict[tuple[str, str, int], list[Site]] = defaultdict(list)
        ends: dict[tuple[str, str, int], Definition | None] = {}
        for file, call in self._in_time(self._calls_of(target, most)):
            site = self._site(file, call, target)
            if site:
                end = self._caller(file, call)
                key = (file.path, end.symbol.qualified, end.symbol.start_line) if end else (file.path, "", 0)
                ends[key] = end
                sites[key].append(site)
        edges = [
            Edge(end, key[0], end.symbol.qualified if end else key[0], _in_order(sites[key]))
            for key, end in ends.items()
        ]
        return sorted(edges, key=lambda edge: (not edge.is_sure, is_aside(edge.path), edge.path, edge.sites[0].line))

    def callees(self, source: Definition, *, whole: bool = False) -> list[Edge]:
        """Whom a definition calls: resolved edges first, names that are defined nowhere last; `whole` includes all members of
        a class, which otherwise stands for its constructor."""
        sites: defaultdict[Key, list[Site]] = defaultdict(list)
        ends: dict[Key, Edge] = {}
        file = self.code.file(source.path)
        for call in self._in_time(self._calls_by(source, whole=whole) if file else ()):
            assert file is not None
            resolution = self._resolver.resolve(file, call)
            if resolution.is_builtin:
                continue
            site = _site_of(file, call, resolution.certainty, resolution.reason)
            for edge in self._ends(call, resolution):
                ends.setdefault(edge.key, edge)
                sites[edge.key].append(site)
        edges = [edge._replace(sites=_in_order(sites[key])) for key, edge in ends.items()]
        return sorted(
            edges,
            key=lambda edge: (
                not edge.is_sure,
                edge.definition is None,
                is_aside(edge.path),
                edge.sites[0].line,
                edge.path,
            ),
        )

    def _in_time(self, calls: Iterable[_T]) -> Iterator[_T]:
        """These calls, up to the deadline."""
        for call in calls:
            if self._deadline.is_over():
                self._deadline.cut(
                    f"{counted(self._looked_at, 'call')} {'was' if self._looked_at == 1 else 'were'} looked at"
                )
                return
            self._looked_at += 1
            yield call

    def _ends(self, call: Call, resolution: Resolution) -> Iterator[Edge]:
        for one in resolution.definitions:
            yield Edge(one, one.path, one.symbol.qualified, ())
        if not resolution.definitions:
            plain = call.receiver.replace(".", "").replace("::", "").isidentifier()
            yield Edge(None, "", f"{call.receiver}.{call.name}" if plain else call.name, ())

    def _calls_of(self, target: Definition, most: int) -> Iterator[tuple[SourceFile, Call]]:
        """Calls that may mean a definition: by its name, by names it is imported under, and, of a constructor, by its class's."""
        name, family = target.symbol.name, self.code.family(target)
        yield from self._called(name, family, most)
        if target.symbol.kind in CLASSES:
            yield from self._constructing(name, {name}, rules_of(target.language))
        elif self._is_constructor(target):
            owner = target.symbol.parent.rpartition(".")[2]
            classes = self._made_by(owner)
            for made in sorted(classes - {name}):
                yield from self._called(made, family, most)
            yield from self._constructing(owner, classes, rules_of(target.language))

    def _made_by(self, owner: str) -> set[str]:
        """Names of classes whose instances may be made by a constructor: its own class, and heirs."""
        found, waiting = {owner}, [owner]
        while waiting and len(found) < _MOST_HEIRS:
            heirs = {symbol.name for _, symbol in self.code.calls.heirs(waiting.pop())} - found
            found |= heirs
            waiting += sorted(heirs)
        return found

    def _called(self, name: str, family: str, most: int) -> Iterator[tuple[SourceFile, Call]]:
        """Calls of a name, also by other names it is imported under, in languages that can call each other."""
        found = self._calls.get((name, family))
        if found is None:
            found = [one for one in self.code.calls.of(name) if self._family(one[0]) == family]
            self._calls[name, family] = found
        self.unseen += max(0, len(found) - most)
        for path, call in found[:most]:
            if file := self.code.file(path):
                yield file, call
        for path, binding in self.code.calls.aliases(name):
            if self._family(path) == family and (file := self.code.file(path)):
                yield from ((file, call) for call in self.code.calls.inside(path) if call.name == binding.name)

    def _family(self, path: str) -> str:
        return rules_of(self.code.languages[path]).family

    def _constructing(self, owner: str, classes: set[str], rules: Rules) -> Iterator[tuple[SourceFile, Call]]:
        """Calls that make an instance of a class without its name as the callee: `Owner.new()`, `super()` in an heir; `new()`
        inside of one of the classes."""
        for maker in sorted(rules.makers):
            inside = [found for one in ("", *sorted(rules.this)) for found in self.code.calls.made(maker, one)]
            inside = [found for found in inside if not classes.isdisjoint(found[1].caller.split("."))]
            for path, call in (*self.code.calls.made(maker, owner), *inside):
                if file := self.code.file(path):
                    yield file, call
        for path, heir in self.code.calls.heirs(owner) if rules.above else ():
            if self._family(path) == rules.family and (file := self.code.file(path)):
                inside_heir = [
                    call for call in self.code.calls.inside(path) if heir.start_line <= call.line <= heir.end_line
                ]
                yield from ((file, call) for call in inside_heir if call.name in rules.above and not call.receiver)

    def _calls_by(self, source: Definition, *, whole: bool) -> list[Call]:
        symbol = source.symbol
        inside = [
            call for call in self.code.calls.inside(source.path) if symbol.start_line <= call.line <= symbol.end_line
        ]
        if symbol.kind not in CLASSES:
            return [call for call in inside if call.caller == symbol.qualified]
        if whole:
            return inside
        constructor = self._resolver.constructor(source)
        own = [call for call in inside if call.caller == symbol.qualified]
        if constructor is None or constructor.path != source.path:
            return own
        return own + [call for call in inside if call.caller == constructor.symbol.qualified]

    def _is_constructor(self, target: Definition) -> bool:
        file = self.code.file(target.path)
        return bool(target.symbol.parent) and (
            target.symbol.kind == "constructor" or (file is not None and target.symbol.name in file.rules.constructors)
        )

    def _site(self, file: SourceFile, call: Call, target: Definition) -> Site | None:
        """The site of a call that means a definition, or could mean it."""
        resolution = self._resolver.resolve(file, call)
        if key_of(target) in resolution.keys:
            return _site_of(file, call, resolution.certainty, resolution.reason)
        if resolution.certainty is not Certainty.RESOLVED:
            return None
        (meant,) = resolution.definitions
        if meant.symbol.kind in CLASSES:
            made = self._resolver.constructor(meant) if self._is_constructor(target) else None
            same = made is not None and key_of(self.code.bodied(made)) == key_of(target)
            return _site_of(file, call, Certainty.RESOLVED, f"constructs {meant.symbol.name}") if same else None
        if meant.symbol.kind in FUNCTIONS and self._resolver.is_override(target, meant):
            reason = f"{target.symbol.qualified} overrides {meant.symbol.qualified}; {resolution.reason}"
            return _site_of(file, call, Certainty.CANDIDATE, reason)
        return None

    def _caller(self, file: SourceFile, call: Call) -> Definition | None:
        """The definition a call stands in; None for a file's outermost code."""
        named = file.all(call.caller)
        around = [symbol for symbol in named if symbol.start_line <= call.line <= symbol.end_line] or named
        return file.define(around[0]) if around else None


def _in_order(sites: list[Site]) -> tuple[Site, ...]:
    """Resolved ones first, then by place; one call that was found in two ways counts once."""
    distinct = dict.fromkeys(sites)
    return tuple(sorted(distinct, key=lambda site: (site.certainty is not Certainty.RESOLVED, site.path, site.line)))


def _site_of(file: SourceFile, call: Call, certainty: Certainty, reason: str) -> Site:
    return Site(file.path, call.line, call.name, call.receiver, certainty, reason)
