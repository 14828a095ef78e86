#!/usr/bin/env python3
"""Fit the weights of the ranking by cross-validation over repositories, and say how well they do where they were not fitted.

    BENCH_ROOT=DIR python bench/quality/fit.py --evaluate DIR/evaluate.py [--divisions 4] [--no-save]

A weighted sum of signals chooses among the files of a question's candidates as a softmax would; the weights make what was chosen by the
labels as likely as possible (a convex loss: one solution, found by Newton's method), held near equal weights by a penalty that does
not depend on any repository. Only this is fitted; which signals there are, and the penalty, are not. Of what the fit gives to names of
files three quarters are kept: this benchmark's questions say them more often than others do (docs/reference/ranking.md). Then every repository is scored,
through the ranking itself, with weights fitted on other repositories: five parts, divided anew several times.
"""

import argparse
import random
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from machine import save
from quality.ablation import load

from scova import Index
from scova.search import find
from scova.search.asked.query import ParsedQuery, Shape
from scova.search.ranking import rank as ranking
from scova.search.ranking.coherence import LENT_SIGNALS, lent
from scova.search.ranking.fuse import FileGroup
from scova.search.ranking.known import Known
from scova.search.ranking.weights import BY_SHAPE, SIGNALS, Weights, for_one_name

EQUAL = 1.5  # what every weight is drawn towards; the scale is free, and this one suits the softmax
PENALTY = 0.0005
ROUNDS = 3  # signals that files lend each other depend on the weights: fitted, lent anew, fitted again
PARTS = 5
KEPT = {"file_named": 0.75}  # of what was fitted


@dataclass(frozen=True)
class Asked:
    """A question with its candidates, apart from any index."""

    repo: Any
    query: Any
    files: Sequence[FileGroup]
    parsed: ParsedQuery
    known: Known

    @property
    def right(self) -> "np.ndarray[Any, Any]":
        """Which of its files answer it."""
        paths = {target["path"] for target in self.query["targets"]}
        return np.array([self.repo.canonical(group.path) in paths for group in self.files], bool)


def questions(repos: Sequence[Any]) -> Iterator[Asked]:
    """Every question of the benchmark with its candidates; each repository is indexed for it."""
    seen: list[tuple[Any, ...]] = []

    def watching(files: Any, parsed: Any, *, known: Any, **rest: Any) -> Any:
        seen.append((files, parsed, known))
        return ranking.rank(files, parsed, known=known, **rest)

    find.rank = watching
    for repo in repos:
        with (
            tempfile.TemporaryDirectory(prefix="scova-fit-") as folder,
            Index.open(str(repo.root), data=f"{folder}/index") as index,
        ):
            index.refresh()
            for query in repo.queries:
                seen.clear()
                index.search(query["query"], limit=10)
                if seen:
                    yield Asked(repo, query, *seen[0][:2], known=_apart(seen[0][0], seen[0][2]))
        print(f"{repo.name} asked", file=sys.stderr, flush=True)


def _apart(files: Sequence[FileGroup], known: Known) -> Known:
    """What was known, in a dictionary: the index is closed by the time it is asked."""
    paths = [group.path for group in files]
    ties = dict(zip(paths, known.ties(paths), strict=True))
    return Known(known.wanted, lambda wanted: [ties[path] for path in wanted])


def values(asked: Asked, weights: Weights) -> "np.ndarray[Any, Any]":
    """What each signal gives to each file: those of its chunks by the best one. A row for each file."""
    about = ranking._Asked.of(asked.parsed, asked.known.wanted)
    pool = ranking._Pool.of(asked.files, about)
    on = {signal: getattr(weights, signal) for signal in SIGNALS}
    columns = ranking._columns(ranking.FILE_SIGNALS, on, about, pool=pool)
    bases = ranking._added(columns, on, [0.0] * len(asked.files))
    columns |= lent([group.path for group in asked.files], bases, asked.known.ties, on=LENT_SIGNALS)
    for key, signal in ranking.CHUNK_SIGNALS.items():
        column = signal(about, pool)
        columns[key] = [max(column[start:end]) for start, end in zip(pool.starts, pool.starts[1:], strict=False)]
    return np.array([columns.get(signal, [0.0] * len(asked.files)) for signal in SIGNALS]).T


Case = tuple["np.ndarray[Any, Any]", int]  # what the signals give to files that compete; which of them is right


def cases(asked: Asked, weights: Weights) -> list[Case]:
    """Every right file against all wrong ones."""
    rows, right = values(asked, weights), asked.right
    wrong = np.flatnonzero(~right)
    if not len(wrong):
        return []
    return [(rows[[one, *wrong]], 0) for one in np.flatnonzero(right)]


def fitted(some: Sequence[Sequence[Case]]) -> "np.ndarray[Any, Any]":
    """The weights that make the right files likeliest; every question counts the same."""
    goal = np.full(len(SIGNALS), EQUAL)
    weights = goal.copy()
    told = [one for one in some if one]
    for _ in range(25):
        slope, bend = 2 * PENALTY * (weights - goal), 2 * PENALTY * np.eye(len(goal))
        for question in told:
            for rows, right in question:
                likely = np.exp(rows @ weights - (rows @ weights).max())
                likely /= likely.sum()
                mean = likely @ rows
                share = 1.0 / len(question) / len(told)
                slope += (mean - rows[right]) * share
                bend += ((rows * likely[:, None]).T @ rows - np.outer(mean, mean)) * share
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def fit(asked: Sequence[Asked]) -> Weights:
    """The weights for these questions."""
    weights = Weights(**dict.fromkeys(SIGNALS, 1.0))
    for _ in range(ROUNDS):
        found = fitted([cases(one, weights) for one in asked])
        weights = Weights(**{signal: float(max(value, 0.0)) for signal, value in zip(SIGNALS, found, strict=True)})
    return replace(weights, **{signal: part * getattr(weights, signal) for signal, part in KEPT.items()})


def score(evaluate: Any, asked: Asked, weights: Weights) -> float:
    """NDCG@10 of a question, through the ranking itself."""
    if asked.parsed.shape is Shape.IDENTIFIER:
        weights = for_one_name(weights)
    ranked = ranking.rank(asked.files, asked.parsed, known=asked.known, weights=weights, limit=10)
    lights = [one.light for one in ranked]
    entries = [{"path": one.file_path, "start_line": one.start_line, "end_line": one.end_line} for one in lights]
    return float(evaluate.score_query(asked.repo, asked.query, entries)["strict"])


def divided(names: Sequence[str], seed: int) -> list[set[str]]:
    """The repositories in five parts."""
    mixed = sorted(names)
    random.Random(seed).shuffle(mixed)
    return [set(mixed[n::PARTS]) for n in range(PARTS)]


def summary(asked: Sequence[Asked], scores: Sequence[float]) -> dict[str, Any]:
    """Means over repositories, of everything and of each category."""

    def mean(key: Callable[[Asked], bool]) -> float:
        by_repo: dict[str, list[float]] = defaultdict(list)
        for one, value in zip(asked, scores, strict=True):
            if key(one):
                by_repo[one.repo.name].append(value)
        return statistics.mean(map(statistics.mean, by_repo.values())) if by_repo else float("nan")

    kinds = sorted({one.query["category"] for one in asked})
    return {"overall": mean(lambda one: True)} | {
        kind: mean(lambda one, kind=kind: one.query["category"] == kind) for kind in kinds
    }


def cross_validated(evaluate: Any, asked: Sequence[Asked], seed: int) -> tuple[list[float], list[float]]:
    """Each question's score by weights fitted without its repository's part; and the mean of each part."""
    scores = [0.0] * len(asked)
    means: list[float] = []
    for part in divided(sorted({one.repo.name for one in asked}), seed):
        weights = fit([one for one in asked if one.repo.name not in part])
        here = [n for n, one in enumerate(asked) if one.repo.name in part]
        for n in here:
            scores[n] = score(evaluate, asked[n], weights)
        means.append(summary([asked[n] for n in here], [scores[n] for n in here])["overall"])
    return scores, means


def told(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{key} {value:.4f}" for key, value in figures.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluate", type=Path, required=True, metavar="FILE", help="the benchmark's evaluate.py")
    parser.add_argument("--divisions", type=int, default=4, help="how often the repositories are divided anew")
    parser.add_argument("--no-save", action="store_true")
    chosen = parser.parse_args()
    evaluate = load(chosen.evaluate)
    repos = evaluate.load_repos()
    if len(repos) < PARTS:
        raise SystemExit("too few repositories found: set BENCH_ROOT to the folder that holds repos/")
    asked = list(questions(repos))
    weights = fit(asked)
    shipped = summary(asked, [score(evaluate, one, BY_SHAPE[Shape.QUESTION]) for one in asked])
    here = summary(asked, [score(evaluate, one, weights) for one in asked])
    print(f"shipped weights: {told(shipped)}\nfitted on all:   {told(here)}")
    print("weights: " + ", ".join(f"{signal}={getattr(weights, signal):.2f}" for signal in SIGNALS))
    runs, parts = [], []
    for seed in range(1, chosen.divisions + 1):
        scores, means = cross_validated(evaluate, asked, seed)
        runs.append(summary(asked, scores))
        parts += means
        print(
            f"division {seed}:      {told(runs[-1])}; parts {', '.join(f'{value:.3f}' for value in means)}", flush=True
        )
    overall = {key: statistics.mean(run[key] for run in runs) for key in runs[0]}
    spread = {"parts": statistics.stdev(parts), "divisions": statistics.stdev(run["overall"] for run in runs)}
    print(f"cross-validated: {told(overall)}; spread of {told(spread)}")
    if not chosen.no_save:
        figures = {
            "weights": {signal: round(getattr(weights, signal), 3) for signal in SIGNALS},
            "shipped": shipped, "fitted": here, "divisions": runs, "cross_validated": overall, "spread": spread,
        }  # fmt: skip
        print(f"written to {save('fit', figures)}", file=sys.stderr)


if __name__ == "__main__":
    main()
