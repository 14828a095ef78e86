"""Comparing two call graphs site by site: right, wrong, missed, and not judged. Knows neither scova nor any oracle."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

JUDGED = frozenset({"inside", "outside", "value", "local"})  # verdicts that say what a call means


class Place(NamedTuple):
    """A call site. Several calls of one name on one line are one site with all their targets."""

    path: str
    line: int
    name: str


class Target(NamedTuple):
    """A definition: its name stands on `line`, it begins on `first`."""

    path: str
    line: int
    first: int


class Edge(NamedTuple):
    """Our answer for one call: the definition, whether we are sure, and why."""

    target: Target
    resolved: bool
    reason: str


@dataclass(frozen=True)
class Truth:
    """What the oracle says of one site."""

    verdict: str
    targets: tuple[Target, ...] = ()
    overridden: tuple[Target, ...] = ()  # of the same method in classes above


@dataclass
class Score:
    """What came out. A wrong or missed one is kept with its reason, to be looked at."""

    right: int = 0
    declared: int = 0  # our definition is above the one that ran
    wrong: list[tuple[Place, Edge, Truth]] = field(default_factory=list)
    not_judged: int = 0
    inside: int = 0  # sites whose target the oracle has in the project
    found: int = 0  # of these, ours is resolved to it
    offered: int = 0  # of these, it is resolved, or among our candidates
    missed: list[tuple[Place, str]] = field(default_factory=list)
    by_reason: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    @property
    def precision(self) -> float:
        """Share of judged resolved edges that lead where the oracle says; a declaration above what ran is right."""
        right = self.right + self.declared
        return right / (right + len(self.wrong)) if right + len(self.wrong) else 1.0

    @property
    def strict_precision(self) -> float:
        """The same where only what ran is right."""
        whole = self.right + self.declared + len(self.wrong)
        return self.right / whole if whole else 1.0

    @property
    def recall(self) -> float:
        """Share of the oracle's edges inside the project that we have as resolved."""
        return self.found / self.inside if self.inside else 1.0

    @property
    def recall_offered(self) -> float:
        """Share that we have as resolved or candidate."""
        return self.offered / self.inside if self.inside else 1.0


Same = Callable[[Target, Target], bool]


def exactly(theirs: Target, ours: Target) -> bool:
    """One definition: in one file, and ours begins between its beginning and the line of its name."""
    return theirs.path == ours.path and min(theirs.first, theirs.line) <= ours.line <= max(theirs.first, theirs.line)


def compare(
    truths: Mapping[Place, Truth],
    ours: Mapping[Place, Iterable[Edge]],
    *,
    same: Same = exactly,
    kind_of: Callable[[str], str] = str,
) -> Score:
    """Judge every site the oracle knows. `kind_of` turns a reason into the class it is counted under."""
    score = Score()
    for place, truth in truths.items():
        edges = list(dict.fromkeys(ours.get(place, ())))
        for edge in edges:
            if edge.resolved:
                _judge(score, place, edge, truth, same=same, kind=kind_of(edge.reason))
        if truth.verdict == "inside":
            _recall(score, place, edges, truth, same=same)
    return score


def _judge(score: Score, place: Place, edge: Edge, truth: Truth, *, same: Same, kind: str) -> None:
    if truth.verdict not in JUDGED:
        score.not_judged += 1
        verdict = "not judged"
    elif any(same(target, edge.target) for target in truth.targets):
        score.right += 1
        verdict = "right"
    elif any(same(target, edge.target) for target in truth.overridden):
        score.declared += 1
        verdict = "declared"
    else:
        score.wrong.append((place, edge, truth))
        verdict = "wrong"
    score.by_reason[kind][verdict] += 1


def _recall(score: Score, place: Place, edges: list[Edge], truth: Truth, *, same: Same) -> None:
    score.inside += 1
    meant = (*truth.targets, *truth.overridden)
    hits = [edge for edge in edges if any(same(target, edge.target) for target in meant)]
    score.offered += bool(hits)
    if any(edge.resolved for edge in hits):
        score.found += 1
        return
    if hits:
        score.missed.append((place, "candidate"))
    elif edges:
        score.missed.append((place, "leads elsewhere"))
    else:
        score.missed.append((place, "no edge"))


def merged(truths: Iterable[tuple[Place, Truth]]) -> dict[Place, Truth]:
    """Truths by site; where one site has several, all targets, and the verdict that says most."""
    order = ("inside", "value", "local", "outside", "other", "unknown")
    found: dict[Place, Truth] = {}
    for place, truth in truths:
        known = found.get(place)
        if known is None:
            found[place] = truth
            continue
        verdict = min(known.verdict, truth.verdict, key=order.index)
        if {known.verdict, truth.verdict} & {"unknown", "other"} and known.verdict != truth.verdict:
            verdict = "unknown"  # one of the two calls is not judged, and ours cannot be told apart
        found[place] = Truth(verdict, known.targets + truth.targets, known.overridden + truth.overridden)
    return found
