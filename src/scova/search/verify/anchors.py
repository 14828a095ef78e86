"""Where lines of an older text stand in a newer one. Knows two lists of lines, and nothing of files or answers."""

from collections.abc import Sequence
from functools import cached_property


class Anchors:
    """Two versions of one text, line by line."""

    def __init__(self, before: Sequence[str], now: Sequence[str]) -> None:
        self._before = before
        self._now = now
        self._head = _common(before, now)
        # What both begin with must not be taken for their common end too.
        self._tail = min(_common(before[::-1], now[::-1]), len(before) - self._head, len(now) - self._head)

    def moved(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the lines `start` to `end` (from 1, inclusive) stand now; None when they are not there any more.

        Lines that occur several times are taken to be the ones nearest to where they would be expected.
        """
        first, last = start - 1, end
        if not 0 <= first < last <= len(self._before):
            return None
        if last <= self._head:
            return start, end
        shift = len(self._now) - len(self._before)
        if first >= len(self._before) - self._tail:
            return start + shift, end + shift
        block = list(self._before[first:last])
        places = [at for at in self._places.get(block[0], ()) if self._now[at : at + len(block)] == block]
        if not places:
            return None
        at = min(places, key=lambda place: min(abs(place - first), abs(place - first - shift)))
        return at + 1, at + len(block)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for number, line in enumerate(self._now):
            places.setdefault(line, []).append(number)
        return places


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts have in common from the beginning."""
    for number, (mine, yours) in enumerate(zip(one, other, strict=False)):
        if mine != yours:
            return number
    return min(len(one), len(other))
