"""Comparing two lists of definitions: who has which, and how many. Knows neither scova nor ctags, and opens no file."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

FARTHEST = 40  # lines from where a definition begins (attributes, template, return type) to where its name stands


class Tag(NamedTuple):
    """A definition: where it begins, and where it ends (0: not known)."""

    path: str
    line: int
    name: str
    kind: str
    end: int = 0


class Pair(NamedTuple):
    """What the oracle and we both have."""

    theirs: Tag
    ours: Tag


class Matched(NamedTuple):
    """Everything of both lists, sorted into three."""

    both: list[Pair]
    only_theirs: list[Tag]
    only_ours: list[Tag]


def match(theirs: Iterable[Tag], ours: Iterable[Tag]) -> Matched:
    """Pair definitions of one path and name, one to one, the nearest lines first.

    Ours may begin up to FARTHEST lines above theirs, if it has not ended by then: the oracle gives the line of the name, we
    give the line where the definition begins. It may also begin one line below, which is where a name stands that
    the oracle reports at its decorator.
    """
    sought: dict[tuple[str, str], list[Tag]] = defaultdict(list)
    for tag in theirs:
        sought[tag.path, tag.name].append(tag)
    have: dict[tuple[str, str], list[Tag]] = defaultdict(list)
    for tag in ours:
        have[tag.path, tag.name].append(tag)
    found = Matched([], [], [])
    for key, wanted in sought.items():
        _match_one(wanted, have.pop(key, []), found)
    for rest in have.values():
        found.only_ours.extend(rest)
    return found


def _match_one(wanted: Sequence[Tag], offered: Sequence[Tag], found: Matched) -> None:
    distances = sorted(
        (abs(one.line - other.line), i, j)
        for i, one in enumerate(wanted)
        for j, other in enumerate(offered)
        if _agree(one, other)
    )
    taken_theirs: set[int] = set()
    taken_ours: set[int] = set()
    for _, i, j in distances:
        if i not in taken_theirs and j not in taken_ours:
            taken_theirs.add(i)
            taken_ours.add(j)
            found.both.append(Pair(wanted[i], offered[j]))
    found.only_theirs.extend(tag for i, tag in enumerate(wanted) if i not in taken_theirs)
    found.only_ours.extend(tag for j, tag in enumerate(offered) if j not in taken_ours)


def _agree(theirs: Tag, ours: Tag) -> bool:
    last = min(ours.line + FARTHEST, max(ours.end, ours.line))
    return ours.line - 1 <= theirs.line <= last


def share(part: int, whole: int) -> float:
    """A ratio, 1 for nothing of nothing."""
    return part / whole if whole else 1.0
