"""Figures for rankings: NDCG, recall, their means, and how sure a mean is. Numbers in, numbers out."""

import math
import random
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

CUT = 10
RESAMPLES = 1000
_LOW, _HIGH = 0.025, 0.975


class Mean(NamedTuple):
    """A mean and its 95 % interval, by bootstrap over the values; of fewer than two values the interval is the mean itself."""

    value: float
    low: float
    high: float


def files_of(paths: Iterable[str], ignored: Collection[str] = ()) -> list[str]:
    """Each file once, where it comes first, without the ignored ones: the part of a ranking that is judged."""
    return list(dict.fromkeys(path for path in paths if path not in ignored))[:CUT]


def ndcg(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """NDCG@10: 1 when all relevant files come first, less the further down they are, 0 when none is there."""
    gain = sum(1 / math.log2(rank + 1) for rank, path in enumerate(ranking[:CUT], 1) if path in relevant)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), CUT) + 1))
    return gain / ideal if ideal else 0.0


def recall(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Which part of the relevant files is among the first ten."""
    return sum(path in relevant for path in ranking[:CUT]) / len(relevant) if relevant else 0.0


def first_rank(ranking: Sequence[str], relevant: Collection[str]) -> int:
    """Where the first relevant file stands, from 1; 0 when none is among the first ten."""
    return next((rank for rank, path in enumerate(ranking[:CUT], 1) if path in relevant), 0)


def mean(values: Sequence[float], *, seed: int = 0) -> Mean:
    """The mean of these values, with the interval that the seed decides."""
    count = len(values)
    value = math.fsum(values) / count if count else 0.0
    if count < 2:
        return Mean(value, value, value)
    chance = random.Random(seed)
    means = sorted(math.fsum(chance.choices(values, k=count)) / count for _ in range(RESAMPLES))
    return Mean(value, means[int(_LOW * RESAMPLES)], means[int(_HIGH * RESAMPLES) - 1])
