"""Hits of several searchers into candidates that can be compared.

Responsible for putting every searcher's opinion on one scale, for each chunk and for its file as a whole: a file that says much
about a question in several places answers it better than one that mentions it once. It refuses to know names, paths and
weights; `rank` decides what each opinion counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from scova.types import Light, Row

TEXT_CANDIDATES = 80  # hits asked of the text index; with the next, 99 % of the benchmark's answers are among them
VECTOR_CANDIDATES = 40
_BEST_TEXTS = 5  # chunks that speak for their file
_BEST_VECTORS = 3


class FileGroup(NamedTuple):
    """The chunks of one file that may be an answer, in columns, and what they say together; all opinions 0 to 1.

    A tuple of lists, because there are hundreds of chunks for every question.
    """

    path: str
    lights: Sequence[Light]
    texts: Sequence[float]  # of each, its share of the best text score
    vectors: Sequence[float]  # of each, how far its similarity stands out
    text: float  # the best five together, as a share of the best file's
    vector: float  # the mean of the best three


def fuse(lights: Iterable[Light], texts: Mapping[Row, float], vectors: Mapping[Row, float]) -> list[FileGroup]:
    """Candidates by file, each file's in order of lines. A row that a searcher has no opinion of counts as 0 there."""
    best = max(texts.values(), default=0.0) or 1.0
    floor, reach = _floor_and_reach(vectors)
    text_of, vector_of = texts.get, vectors.get
    files: dict[str, tuple[list[Light], list[float], list[float]]] = {}
    for light in sorted(lights, key=attrgetter("start_line")):
        row = light.row
        near = vector_of(row, floor)
        text, vector = text_of(row, 0.0) / best, (near - floor) / reach if near > floor else 0.0
        found = files.get(light.file_path)
        if found is None:
            files[light.file_path] = [light], [text], [vector]
        else:
            found[0].append(light)
            found[1].append(text)
            found[2].append(vector)
    said = [_sum_of_best(texts, _BEST_TEXTS) for _, texts, _ in files.values()]
    most = max(said, default=0.0) or 1.0
    return [
        FileGroup(path, *columns, text / most, _sum_of_best(columns[2], _BEST_VECTORS) / _BEST_VECTORS)
        for (path, columns), text in zip(files.items(), said, strict=True)
    ]


def _floor_and_reach(vectors: Mapping[Row, float]) -> tuple[float, float]:
    """The similarity that counts as none, and what the best has above it.

    Every pair of texts is a little similar, and how much depends on the question. So only what stands out counts: what is
    better than the chunk that was just not near enough to be a candidate by its meaning.
    """
    ordered = sorted(vectors.values(), reverse=True)
    if not ordered:
        return 0.0, 1.0
    floor = max(ordered[VECTOR_CANDIDATES] if len(ordered) > VECTOR_CANDIDATES else ordered[-1], 0.0)
    return floor, (ordered[0] - floor) if ordered[0] > floor else 1.0


def _sum_of_best(values: list[float], count: int) -> float:
    if len(values) == 1:
        return values[0]
    # Sorted always, so that the sum does not depend on the order in which candidates came.
    return sum(sorted(values, reverse=True)[:count])
