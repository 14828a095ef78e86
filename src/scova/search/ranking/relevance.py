"""Whether an answer holds anything relevant: a probability, from what is known of its best results anyway.

Responsible for the judgement and its numbers; one value holds them, as `weights` holds those of the ranking, so that an experiment
can vary it and a reader can see it whole. It refuses to look anything up: `judge` brings the evidence.

The numbers are a logistic regression over questions that the repositories of a public benchmark answer and questions that they do
not, as many of the one as of the other; bench/quality/relevance.py repeats it, and docs/reference/ranking.md has the tables.
"""

from collections.abc import Mapping
from math import exp
from typing import NamedTuple

from scova.record import record


class Evidence(NamedTuple):
    """What is known of a question and of its best results."""

    words: float = 0.0  # how much of the question the one that holds most of it has: in its text, names and path
    matched: float = 0.0  # about how many of its words these are: half of ten is more than half of two
    named: float = 0.0  # how well a name or the file's name of one of them answers by its words
    nearest: float | None = None  # cosine similarity of the nearest chunk; None where meaning has no say
    literally: bool = False  # what it asks for stands here as it was written
    placed: bool = False  # it names a place, and there is something there


class Judgement(NamedTuple):
    """`relevance` is how likely it is that something relevant was found; `shares` add up to its log-odds."""

    relevance: float
    nothing: bool
    shares: Mapping[str, float]


@record
class Odds:
    """What each piece of evidence adds to the log-odds."""

    start: float
    words: float
    matched: float
    named: float
    nearest: float = 0.0


WITH_MEANING = Odds(start=-8.36, words=0.90, matched=0.60, named=1.26, nearest=14.58)
BY_WORDS = Odds(start=-5.25, words=3.33, matched=0.86, named=3.19)
# So that not one in fifty questions that have an answer is said to have none, cross-validated on the repositories it was fitted on; on
# repositories it was not made with (docs/reference/quality.md) it is one in nineteen.
NOTHING_BELOW = 0.17
FITTED_MODEL = "scova-static-2:d0bb35256cfb^0.75"  # the embedder whose similarities `nearest` was fitted on: others measure by another yard

CERTAIN = Judgement(1.0, False, {"literally": 1.0})
NOTHING = Judgement(0.0, True, {})


def judged(evidence: Evidence) -> Judgement:
    """The judgement. What stands here literally is found; where a place was named, whoever asked wants what is there."""
    if evidence.literally:
        return CERTAIN
    odds = BY_WORDS if evidence.nearest is None else WITH_MEANING
    shares = {
        "start": odds.start,
        "words": odds.words * evidence.words,
        "matched": odds.matched * evidence.matched,
        "named": odds.named * evidence.named,
    }
    if evidence.nearest is not None:
        shares["nearest"] = odds.nearest * evidence.nearest
    relevance = 1.0 / (1.0 + exp(-sum(shares.values())))
    return Judgement(relevance, relevance < NOTHING_BELOW and not evidence.placed, shares)
