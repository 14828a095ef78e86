"""How what a store holds came to be there, from when its chunks were made: cumulated, in few points."""

from collections.abc import Iterable

from scova.stores.columns.encoding import moment

POINTS = 200


def width_of(first: int, last: int) -> int:
    """Milliseconds that one point stands for, so that there are few enough."""
    return max(1, (last - first) // (POINTS - 1) + 1)


def growth(
    first: int, last: int, files: Iterable[tuple[int, int]], chunks: Iterable[tuple[int, int]]
) -> tuple[tuple[str, int, int], ...]:
    """Time, files and chunks by then, wherever something came; from counts by number of the point."""
    width = width_of(first, last)
    new_files, new_chunks = dict(files), dict(chunks)
    points, total_files, total_chunks = [], 0, 0
    for number in sorted(new_files.keys() | new_chunks.keys()):
        total_files += new_files.get(number, 0)
        total_chunks += new_chunks.get(number, 0)
        points.append((moment(min(last, first + (number + 1) * width - 1)), total_files, total_chunks))
    return tuple(points)
