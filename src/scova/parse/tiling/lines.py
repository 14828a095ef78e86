"""A text as numbered lines, and where to cut a run of them.

Only a line feed ends a line, as the parser counts rows; a carriage return or a form feed stays inside its line, so spans
of lines always concatenate to the text they came from. Lines are counted from 0 here and spans are half open. This module
knows nothing of languages, symbols or chunks.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from operator import add


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large chunks shall be, in characters."""

    target: int = (
        1200  # about 300 model tokens: a function with its comment, and what a static embedding still averages well
    )
    maximum: int = 2400  # twice the target, so that a definition a little over it is not cut into two halves
    minimum: int = 200  # about four lines: less says too little to be an answer of its own
    alone: int = 600  # half the target: a definition of this size is an answer of its own and is not merged with others


SIZES = Sizes()
_FAR = 1e9  # costs more than any cut

Weight = Callable[
    [int], float
]  # how bad it is to cut before this line; 0 is best, 1 weighs as much as missing the size by its whole


@dataclass(frozen=True, slots=True)
class Lines:
    """A text with its lines."""

    text: str
    rows: list[str]  # without their line feeds
    offsets: list[int]  # where each line starts, and one more: where the text ends

    @classmethod
    def of(cls, text: str) -> "Lines":
        """The lines of a text; a final line feed starts no further line."""
        rows = text.split("\n")
        if not rows[-1]:
            rows.pop()
        offsets = list(map(add, accumulate(map(len, rows), initial=0), count()))
        offsets[-1] = len(text)
        return cls(text, rows, offsets)

    def __len__(self) -> int:
        return len(self.rows)

    def size(self, start: int, end: int) -> int:
        """Characters in these lines."""
        return self.offsets[end] - self.offsets[start]

    def slice(self, start: int, end: int) -> str:
        """The text of these lines, line ends included."""
        return self.text[self.offsets[start] : self.offsets[end]]


def cuts(lines: Lines, start: int, end: int, *, sizes: Sizes, weight: Weight) -> list[int]:
    """The lines before which to cut so that no piece is larger than the maximum, unless it is a single line.

    Pieces come out about equally large and near the target; among the lines that would do, the lightest is taken.
    """
    offsets = lines.offsets
    found: list[int] = []
    enough = sizes.maximum
    while offsets[end] - offsets[start] > enough and end - start > 1:
        start = _best_cut(offsets, start, end, sizes=sizes, weight=weight)
        found.append(start)
        enough = min(sizes.maximum, sizes.target * 3 // 2)  # once cut at all, the rest is better cut evenly too
    return found


def _best_cut(offsets: list[int], start: int, end: int, *, sizes: Sizes, weight: Weight) -> int:
    origin = offsets[start]
    total = offsets[end] - origin
    ideal = total / max(round(total / sizes.target), 2)
    last = max(bisect_right(offsets, origin + sizes.maximum, start + 1, end) - 1, start + 1)
    right = max(bisect_right(offsets, origin + ideal, start + 1, last + 1) - 1, start + 1)
    left = right - 1
    below = ideal - offsets[left] + origin  # by how much the next cut on this side misses the ideal
    above = abs(offsets[right] - origin - ideal)
    best, least = right, _FAR
    # From the ideal size outwards: missing it costs more with every line, and nothing beyond the best cost so far can win.
    while True:
        if left > start and (below <= above or right > last):
            line, missed = left, below
            left -= 1
            below = ideal - offsets[left] + origin
        elif right <= last:
            line, missed = right, above
            right += 1
            above = offsets[right] - origin - ideal
        else:
            return best
        if missed >= least * ideal:
            return best
        size = offsets[line] - origin
        cost = missed / ideal + weight(line) + (size < sizes.minimum) + (total - size < sizes.minimum)
        if cost < least:
            best, least = line, cost


def pieces(start: int, end: int, inner: list[int]) -> list[tuple[int, int]]:
    """The spans between cuts."""
    edges = [start, *inner, end]
    return list(pairwise(edges))
