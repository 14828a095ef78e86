"""Callers and callees as trees, level by level: nothing is expanded twice, nothing is shown beyond the caps unsaid.

Responsible for walking and for the caps. It refuses to resolve calls.
"""

from scova.answers import CallTree, Definition, Node, Site
from scova.errors import QueryError
from scova.record import field, record
from scova.search.structure import asked
from scova.search.structure.code import Code, Key, key_of
from scova.search.structure.define import Skips, find, suggestions
from scova.search.structure.edges import MOST_FURTHER, MOST_SITES, Edge, Edges

SHALLOWEST, DEEPEST = 1, 10
MOST_ROOTS = 20
CYCLE, SEEN, CUT, GUESS = "cycle", "seen", "cut", "guess"


@record
class Request:
    """Which definitions, in which direction, how far and how much."""

    name: str
    direction: str  # callers, callees
    depth: int = 3
    per_level: int = 50
    total: int = 500


@record(frozen=False)
class _Growing:
    """A node while the tree grows. `guesses` counts the candidate edges on the way to it."""

    definition: Definition | None
    path: str
    name: str
    key: Key
    sites: tuple[Site, ...] = ()
    above: tuple[
        Key, ...
    ] = ()  # the keys of what it hangs under: with these themselves, only the cycle collector would free a tree
    guesses: int = 0
    note: str = ""
    below: "list[_Growing]" = field(default_factory=list)

    def is_under(self, key: Key) -> bool:
        """Whether a definition is among its ancestors, or is it itself."""
        return key == self.key or key in self.above

    def frozen(self) -> Node:
        """The node as it is shown."""
        nodes = tuple(one.frozen() for one in self.below)
        return Node(self.definition, self.path, self.name, self.sites, nodes, self.note)


def call_tree(code: Code, request: Request, skips: Skips = tuple) -> CallTree:
    """The tree asked for. Its roots are all definitions of the name that can call or be called."""
    _check(request)
    wanted = asked.read(request.name, code.languages.__contains__)
    roots = _roots(code, find(code, wanted, skips))
    walk = _Walk(Edges(code), request)
    grown = [_Growing(one, one.path, one.symbol.qualified, key_of(one)) for one in roots[:MOST_ROOTS]]
    walk.grow(grown)
    walk.left_out["roots"] = max(0, len(roots) - MOST_ROOTS)
    walk.left_out["sites"] = walk.edges.unseen
    return CallTree(
        direction=request.direction,
        roots=tuple(one.frozen() for one in grown),
        depth=request.depth,
        total=walk.shown,
        caps={"per_level": request.per_level, "total": request.total},
        left_out={cap: count for cap, count in walk.left_out.items() if count},
        suggestions=() if roots else suggestions(code, wanted),
    )


def _check(request: Request) -> None:
    if not SHALLOWEST <= request.depth <= DEEPEST:
        raise QueryError(f"the depth is {request.depth}", f"give a depth from {SHALLOWEST} to {DEEPEST}")
    if request.per_level < 1 or request.total < 1:
        raise QueryError("nothing would be shown", "give caps of at least 1")


def _roots(code: Code, found: list[Definition]) -> list[Definition]:
    """Each definition once: overloads count as one, and so do a declaration and its body."""
    roots: dict[Key, Definition] = {}
    for one in found:
        body = code.bodied(one)
        roots.setdefault(key_of(body), body)
    return list(roots.values())


class _Walk:
    """One walk from the roots, level by level."""

    def __init__(self, edges: Edges, request: Request) -> None:
        self.edges = edges
        self.shown = 0
        self.left_out = {"per_level": 0, "total": 0}
        self._request = request
        self._expanded: set[Key] = set()

    def grow(self, roots: list[_Growing]) -> None:
        """Expand the roots as deep as asked."""
        level = roots
        self._expanded.update(one.key for one in roots)
        for _ in range(self._request.depth):
            found = [(one, edge) for one in level for edge in self._edges(one)]
            # Sure ways first: a cap must not keep a guess and drop what is known.
            found.sort(key=lambda pair: pair[0].guesses + (not pair[1].is_sure))
            level = self._attached(found)

    def _edges(self, one: _Growing) -> list[Edge]:
        if one.definition is None:
            return []
        if self._request.direction == "callers":
            return self.edges.callers(one.definition, most=MOST_FURTHER if one.above else MOST_SITES)
        return self.edges.callees(one.definition, whole=not one.above)

    def _attached(self, found: "list[tuple[_Growing, Edge]]") -> list[_Growing]:
        """Hang up what the caps allow; returns what is to be expanded next."""
        room = min(self._request.per_level, self._request.total - self.shown)
        following: list[_Growing] = []
        for above, edge in found[:room]:
            under, guesses = (*above.above, above.key), above.guesses + (not edge.is_sure)
            one = _Growing(edge.definition, edge.path, edge.name, edge.key, edge.sites, under, guesses)
            above.below.append(one)
            if edge.definition is None:
                continue
            if above.is_under(one.key):
                one.note = CYCLE
            elif one.key in self._expanded:
                one.note = SEEN
            elif not edge.is_followed:
                one.note = GUESS
            else:
                self._expanded.add(one.key)
                following.append(one)
        self.shown += len(found[:room])
        for above, _ in found[room:]:
            above.note = CUT
        cap = "per_level" if room == self._request.per_level else "total"
        self.left_out[cap] += max(0, len(found) - room)
        return following
