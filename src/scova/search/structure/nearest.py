"""Nearest names and paths: what to suggest when nothing is called so. Compares strings; knows nothing of indexes."""

from collections.abc import Iterable, Sequence
from heapq import nsmallest

from scova.core.deadline import in_force
from scova.tokens import parts

SUGGESTED = 5
_SURE = 0.0
_WORDS = 1.0  # the same words, written another way
_SLIP = 2.0  # and the number of letters between


def nearest(asked: str, names: Iterable[str], limit: int = SUGGESTED) -> tuple[str, ...]:
    """The names most like what was asked, best first: in another case, with the same words, or a few letters away."""
    lowered, words = asked.lower(), set(parts(asked))
    allowed = max(1, min(4, (len(asked) + 1) // 3))
    found: dict[str, float] = {}
    deadline = in_force()
    for name in _likely(lowered, words, allowed, names):
        if name in found or name == asked:
            continue
        if deadline.is_over():
            deadline.cut("not every name was compared with what was asked")
            break
        distance = _distance(name, lowered, words, allowed)
        if distance is not None:
            found[name] = distance
    return tuple(nsmallest(limit, found, key=lambda name: (found[name], len(name), name)))


def _likely(lowered: str, words: set[str], allowed: int, names: Iterable[str]) -> list[str]:
    """Names that may be near, told by a glance at each: all others are surely not."""
    shortest, longest, first, last = len(lowered) - allowed, len(lowered) + allowed, lowered[:1], lowered[-2:]
    # All words but one must be shared, and of two both: whatever is near has the longest, or the one after it.
    longest_words = sorted(words, key=len, reverse=True)
    one, other = (*longest_words[:1], *longest_words[1 : 2 if len(words) > 2 else 1], lowered, lowered)[:2]
    return [
        name
        for name in names
        if one in (low := name.lower())
        or other in low
        or lowered in low
        or (shortest <= len(low) <= longest and (low[:1] == first or low[-2:] == last))
    ]


def nearest_paths(asked: str, paths: Sequence[str], limit: int = 3) -> tuple[str, ...]:
    """Paths that end like what was asked, or whose file is called nearly so."""
    name = asked.rstrip("/").rpartition("/")[2]
    same = [path for path in paths if path.rpartition("/")[2] == name]
    if same:
        tail = asked.rstrip("/").split("/")
        return tuple(nsmallest(limit, same, key=lambda path: (-_shared_tail(path.split("/"), tail), len(path), path)))
    by_name = {path.rpartition("/")[2]: path for path in reversed(paths)}
    return tuple(by_name[found] for found in nearest(name, by_name, limit))


def _distance(name: str, lowered: str, words: set[str], allowed: int) -> float | None:
    other = name.lower()
    if other == lowered:
        return _SURE
    difference = len(name) - len(lowered)
    if -allowed <= difference <= allowed and (other[:1] == lowered[:1] or other[-2:] == lowered[-2:]):
        letters = edit_distance(lowered, other, allowed) if _missing(lowered, other) <= allowed else allowed + 1
        if letters <= allowed:
            return _SLIP + letters
    if len(lowered) > 3 and (other.startswith(lowered) or other.endswith(lowered)):
        return _SLIP + 3 + abs(difference) / 100
    if sum(word in other for word in words) < max(len(words) - 1, min(2, len(words))):
        return None
    own = set(parts(name))
    shared = len(words & own)
    if not shared or shared < max(len(words), len(own)) - 1 or (shared == 1 and len(words) > 1):
        return None
    return _WORDS if own == words else _SLIP + 2 + len(own ^ words)


def _missing(one: str, other: str) -> int:
    """How many letters of one the other does not have: it takes at least as many changes."""
    return sum(max(0, one.count(letter) - other.count(letter)) for letter in set(one))


def edit_distance(one: str, other: str, most: int) -> int:
    """Letters to insert, delete, change or swap; more than `most` is only known to be more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        two_before, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def _shared_tail(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        count += 1
    return count
