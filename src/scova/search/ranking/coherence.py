"""What files say about each other: one is used by others that answer a question, or lies beside one that does.

Responsible for lending the merit of files to their relatives, among the best files of one question. It refuses to know the question,
and what made a file good: it gets merits and names.
"""

from collections.abc import Callable, Container, Sequence
from itertools import count
from operator import neg

from scova.types import Ties

MOST_FILES = 24  # the best ones, which are looked at; what is below will not come up
_LENDERS = 4  # those among them whose uses count: what the very best use tells most, and to look at more costs more than it finds
_MOST_OWNERS = 3  # a name that more of them define says nothing about which is meant

LENT_SIGNALS = ("used", "beside")

TiesOf = Callable[[Sequence[str]], Sequence[Ties]]


def lent(
    paths: Sequence[str], bases: Sequence[float], ties_of: TiesOf, *, on: Container[str]
) -> dict[str, list[float]]:
    """What each file is given for the sake of others, 0 to 1, by the signals that are `on`. Their merit is what they have so far, as a
    share of the best one's."""
    most = max(bases, default=0.0)
    wanted = [signal for signal in LENT_SIGNALS if signal in on]
    if most <= 0.0 or not wanted:
        return {}
    merits = [max(base, 0.0) / most for base in bases]
    given = {"used": lambda: used(paths, merits, ties_of), "beside": lambda: beside(paths, merits)}
    return {signal: given[signal]() for signal in wanted}


def used(paths: Sequence[str], merits: Sequence[float], ties_of: TiesOf) -> list[float]:
    """How much of the merit of the very best files, squared, is with those that use a name which this one defines; 0 to 1 for each."""
    best = [n for _, _, n in sorted(zip(map(neg, merits), paths, count(), strict=False))[:MOST_FILES]]
    ties = dict(zip(best, ties_of([paths[n] for n in best]), strict=True))
    lenders = best[:_LENDERS]
    wanted = frozenset().union(*[ties[n].uses for n in lenders])
    owners: dict[int, list[int]] = {}
    for n, tie in ties.items():
        for name in wanted & tie.defines:
            owners.setdefault(name, []).append(n)
    known = frozenset([name for name, which in owners.items() if len(which) <= _MOST_OWNERS])
    whole = sum(merits[n] ** 2 for n in lenders) or 1.0
    lent = [0.0] * len(paths)
    for n in lenders:
        for owner in {owner for name in known & ties[n].uses for owner in owners[name] if owner != n}:
            lent[owner] += merits[n] ** 2 / whole
    return lent


def beside(paths: Sequence[str], merits: Sequence[float]) -> list[float]:
    """The merit of the best other file in the same folder; 0 to 1 for each file."""
    first: dict[str, float] = {}
    second: dict[str, float] = {}
    folders = [path.rpartition("/")[0] for path in paths]
    for folder, merit in zip(folders, merits, strict=True):
        best = first.get(folder, 0.0)
        if merit > best:
            first[folder], second[folder] = merit, best
        elif merit > second.get(folder, 0.0):
            second[folder] = merit
    return [
        second.get(folder, 0.0) if merit == first.get(folder, 0.0) else first.get(folder, 0.0)
        for folder, merit in zip(folders, merits, strict=True)
    ]
