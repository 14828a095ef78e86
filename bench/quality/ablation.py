#!/usr/bin/env python3
"""What each ranking signal is worth: NDCG@10 on the development split with one signal, or a group of them, left out.

    BENCH_ROOT=DIR python bench/quality/ablation.py --evaluate DIR/evaluate.py [--repos a,b] [--no-save]

Every repository is indexed once; the same index answers with each set of weights. Prints a Markdown table, and writes
bench/results/ablation-COMMIT.json, which docs/reference/ranking.md is taken from.
"""

import argparse
import importlib.util
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from machine import save

from scova import Index
from scova.search.ranking import rank
from scova.search.ranking.weights import SIGNALS, Weights
from scova.types import Mode

WHOLE = "all signals"
GROUPS: dict[str, tuple[str, ...]] = {
    WHOLE: (),
    **{signal: (signal,) for signal in SIGNALS},
    "every meaning": ("vector", "file_vector"),
    "every name": ("name", "file_names", "exact"),
    "every path": ("file_name", "file_named", "folders"),
    "every penalty": ("aside", "docs", "map", "data"),
    "one file once": (),  # the chunks of a file are not lowered when it was shown already
}


def load(path: Path) -> ModuleType:
    """The benchmark's own scorer as a module."""
    spec = importlib.util.spec_from_file_location("evaluate", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"cannot load {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(evaluate: ModuleType, repos: list[Any]) -> dict[str, dict[str, Any]]:
    """The scorer's summary for every group."""
    scores: dict[str, list[dict[str, Any]]] = {group: [] for group in GROUPS}
    for repo in repos:
        with (
            tempfile.TemporaryDirectory(prefix="scova-bench-") as folder,
            Index.open(str(repo.root), data=f"{folder}/index") as index,
        ):
            index.refresh()
            for group in GROUPS:
                with _changed(group):
                    scores[group] += [scored(evaluate, repo, query, index) for query in repo.queries]
        print(f"{repo.name} done", file=sys.stderr, flush=True)
    return {group: evaluate.summarise(rows, repos) for group, rows in scores.items()}


def scored(evaluate: ModuleType, repo: Any, query: Any, index: Index, *, mode: Mode = Mode.HYBRID) -> dict[str, Any]:
    """What the scorer says of the answer to one question."""
    answer = index.search(query["query"], limit=10, mode=mode)
    chunks = [result.chunk for result in answer.results]
    entries = [{"path": one.file_path, "start_line": one.start_line, "end_line": one.end_line} for one in chunks]
    about = {"repo": repo.name, "category": query["category"], "query": query["query"]}
    return {**about, **evaluate.score_query(repo, query, entries)}


class _changed:  # noqa: N801 - reads as a word where it is used
    """Ranks with a group's signals off while it is entered."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._kept = (rank.BY_SHAPE, rank.REPEATS)

    def __enter__(self) -> None:
        off: dict[str, Any] = dict.fromkeys(GROUPS[self._group], 0.0)
        rank.BY_SHAPE = {shape: replace(weights, **off) for shape, weights in self._kept[0].items()}
        if self._group == "one file once":
            rank.REPEATS = (1.0,)

    def __exit__(self, *error: object) -> None:
        rank.BY_SHAPE, rank.REPEATS = self._kept


def table(summaries: dict[str, dict[str, Any]]) -> str:
    """The figures as Markdown: what is left when a group is left out, and the difference."""
    whole = summaries[WHOLE]["overall"]
    rows = [
        "| left out | weight | NDCG@10 | difference | architecture | semantic | symbol |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for group, summary in summaries.items():
        weight = f"{getattr(Weights(), group):g}" if group in SIGNALS else ""
        kinds = " | ".join(
            f"{summary['by_category'].get(kind, float('nan')):.3f}" for kind in ("architecture", "semantic", "symbol")
        )
        name = "nothing" if group == WHOLE else group
        rows.append(f"| {name} | {weight} | {summary['overall']:.4f} | {summary['overall'] - whole:+.4f} | {kinds} |")
    return "\n".join(rows)


class Chosen(NamedTuple):
    """What a measurement over the benchmark was asked for."""

    evaluate: ModuleType
    repos: list[Any]
    saves: bool


def chosen(about: str | None, *, least: int = 1) -> Chosen:
    """What the command line asks for; ends the program where there are too few repositories."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluate", type=Path, required=True, metavar="FILE", help="the benchmark's evaluate.py")
    parser.add_argument("--repos", help="only these, separated by commas")
    parser.add_argument("--no-save", action="store_true")
    words = parser.parse_args()
    evaluate = load(words.evaluate)
    repos = evaluate.load_repos(set(words.repos.split(",")) if words.repos else None)
    if len(repos) < least:
        raise SystemExit(f"{len(repos)} repositories, and {least} at least: set BENCH_ROOT to what holds repos/")
    return Chosen(evaluate, repos, not words.no_save)


def main() -> None:
    evaluate, repos, saves = chosen(__doc__)
    summaries = measure(evaluate, repos)
    print(table(summaries))
    if saves:
        keep = ("overall", "ci95_over_repos", "micro", "by_category", "by_language")
        figures = {group: {key: summary[key] for key in keep} for group, summary in summaries.items()}
        print(f"written to {save('ablation', {'left_out': figures})}", file=sys.stderr)


if __name__ == "__main__":
    main()
