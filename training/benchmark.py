"""What a candidate model is worth on the question benchmark: vectors alone, and what they add to the ranking.

    BENCH_ROOT=DIR python training/benchmark.py --evaluate DIR/evaluate.py MODEL.bin [MODEL.bin ...] [--data FOLDER] [--out FILE.json]

Every repository is indexed once for each model (the text once, if FOLDER is kept). NDCG@10, mean over repositories: `vector` is the mode of
that name, raw; `hybrid` is the ranking as it ships, `without` the same index searched without any embedder, and `hybrid xF` with the
weights of meaning times F. Differences to the first model, and of hybrid to without, are paired over repositories, with 95 %
intervals by bootstrap.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1] / "bench" / "quality"))

from ablation import load

from scova import Index
from scova.embed.static import StaticEmbedder
from scova.search.ranking import rank
from scova.types import Mode

Scores = dict[str, dict[str, list[float]]]  # by way of searching and repository: one figure per question


def ways(scales: list[float]) -> dict[str, dict[str, float] | None]:
    """What is measured: factors on the weights of meaning; None is vector mode."""
    factors = {"hybrid": 1.0} | {f"hybrid x{scale:g}": scale for scale in scales}
    return {"vector": None} | {name: {"vector": f, "file_vector": f} for name, f in factors.items()}


def measure(evaluate: Any, repos: list[Any], model: Path, *, data: Path, scales: list[float]) -> Scores:
    """NDCG@10 of every question in every way."""
    scores: Scores = {way: {} for way in (*ways(scales), "without")}
    for repo in repos:

        def ask(index: Index, factors: dict[str, float] | None, repo: Any = repo) -> list[float]:
            return [_ndcg(evaluate, repo, query, _found(index, query["query"], factors)) for query in repo.queries]

        where = str(data / repo.name / "index")
        with _embedder(StaticEmbedder(model)), Index.open(str(repo.root), data=where) as index:
            index.refresh()
            for way, factors in ways(scales).items():
                scores[way][repo.name] = ask(index, factors)
        with _embedder(None), Index.open(str(repo.root), data=where) as index:
            scores["without"][repo.name] = ask(index, {})
    return scores


def _embedder(chosen: StaticEmbedder | None) -> Any:
    return patch("scova.index.embedder.open_embedder", lambda *_, **__: chosen)


def _found(index: Index, query: str, factors: dict[str, float] | None) -> list[Any]:
    if factors is None:
        return [result.chunk for result in index.search(query, limit=10, mode=Mode.VECTOR).results]
    shipped = rank.BY_SHAPE
    scaled = {shape: replace(w, **{k: getattr(w, k) * f for k, f in factors.items()}) for shape, w in shipped.items()}
    with patch.object(rank, "BY_SHAPE", scaled):
        return [result.chunk for result in index.search(query, limit=10).results]


def _ndcg(evaluate: Any, repo: Any, query: Any, chunks: list[Any]) -> float:
    entries = [{"path": c.file_path, "start_line": c.start_line, "end_line": c.end_line} for c in chunks]
    score: float = evaluate.score_query(repo, query, entries)["strict"]
    return score


def by_repo(scores: dict[str, list[float]]) -> np.ndarray:
    return np.array([np.mean(scores[name]) for name in sorted(scores)])


def interval(differences: np.ndarray) -> str:
    """The mean of paired differences with its 95 % interval."""
    rng = np.random.default_rng(0)
    boots = differences[rng.integers(0, len(differences), (10_000, len(differences)))].mean(1)
    low, high = np.percentile(boots, [2.5, 97.5])
    return f"{differences.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--evaluate", type=Path, required=True)
    parser.add_argument("--data", type=Path, help="where indexes are kept; a temporary folder when left out")
    parser.add_argument("--scales", default="0.5,1.5,2,3", help="further factors on the weights of meaning")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    evaluate = load(chosen.evaluate)
    repos = evaluate.load_repos(None)
    scales = [float(scale) for scale in chosen.scales.split(",") if scale]
    kept: dict[str, Scores] = json.loads(chosen.out.read_text()) if chosen.out and chosen.out.exists() else {}
    with tempfile.TemporaryDirectory(prefix="scova-model-") as folder:
        for model in chosen.models:
            if model.stem not in kept:
                kept[model.stem] = measure(evaluate, repos, model, data=chosen.data or Path(folder), scales=scales)
            if chosen.out:
                chosen.out.write_text(json.dumps(kept))
            report(model.stem, kept[model.stem], kept[chosen.models[0].stem])


def report(name: str, scores: Scores, first: Scores) -> None:
    print(f"== {name}")
    for way, figures in scores.items():
        mine, without = by_repo(figures), by_repo(scores["without"])
        said = f"  {way:12} {mine.mean():.4f}   to the first {interval(mine - by_repo(first[way]))}"
        print(said + (f"   to without {interval(mine - without)}" if way.startswith("hybrid") else ""), flush=True)


if __name__ == "__main__":
    main()
