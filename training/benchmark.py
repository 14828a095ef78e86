"""What a candidate model is worth on the question benchmark: vectors alone, and what they add to the ranking.

    BENCH_ROOT=DIR python training/benchmark.py --evaluate DIR/evaluate.py MODEL.bin [MODEL.bin ...] [--data FOLDER] [--out FILE.json]

Every repository is indexed once for each model (the text once, if FOLDER is kept). NDCG@10, mean over repositories: `vector` is the mode of
that name, raw; `hybrid` is the ranking as it ships, `hybrid xF` the same with the weights of meaning times F; `without` is the same
index searched without any embedder, `text` the mode of that name. Differences to the first model, and of hybrid to without, are paired over
repositories, with 95 % intervals by bootstrap.

FILE.json has, by the model's identity, `figures` (what describe.py puts into the model's header), `about` (when, of which commit) and
the `scores` of every question; a model that it has already is not measured again.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
sys.path.insert(0, str(Path(__file__).parents[1] / "bench" / "quality"))

from ablation import load
from machine import circumstances

from scova import Index
from scova.embed.static import StaticEmbedder
from scova.search.ranking import rank
from scova.types import Mode

Scores = dict[str, dict[str, list[float]]]  # by way of searching and repository: one figure per question
Way = Mode | dict[str, float]  # a mode, or factors on the weights of the ranking


def identities(models: Iterable[Path]) -> dict[str, Path]:
    """The models by what their vectors are kept under: file names repeat (`static.bin`), and a copy is the same model."""
    found: dict[str, Path] = {}
    for model in models:
        name = StaticEmbedder(model).model
        if name in found:
            raise SystemExit(f"{found[name]} and {model} are the same model, {name}: there is nothing to compare")
        found[name] = model
    return found


def ways(scales: list[float]) -> dict[str, Way]:
    """What is measured with the model."""
    factors = {"hybrid": 1.0} | {f"hybrid x{scale:g}": scale for scale in scales}
    return {"vector": Mode.VECTOR} | {name: {"vector": f, "file_vector": f} for name, f in factors.items()}


WITHOUT: dict[str, Way] = {"without": {}, "text": Mode.TEXT}  # what is measured without any


def measure(evaluate: Any, repos: list[Any], model: Path, *, data: Path, scales: list[float]) -> Scores:
    """NDCG@10 of every question in every way."""
    scores: Scores = {way: {} for way in (*ways(scales), *WITHOUT)}
    for repo in repos:
        where = str(data / repo.name / "index")
        for embedder, some in ((StaticEmbedder(model), ways(scales)), (None, WITHOUT)):
            with _embedder(embedder), Index.open(str(repo.root), data=where) as index:
                if embedder:
                    index.refresh()
                for name, way in some.items():
                    scores[name][repo.name] = [
                        _ndcg(evaluate, repo, query, _found(index, query["query"], way)) for query in repo.queries
                    ]
        print(f"{repo.name} done", file=sys.stderr, flush=True)
    return scores


def _embedder(chosen: StaticEmbedder | None) -> Any:
    return patch("scova.index.embedder.open_embedder", lambda *_, **__: chosen)


def _found(index: Index, query: str, way: Way) -> list[Any]:
    if isinstance(way, Mode):
        return [result.chunk for result in index.search(query, limit=10, mode=way).results]
    shipped = rank.BY_SHAPE
    scaled = {shape: replace(w, **{k: getattr(w, k) * f for k, f in way.items()}) for shape, w in shipped.items()}
    with patch.object(rank, "BY_SHAPE", scaled):
        return [result.chunk for result in index.search(query, limit=10).results]


def _ndcg(evaluate: Any, repo: Any, query: Any, chunks: list[Any]) -> float:
    entries = [{"path": c.file_path, "start_line": c.start_line, "end_line": c.end_line} for c in chunks]
    return round(evaluate.score_query(repo, query, entries)["strict"], 6)


def by_repo(scores: dict[str, list[float]]) -> np.ndarray:
    return np.array([np.mean(scores[name]) for name in sorted(scores)])


def gain(differences: np.ndarray) -> dict[str, float]:
    """The mean of paired differences with its 95 % interval."""
    rng = np.random.default_rng(0)
    boots = differences[rng.integers(0, len(differences), (10_000, len(differences)))].mean(1)
    low, high = np.percentile(boots, [2.5, 97.5])
    return {"mean": round(float(differences.mean()), 6), "low": round(float(low), 6), "high": round(float(high), 6)}


def figures(scores: Scores) -> dict[str, Any]:
    """What a card says of a model."""
    means = {way: round(float(by_repo(scores[way]).mean()), 6) for way in scores}
    added = gain(by_repo(scores["hybrid"]) - by_repo(scores["without"]))
    return {"repositories": len(scores["vector"]), **means, "gain": added}


def report(name: str, scores: Scores, first: Scores) -> str:
    """The figures of a model in words, beside those of the first."""
    lines = [f"== {name}"]
    for way, some in scores.items():
        mine, said = by_repo(some), ""
        if first is not scores and way in first:
            said += f"   to the first {_told(gain(mine - by_repo(first[way])))}"
        if way.startswith("hybrid"):
            said += f"   to without {_told(gain(mine - by_repo(scores['without'])))}"
        lines.append(f"  {way:12} {mine.mean():.4f}{said}")
    return "\n".join(lines)


def _told(found: dict[str, float]) -> str:
    return f"{found['mean']:+.4f} [{found['low']:+.4f}, {found['high']:+.4f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--evaluate", type=Path, required=True)
    parser.add_argument("--data", type=Path, help="where indexes are kept; a temporary folder when left out")
    parser.add_argument("--scales", default="0.5,1.5,2,3", help="further factors on the weights of meaning")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    models = identities(chosen.models)
    evaluate = load(chosen.evaluate)
    repos = evaluate.load_repos(None)
    scales = [float(scale) for scale in chosen.scales.split(",") if scale]
    kept: dict[str, Any] = json.loads(chosen.out.read_text()) if chosen.out and chosen.out.exists() else {}
    first = next(iter(models))
    with tempfile.TemporaryDirectory(prefix="scova-model-") as folder:
        for name, model in models.items():
            if name not in kept:
                about = circumstances()  # before, since it says which working tree was measured
                scores = measure(evaluate, repos, model, data=chosen.data or Path(folder), scales=scales)
                kept[name] = {"about": about, "figures": figures(scores), "scores": scores}
            if chosen.out:
                chosen.out.write_text(json.dumps(kept) + "\n")
            print(report(name, kept[name]["scores"], kept[first]["scores"]), flush=True)


if __name__ == "__main__":
    main()
