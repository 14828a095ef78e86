"""Figures for one question and their means. Numbers and spans in, numbers out."""

import math
import random
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from question import Question, Span

from scova.evaluation.measures import CUT, files_of, ndcg

RESAMPLES = 2000
BUDGET = 8000  # characters: about 2,000 tokens


class Found(NamedTuple):
    """One result: its lines, how much text it shows, and whether it shows these lines or only tells of the file."""

    span: Span
    characters: int
    shown: bool = True


class Score(NamedTuple):
    """What a system made of one question."""

    ndcg: float  # by spans
    recall: float
    reciprocal: float  # one by the rank of the first right span among ten; 0: none is
    file_ndcg: float
    characters: int  # of results that are read up to the first right one, or in vain
    in_budget: (
        float  # whether a right one is read within the budget, of however many results: size of results does not matter
    )


def judged(found: Sequence[Found], question: Question, cut: int = CUT) -> list[Found]:
    """The results that count: the first ones that do not stand where the question was taken from."""
    source = question.source
    return [one for one in found if source is None or not one.span.shared(source)][:cut]


def right(found: Sequence[Found], question: Question) -> list[set[Span]]:
    """For each result which answers it gives that none before it gave."""
    left, given = set(question.spans), []
    for one in found:
        new = {span for span in left if one.shown and one.span.answers(span)}
        left -= new
        given.append(new)
    return given


def score(found: Sequence[Found], question: Question, files: Sequence[str] | None = None) -> Score:
    """All figures. `files` is a ranking of files, where it is not that of the results."""
    counted = judged(found, question)
    given = right(counted, question)
    gain = sum(len(new) / math.log2(rank + 1) for rank, new in enumerate(given, 1))
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, len(question.spans) + 1))
    first = next((rank for rank, new in enumerate(given, 1) if new), 0)
    paths = [one.span.path for one in found] if files is None else files
    return Score(
        ndcg=min(1.0, gain / ideal),
        recall=sum(map(len, given)) / len(question.spans),
        reciprocal=1 / first if first else 0.0,
        file_ndcg=ndcg(files_of(paths, question.ignored), {span.path for span in question.spans}),
        characters=sum(one.characters for one in (counted[:first] if first else counted)),
        in_budget=float(_in_budget(found, question)),
    )


def _in_budget(found: Sequence[Found], question: Question) -> bool:
    counted = judged(found, question, len(found))
    read = 0
    for one, new in zip(counted, right(counted, question), strict=True):
        read += one.characters
        if new or read > BUDGET:
            return bool(new) and read <= BUDGET
    return False


class Interval(NamedTuple):
    value: float
    low: float
    high: float


def over_repositories(values: Mapping[str, Sequence[float]], *, seed: int = 0) -> Interval | None:
    """The mean of the repositories' means, and where it lies with 95 % certainty by bootstrap over the repositories; None of none."""
    means = [fmean(some) for some in values.values() if some]
    if not means:
        return None
    chance = random.Random(seed)
    drawn = sorted(fmean(chance.choices(means, k=len(means))) for _ in range(RESAMPLES))
    return Interval(fmean(means), drawn[round(0.025 * RESAMPLES)], drawn[round(0.975 * RESAMPLES) - 1])
