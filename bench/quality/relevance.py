#!/usr/bin/env python3
"""How well "nothing relevant here" is judged, and the numbers it is judged by (src/scova/search/ranking/relevance.py).

    BENCH_ROOT=DIR python bench/quality/relevance.py --evaluate DIR/evaluate.py [--repos a,b] [--no-save]

Answerable are the questions of each repository, the same without the identifiers they name (bare), and the same with these a little
wrong (misremembered). Unanswerable are questions of the other repositories (but for those that name an identifier which stands here;
many of the rest can be answered all the same, since several repositories do similar things: what is caught of them is a lower bound),
questions about other domains, random words and random letters. Each side weighs the same as a whole.

A logistic regression is fitted with five parts of the repositories, each judged by what was fitted on the other four; every figure is of
repositories that the numbers behind it have not seen. The printed numbers are fitted on all of them. Writes bench/results/relevance-COMMIT.json.
"""

import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from ablation import chosen
from machine import save
from unanswerable import FOREIGN, gibberish, misremembered, nonsense, without

from scova import Index
from scova.errors import QueryError
from scova.search.asked.query import parse
from scova.search.demand import demanded
from scova.search.find import Finding
from scova.search.judge import LOOKED_AT, evidence
from scova.search.ranking.relevance import NOTHING_BELOW, Evidence
from scova.search.view import View
from scova.types import Mode

ANSWERABLE = ("own", "bare", "misremembered")
UNANSWERABLE = ("other repository", "other domain", "random words", "random letters")
EACH = {"other repository": 80, "other domain": 40, "random words": 15, "random letters": 5}  # a repository
WAYS = {  # how it is asked: mode, whether there are vectors
    "hybrid": (Mode.HYBRID, True),
    "vector": (Mode.VECTOR, True),
    "hybrid, no vectors": (Mode.HYBRID, False),
    "text": (Mode.TEXT, True),
}
TABLES = {"WITH_MEANING": ("hybrid", "vector"), "BY_WORDS": ("hybrid, no vectors", "text")}
FOLDS = 5
RIDGE = 1e-3


class Case(NamedTuple):
    """One question to one repository."""

    repo: int
    kind: str
    way: str
    known: Evidence

    @property
    def answerable(self) -> bool:
        return self.kind in ANSWERABLE

    def row(self) -> list[float]:
        known = self.known
        meant = [] if known.nearest is None else [known.nearest]
        return [1.0, known.words, known.matched, known.named, *meant]


Array = np.ndarray[Any, np.dtype[np.float64]]


def questions(repos: Sequence[Any], place: int) -> Iterator[tuple[str, str]]:
    """Every question for one repository, with its kind."""
    chance = random.Random(place)
    for query in repos[place].queries:
        text = query["query"]
        names = tuple(sorted(parse(text).identifiers, key=len, reverse=True))
        yield "own", text
        if names:
            yield "misremembered", misremembered(text, names, chance)
            if len(without(text, names).split()) > 3:
                yield "bare", without(text, names)
    others = [query["query"] for repo in repos if repo is not repos[place] for query in repo.queries]
    for text in chance.sample(others, min(EACH["other repository"], len(others))):
        yield "other repository", text
    for text in chance.sample(FOREIGN, EACH["other domain"]):
        yield "other domain", text
    for _ in range(EACH["random words"]):
        yield "random words", nonsense(chance)
    for _ in range(EACH["random letters"]):
        yield "random letters", gibberish(chance)


def asked(view: View, text: str, mode: Mode) -> Evidence:
    """What is known of a question; as a search has it."""
    parsed = parse(text)
    finding = Finding(view, parsed, demanded(view, parsed), LOOKED_AT)
    ranked = finding.by_mode(mode)
    return evidence(finding, ranked) if ranked else Evidence()


def collect(repos: Sequence[Any]) -> list[Case]:
    """Every question in every way."""
    cases: list[Case] = []
    for place, repo in enumerate(repos):
        with (
            tempfile.TemporaryDirectory(prefix="scova-bench-") as folder,
            Index.open(str(repo.root), data=f"{folder}/index") as index,
        ):
            index.refresh()
            whole = index._searching().view()
            for kind, text in questions(repos, place):
                try:
                    parse(text)
                except QueryError:
                    continue
                for way, (mode, vectors) in WAYS.items():
                    known = asked(whole if vectors else replace(whole, vector=None), text, mode)
                    if not (kind == "other repository" and known.literally):
                        cases.append(Case(place, kind, way, known))
        print(f"{repo.name} done", file=sys.stderr, flush=True)
    return cases


def balanced(answerable: Array) -> Array:
    """A weight for each, so that both sides count the same."""
    share = answerable.mean()
    weights: Array = np.where(answerable == 1.0, 0.5 / share, 0.5 / (1.0 - share))
    return weights


def fitted(rows: Array, answerable: Array) -> Array:
    """A logistic regression by Newton's method; the ridge is on standardised columns, and not on the first."""
    mean, spread = rows[:, 1:].mean(0), rows[:, 1:].std(0) + 1e-9
    scaled = np.c_[rows[:, :1], (rows[:, 1:] - mean) / spread]
    weights, found = balanced(answerable), np.zeros(rows.shape[1])
    ridge = RIDGE * len(rows) * np.r_[0.0, np.ones(len(found) - 1)]
    for _ in range(50):
        likely = logistic(scaled @ found)
        slope = scaled.T @ (weights * (answerable - likely)) - ridge * found
        found = found + np.linalg.solve(
            (scaled * (weights * likely * (1 - likely))[:, None]).T @ scaled + np.diag(ridge + 1e-9), slope
        )
    beyond = found[1:] / spread
    return np.r_[found[0] - beyond @ mean, beyond]


def logistic(log_odds: Array) -> Array:
    found: Array = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -40, 40)))
    return found


def judged(cases: Sequence[Case]) -> tuple[Array, Array]:
    """The numbers fitted on all, and each case's relevance by those fitted without its part of the repositories."""
    certain = np.array([case.known.literally for case in cases])
    rows = np.array([case.row() if not case.known.literally else [1.0] + [0.0] * _width(cases) for case in cases])
    answerable = np.array([float(case.answerable) for case in cases])
    folds = np.array([case.repo % FOLDS for case in cases])
    relevance = np.ones(len(cases))
    for fold in range(FOLDS):
        learn, look = (folds != fold) & ~certain, (folds == fold) & ~certain
        if look.any():
            relevance[look] = logistic(rows[look] @ fitted(rows[learn], answerable[learn]))
    return fitted(rows[~certain], answerable[~certain]), relevance


def _width(cases: Sequence[Case]) -> int:
    return max(len(case.row()) for case in cases if not case.known.literally) - 1


def area(relevance: Array, answerable: Array) -> float:
    """How often a question that has an answer is judged higher than one that has none."""
    _, inverse, counts = np.unique(relevance, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    ones = answerable.sum()
    return float((ranks[answerable == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(ranks) - ones)))


def summary(cases: Sequence[Case], relevance: Array, way: str) -> dict[str, Any]:
    """The figures of one way of asking."""
    here = np.array([case.way == way for case in cases])
    kinds = np.array([case.kind for case in cases])[here]
    answerable = np.array([float(case.answerable) for case in cases])[here]
    likely = relevance[here]
    weights = balanced(answerable)
    bins = np.minimum((likely * 10).astype(int), 9)
    flagged = {
        kind: float((likely[kinds == kind] < NOTHING_BELOW).mean())
        for kind in (*ANSWERABLE, *UNANSWERABLE)
        if (kinds == kind).any()
    }
    return {
        "questions": {kind: int((kinds == kind).sum()) for kind in flagged},
        "area": area(likely, answerable),
        "brier": float(np.average((likely - answerable) ** 2, weights=weights)),
        "flagged": flagged,
        "below": NOTHING_BELOW,
        "flagged_answerable": float((likely[answerable == 1] < NOTHING_BELOW).mean()),
        "caught": float((likely[answerable == 0] < NOTHING_BELOW).mean()),
        "two_percent": float(np.quantile(likely[answerable == 1], 0.02)),
        "reliability": [
            (
                f"{one / 10:.1f}",
                float(np.average(likely[bins == one], weights=weights[bins == one])),
                float(np.average(answerable[bins == one], weights=weights[bins == one])),
                int((bins == one).sum()),
            )
            for one in range(10)
            if (bins == one).any()
        ],
    }


def table(summaries: dict[str, dict[str, Any]]) -> str:
    """The figures as Markdown."""
    kinds = (*ANSWERABLE, *UNANSWERABLE)
    lines = [
        f"| asked | area under curve | Brier | {' | '.join(kinds)} | answerable, all | unanswerable, all |",
        "|---" + "|---:" * (len(kinds) + 4) + "|",
    ]
    for way, one in summaries.items():
        shares = " | ".join(f"{100 * one['flagged'].get(kind, float('nan')):.1f} %" for kind in kinds)
        both = f"{100 * one['flagged_answerable']:.1f} % | {100 * one['caught']:.1f} %"
        lines.append(f"| {way} | {one['area']:.3f} | {one['brier']:.3f} | {shares} | {both} |")
    lines += ["", f"| relevance | {' | '.join(summaries)} |", "|---" + "|---:" * len(summaries) + "|"]
    for low in sorted({row[0] for one in summaries.values() for row in one["reliability"]}):
        cells = [next((row for row in one["reliability"] if row[0] == low), None) for one in summaries.values()]
        shown = " | ".join(f"{cell[1]:.2f} → {cell[2]:.2f} ({cell[3]})" if cell else "" for cell in cells)
        lines.append(f"| from {low} | {shown} |")
    return "\n".join(lines)


def main() -> None:
    _, repos, saves = chosen(__doc__, least=FOLDS)
    cases = collect(repos)
    summaries: dict[str, dict[str, Any]] = {}
    for name, ways in TABLES.items():
        mine = [case for case in cases if case.way in ways]
        numbers, relevance = judged(mine)
        print(f"{name}: " + ", ".join(f"{number:.2f}" for number in numbers), "(start, words, matched, named, nearest)")
        summaries |= {way: summary(mine, relevance, way) for way in ways}
    print(table(summaries))
    for way, one in summaries.items():
        print(f"{way}: 2 % of all answerable questions lie below {one['two_percent']:.3f}; {one['questions']}")
    if saves:
        print(f"written to {save('relevance', {'ways': summaries})}", file=sys.stderr)


if __name__ == "__main__":
    main()
