"""Candidates into an order, with the reasons.

A score is the sum of shares, one for each signal: a small function of one file or one chunk, 0 to 1, times its weight. Responsible
for the signals, and for not showing one file over and over. It refuses to find anything, and to read texts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from scova.search.asked.evidence import Wanted, wanted
from scova.search.asked.query import ParsedQuery, Shape
from scova.search.ranking.fuse import Candidate, FileGroup
from scova.search.ranking.paths import PathEvidence, path_evidence
from scova.search.ranking.symbols import SURE, NameMatch, asked_names, exactness, name_match
from scova.search.ranking.weights import BY_SHAPE, SIGNALS, Weights
from scova.types import ChunkType, Light

ASIDE = frozenset(("test", "vendored", "generated", "example"))  # tags of files that are not the real thing
REPEATED = "repeated"  # the share that takes a further chunk of one file down
REPEATS = (  # what the first, second, third … chunk of a file keeps of its score; the last holds on
    1.0,
    0.4,
    0.3,
    0.2,
    0.1,
)
_TIE = 1e-6  # scores nearer than this may still be put in order of path


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk with its place's score, and what each signal gave to it; the shares add up to the score."""

    light: Light
    score: float
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
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
    def of(cls, query: ParsedQuery, rarity: Callable[[str], float]) -> "_Asked":
        names = asked_names(query)
        lowered = frozenset(name.lower() for name in names)
        together = frozenset(name.replace("_", "") for name in lowered)
        docs = ChunkType.DOCUMENTATION in query.filters.chunk_types or "docs" in query.filters.tags
        return cls(
            wanted(query.content, rarity),
            frozenset(names),
            lowered,
            together.union(query.compounds),
            query.wants_tests,
            docs,
            query.shape is Shape.IDENTIFIER,
        )


class _File(NamedTuple):
    """One file as the signals see it."""

    group: FileGroup
    path: PathEvidence
    names: list[NameMatch]  # beside the group's candidates
    tags: tuple[str, ...]


def file_text(asked: _Asked, file: _File) -> float:
    """Words of the file's best chunks together."""
    return file.group.text


def file_vector(asked: _Asked, file: _File) -> float:
    """Meaning of the file's best chunks together."""
    return file.group.vector


def file_names(asked: _Asked, file: _File) -> float:
    """How much of the question all names defined in the file's candidates cover."""
    matches = [match.found for match in file.names if match.found]
    if not matches:
        return 0.0
    together = dict(matches[0])
    for found in matches[1:]:
        for term, worth in found.items():
            if worth > together.get(term, 0.0):
                together[term] = worth
    return asked.wanted.share(together)


def file_name(asked: _Asked, file: _File) -> float:
    """How much of the question the file's own name covers."""
    return file.path.coverage


def file_named(asked: _Asked, file: _File) -> float:
    """How much of the file's own name the question covers."""
    return file.path.precision


def folders(asked: _Asked, file: _File) -> float:
    """How much of the question the folders cover that the file's name does not."""
    return file.path.folders


def aside(asked: _Asked, file: _File) -> float:
    """Taken from tests, vendored, generated and example files; from tests not when they are asked for."""
    if not file.tags:
        return 0.0
    found = ASIDE.intersection(file.tags)
    return -1.0 if found and not (asked.wants_tests and found == {"test"}) else 0.0


def docs(asked: _Asked, file: _File) -> float:
    """Taken from prose, unless prose is asked for: a question about code wants code."""
    return -1.0 if "docs" in file.tags and not asked.wants_docs else 0.0


def text(asked: _Asked, chunk: Candidate, names: NameMatch) -> float:
    """Words of the chunk."""
    return chunk.text


def vector(asked: _Asked, chunk: Candidate, names: NameMatch) -> float:
    """Meaning of the chunk."""
    return chunk.vector


def name(asked: _Asked, chunk: Candidate, names: NameMatch) -> float:
    """How well the best name defined in the chunk answers."""
    return names.best


def exact(asked: _Asked, chunk: Candidate, names: NameMatch) -> float:
    """Whether an asked identifier is defined here."""
    return exactness(chunk.light, asked.names, asked.lowered) if asked.lowered else 0.0


def map_(asked: _Asked, chunk: Candidate, names: NameMatch) -> float:
    """Taken from the map of a file's symbols."""
    return -1.0 if chunk.light.chunk_type is ChunkType.SYMBOLS else 0.0


def data(asked: _Asked, chunk: Candidate, names: NameMatch) -> float:
    """Taken from constants and configuration, unless an asked identifier is defined there."""
    return -1.0 if chunk.light.chunk_type is ChunkType.DATA and not exact(asked, chunk, names) else 0.0


FILE_SIGNALS: Mapping[str, Callable[[_Asked, _File], float]] = {
    signal.__name__: signal
    for signal in (file_text, file_vector, file_names, file_name, file_named, folders, aside, docs)
}
CHUNK_SIGNALS: Mapping[str, Callable[[_Asked, Candidate, NameMatch], float]] = {
    signal.__name__.rstrip("_"): signal for signal in (text, vector, name, exact, map_, data)
}


class _Scored(NamedTuple):
    """A candidate with its score, before its shares are told."""

    score: float  # what it keeps of it
    kept: float  # less than 1 when the file was shown already
    candidate: Candidate
    names: NameMatch
    file: _File


def rank(
    files: Sequence[FileGroup],
    query: ParsedQuery,
    *,
    rarity: Callable[[str], float],
    weights: Weights | None = None,
    limit: int = 10,
) -> list[Ranked]:
    """The best candidates, best first; equals by path and line. `rarity` says how much a term tells.

    A further chunk of a file that was already shown keeps only part of its score.
    """
    asked = _Asked.of(query, rarity)
    scale = _scale(weights or BY_SHAPE[query.shape], bool(asked.lowered))
    found: list[_Scored] = []
    for group in files:
        found.extend(_scored(asked, group, scale)[:limit])
    found.sort(key=_best_first)
    if len(found) > limit > 0:
        found = [one for one in found if one.score >= found[limit - 1].score - _TIE]
    found.sort(key=_in_order)
    return [_explained(asked, one, scale) for one in found[: max(limit, 0)]]


class _Scale(NamedTuple):
    """The signals that are on, with their weights."""

    on_file: tuple[tuple[str, float, Callable[[_Asked, _File], float]], ...]
    on_chunk: tuple[tuple[str, float, Callable[[_Asked, Candidate, NameMatch], float]], ...]
    on_code: tuple[
        tuple[str, float, Callable[[_Asked, Candidate, NameMatch], float]], ...
    ]  # without what code never has


@lru_cache(maxsize=64)
def _scale(weights: Weights, names_asked: bool) -> _Scale:
    on = {signal: weight for signal in SIGNALS if (weight := getattr(weights, signal))}
    if not names_asked:
        on.pop("exact", None)
    on_chunk = tuple((key, on[key], signal) for key, signal in CHUNK_SIGNALS.items() if key in on)
    return _Scale(
        tuple((key, on[key], signal) for key, signal in FILE_SIGNALS.items() if key in on),
        on_chunk,
        tuple(entry for entry in on_chunk if entry[0] not in ("map", "data")),
    )


def _scored(asked: _Asked, group: FileGroup, scale: _Scale) -> list[_Scored]:
    """The candidates of one file with their scores, best first, each further one lowered."""
    candidates = group.candidates
    wanted_words = asked.wanted
    names = [name_match(candidate.light.names, wanted_words) for candidate in candidates]
    path = path_evidence(group.path, wanted_words, asked.file_names)
    file = _File(group, path, names, candidates[0].light.tags)
    of_file = 0.0
    for _, weight, signal in scale.on_file:
        of_file += weight * signal(asked, file)
    scores = []
    for candidate, match in zip(candidates, names, strict=True):
        score = of_file
        plain = candidate.light.chunk_type is ChunkType.DEFINITIONS
        for _, weight, chunk_signal in scale.on_code if plain else scale.on_chunk:
            score += weight * chunk_signal(asked, candidate, match)
        scores.append(score)
    if len(scores) == 1:
        return [_Scored(scores[0], 1.0, candidates[0], names[0], file)]
    result = []
    for turn, place in enumerate(sorted(range(len(scores)), key=scores.__getitem__, reverse=True)):  # stable: by line
        # Whoever types one name wants every definition of it, also two in one file.
        is_definition = asked.one_name and exact(asked, candidates[place], names[place]) >= SURE
        kept = 1.0 if is_definition else REPEATS[min(turn, len(REPEATS) - 1)]
        kept = kept if scores[place] > 0.0 else 2.0 - kept
        result.append(_Scored(scores[place] * kept, kept, candidates[place], names[place], file))
    return result


def _best_first(one: _Scored) -> float:
    return -one.score


def _in_order(one: _Scored) -> tuple[float, str, int, int]:
    light = one.candidate.light
    return -round(one.score, 9), light.file_path, light.start_line, light.row


def _explained(asked: _Asked, one: _Scored, scale: _Scale) -> Ranked:
    """The result with its shares; signals that gave nothing are left out."""
    shares: dict[str, float] = {}
    for key, weight, signal in scale.on_chunk:
        shares[key] = weight * signal(asked, one.candidate, one.names)
    for key, weight, file_signal in scale.on_file:
        shares[key] = weight * file_signal(asked, one.file)
    shares = {key: share for key, share in shares.items() if share}
    if one.kept != 1.0:
        shares[REPEATED] = sum(shares.values()) * (one.kept - 1.0)
    return Ranked(one.candidate.light, sum(shares.values()), shares)
