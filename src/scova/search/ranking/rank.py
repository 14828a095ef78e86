"""Candidates into an order, with the reasons.

A score is the sum of shares, one for each signal: a small function that gives every file, or every chunk, 0 to 1, times its weight. Responsible
for the signals, and for not showing one file over and over. It refuses to find anything, and to read texts.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import inf
from typing import NamedTuple

from scova.record import record
from scova.search.asked.evidence import Wanted, together
from scova.search.asked.query import ParsedQuery, Shape
from scova.search.ranking.coherence import lent
from scova.search.ranking.fuse import FileGroup
from scova.search.ranking.known import Known
from scova.search.ranking.paths import PathEvidence, path_evidence
from scova.search.ranking.symbols import ASIDE, SURE, NameMatch, asked_names, exactness, name_match
from scova.search.ranking.weights import BY_SHAPE, SIGNALS, Weights
from scova.types import ChunkType, Light

REPEATED = "repeated"  # the share that takes a further chunk of one file down
REPEATS = (  # what the first, second, third … chunk of a file keeps of its score; the last holds on
    1.0,
    0.5,
    0.35,
    0.25,
    0.1,
)
_TIE = 1e-6  # scores nearer than this may still be put in order of path


@record
class Ranked:
    """A chunk with its place's score, and what each signal gave to it; the shares add up to the score."""

    light: Light
    score: float
    shares: Mapping[str, float]


@record
class _Asked:
    """A question, ready to be compared with names and paths."""

    wanted: Wanted
    names: frozenset[str]  # identifiers as written
    lowered: frozenset[str]
    file_names: frozenset[str]  # what a file called exactly so would be called
    wants_tests: bool
    wants_docs: bool
    one_name: bool  # the question is a name and nothing else

    @classmethod
    def of(cls, query: ParsedQuery, wanted: Wanted) -> "_Asked":
        names = asked_names(query)
        lowered = frozenset(name.lower() for name in names)
        together = frozenset(name.replace("_", "") for name in lowered)
        docs = ChunkType.DOCUMENTATION in query.filters.chunk_types or "docs" in query.filters.tags
        return cls(
            wanted,
            frozenset(names),
            lowered,
            together.union(query.compounds),
            query.wants_tests,
            docs,
            query.shape is Shape.IDENTIFIER,
        )


class _Pool(NamedTuple):
    """All candidates as the signals see them: columns over files, and over chunks, those of one file side by side."""

    files: Sequence[FileGroup]
    paths: list[PathEvidence]  # beside the files
    starts: list[int]  # where each file's chunks start, and where the last one's end
    lights: list[Light]  # of the chunks
    names: list[NameMatch]  # beside them

    @classmethod
    def of(cls, files: Sequence[FileGroup], asked: _Asked) -> "_Pool":
        lights = [light for group in files for light in group.lights]
        return cls(
            files,
            [path_evidence(group.path, asked.wanted, asked.file_names) for group in files],
            [0, *accumulate(len(group.lights) for group in files)],
            lights,
            [name_match(light.names, asked.wanted) for light in lights],
        )


Column = list[float]
Signal = Callable[[_Asked, _Pool], Column]


def file_text(asked: _Asked, pool: _Pool) -> Column:
    """Words of the file's best chunks together."""
    return [group.text for group in pool.files]


def file_vector(asked: _Asked, pool: _Pool) -> Column:
    """Meaning of the file's best chunks together."""
    return [group.vector for group in pool.files]


def file_names(asked: _Asked, pool: _Pool) -> Column:
    """How much of the question all names defined in the file's candidates cover."""
    return [_covered(asked.wanted, pool.names[start:end]) for start, end in pairwise(pool.starts)]


def _covered(wanted: Wanted, names: Sequence[NameMatch]) -> float:
    matches = [match.found for match in names if match.found]
    return wanted.share(together(matches)) if matches else 0.0


def file_name(asked: _Asked, pool: _Pool) -> Column:
    """How much of the question the file's own name covers."""
    return [path.coverage for path in pool.paths]


def file_named(asked: _Asked, pool: _Pool) -> Column:
    """How much of the file's own name the question covers; squared, because half a name is often there by chance."""
    return [path.precision**2 for path in pool.paths]


def folders(asked: _Asked, pool: _Pool) -> Column:
    """How much of the question the folders cover that the file's name does not."""
    return [path.folders for path in pool.paths]


def aside(asked: _Asked, pool: _Pool) -> Column:
    """Taken from tests, vendored, generated and example files; from tests not when they are asked for."""
    tags = [group.lights[0].tags for group in pool.files]
    taken = {some: _aside(asked, some) for some in set(tags)}
    return [taken[some] for some in tags]


def _aside(asked: _Asked, tags: tuple[str, ...]) -> float:
    found = ASIDE.intersection(tags)
    return -1.0 if found and not (asked.wants_tests and found == {"test"}) else 0.0


def docs(asked: _Asked, pool: _Pool) -> Column:
    """Taken from prose, unless prose is asked for: a question about code wants code."""
    if asked.wants_docs:
        return [0.0] * len(pool.files)
    return [-1.0 if "docs" in group.lights[0].tags else 0.0 for group in pool.files]


def text(asked: _Asked, pool: _Pool) -> Column:
    """Words of the chunk."""
    return [text for group in pool.files for text in group.texts]


def vector(asked: _Asked, pool: _Pool) -> Column:
    """Meaning of the chunk."""
    return [vector for group in pool.files for vector in group.vectors]


def name(asked: _Asked, pool: _Pool) -> Column:
    """How well the best name defined in the chunk answers."""
    return [match.best for match in pool.names]


def exact(asked: _Asked, pool: _Pool) -> Column:
    """Whether an asked identifier is defined here."""
    return [exactness(light, asked.names, asked.lowered) for light in pool.lights]


def _exact(asked: _Asked, light: Light) -> float:
    return exactness(light, asked.names, asked.lowered) if asked.lowered else 0.0


def map_(asked: _Asked, pool: _Pool) -> Column:
    """Taken from the map of a file's symbols."""
    kind = ChunkType.SYMBOLS
    return [-1.0 if light.chunk_type is kind else 0.0 for light in pool.lights]


def data(asked: _Asked, pool: _Pool) -> Column:
    """Taken from constants and configuration, unless an asked identifier is defined there."""
    kind = ChunkType.DATA
    return [-1.0 if light.chunk_type is kind and not _exact(asked, light) else 0.0 for light in pool.lights]


FILE_SIGNALS: Mapping[str, Signal] = {
    signal.__name__: signal
    for signal in (file_text, file_vector, file_names, file_name, file_named, folders, aside, docs)
}
CHUNK_SIGNALS: Mapping[str, Signal] = {
    signal.__name__.rstrip("_"): signal for signal in (text, vector, name, exact, map_, data)
}


def rank(
    files: Sequence[FileGroup],
    query: ParsedQuery,
    *,
    known: Known,
    weights: Weights | None = None,
    limit: int = 10,
) -> list[Ranked]:
    """The best candidates, best first; equals by path and line.

    A further chunk of a file that was already shown keeps only part of its score.
    """
    asked = _Asked.of(query, known.wanted)
    pool = _Pool.of(files, asked)
    on = _weights_of(weights or BY_SHAPE[query.shape], bool(asked.lowered))
    of_files = _columns(FILE_SIGNALS, on, asked, pool=pool)
    bases = _added(of_files, on, [0.0] * len(files))
    borrowed = lent([group.path for group in files], bases, known.ties, on=on)
    bases = _added(borrowed, on, bases)
    of_chunks = _columns(CHUNK_SIGNALS, on, asked, pool=pool)
    scores = [base for base, group in zip(bases, files, strict=True) for _ in group.lights]
    scores = _added(of_chunks, on, scores)
    shares = _Shares(of_files | borrowed, of_chunks, on)
    kept = _kept(asked, pool, scores)
    scores = [score * part for score, part in zip(scores, kept, strict=True)]
    least = sorted(scores)[-limit] - _TIE if len(scores) > limit > 0 else -inf
    best = sorted(_place(pool.lights[n], scores[n], n) for n in range(len(scores)) if scores[n] >= least)
    return [_explained(pool, n, shares, kept[n]) for *_, n in best[: max(limit, 0)]]


@lru_cache(maxsize=64)
def _weights_of(weights: Weights, names_asked: bool) -> Mapping[str, float]:
    """The signals that are on, with their weights."""
    on = {signal: weight for signal in SIGNALS if (weight := getattr(weights, signal))}
    if not names_asked:
        on.pop("exact", None)
    return on


def _columns(
    signals: Mapping[str, Signal], on: Mapping[str, float], asked: _Asked, *, pool: _Pool
) -> dict[str, Column]:
    """What each signal that is on gives to each file or chunk, 0 to 1."""
    return {key: signal(asked, pool) for key, signal in signals.items() if key in on}


def _added(columns: Mapping[str, Column], on: Mapping[str, float], scores: Column) -> Column:
    """These scores with what the signals give, weighed."""
    for key, column in columns.items():
        weight = on[key]
        scores = [score + weight * value for score, value in zip(scores, column, strict=True)]
    return scores


class _Shares(NamedTuple):
    """What each signal gives, in columns over the files and over the chunks of a pool, and what it weighs."""

    of_files: Mapping[str, Column]
    of_chunks: Mapping[str, Column]
    on: Mapping[str, float]


def _kept(asked: _Asked, pool: _Pool, scores: Column) -> Column:
    """How much of its score each chunk keeps: all of it, but of a further one of a file less."""
    parts = [1.0] * len(scores)
    for start, end in pairwise(pool.starts):
        if end - start == 1:
            continue
        for turn, n in enumerate(sorted(range(start, end), key=scores.__getitem__, reverse=True)):  # stable: by line
            # Whoever types one name wants every definition of it, also two in one file.
            if turn and not (asked.one_name and _exact(asked, pool.lights[n]) >= SURE):
                part = REPEATS[turn] if turn < len(REPEATS) else REPEATS[-1]
                parts[n] = part if scores[n] > 0.0 else 2.0 - part
    return parts


def _place(light: Light, score: float, n: int) -> tuple[float, str, int, int, int]:
    return -round(score, 9), light.file_path, light.start_line, light.row, n


def _explained(pool: _Pool, n: int, shares: _Shares, kept: float) -> Ranked:
    """The result with its shares; signals that gave nothing are left out."""
    file = bisect_right(pool.starts, n) - 1
    given = {key: shares.on[key] * value for key, column in shares.of_chunks.items() if (value := column[n])}
    given |= {key: shares.on[key] * value for key, column in shares.of_files.items() if (value := column[file])}
    if kept != 1.0:
        given[REPEATED] = sum(given.values()) * (kept - 1.0)
    return Ranked(pool.lights[n], sum(given.values()), given)
