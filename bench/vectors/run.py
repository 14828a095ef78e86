"""Vectors, compared one by one and through a graph: `python bench/vectors/run.py TREE… [--sizes N …] [--change FILES]`.

For each size: building, opening and checking the graph; the nearest ten by both ways, warm, each question the best of three; recall
of the graph against the exact answer, of ten and of the forty that a hybrid search asks for. Then, through a real index of ten chunks
a file: the first question after a change, by another handle than the one that wrote it, which must contain the change. (That tree
repeats twenty words, so thousands of its chunks are equally good for some questions: harder than real code.) `sample.py` says what
the vectors are.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "manager"), str(Path(__file__).parent)]
import sample
from machine import save
from run import module, write_tree  # type: ignore[import-not-found]  # of bench/manager

from scova import Index, Mode, Query
from scova.search.searchers.near import expansion
from scova.search.searchers.vector import Embedding, VectorSearcher
from scova.stores.ann.graph import Graph
from scova.stores.ann.write import write_graph
from scova.stores.matrix import Matrix, write_matrix

SIZES = [10_000, 25_000, 50_000, 100_000, 1_000_000]
QUESTIONS = 300
ROUNDS = 3


class Watch:
    """Seconds by the clock, and of computing."""

    def __init__(self) -> None:
        self._started = time.perf_counter(), time.process_time()

    @property
    def wall(self) -> float:
        return round(time.perf_counter() - self._started[0], 6)

    @property
    def computing(self) -> float:
        return round(time.process_time() - self._started[1], 6)


def timed(ways: dict[str, Callable[[bytes], object]], questions: list[bytes]) -> dict[str, dict[str, float]]:
    """Milliseconds of each way: by the clock, and of computing, which other processes on the machine disturb less.

    The ways take turns with every question, so that whatever else the machine does befalls all of them; a question counts
    with the best of its rounds.
    """
    best = {name: [[float("inf"), float("inf")] for _ in questions] for name in ways}
    for place, question in enumerate(questions):
        for _ in range(ROUNDS):
            for name, ask in ways.items():
                wall, computing = time.perf_counter(), time.process_time()
                ask(question)
                taken = 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - computing)
                best[name][place] = [min(pair) for pair in zip(best[name][place], taken, strict=True)]
    return {name: _figures(taken) for name, taken in best.items()}


def _figures(taken: list[list[float]]) -> dict[str, float]:
    wall, computing = zip(*taken, strict=True)
    last = statistics.quantiles(wall, n=100)[98]
    middles = statistics.median(wall), statistics.median(computing)
    return {"p50_ms": round(middles[0], 3), "p99_ms": round(last, 3), "p50_cpu_ms": round(middles[1], 3)}


def recall(searcher: VectorSearcher, exact: VectorSearcher, questions: list[bytes], limit: int) -> float:
    """How many of the nearest are found; of several that are equally near, any."""
    found = 0
    for question in questions:
        last = exact.search_vector(question, limit)[limit - 1].score
        found += min(limit, sum(hit.score >= last for hit in searcher.search_vector(question, limit)))
    return round(found / limit / len(questions), 4)


def measure(folder: Path, trees: list[Path], size: int) -> dict[str, object]:
    files = sample.chosen(sample.sources(trees), size)
    lines, questions = sample.vectors(files, size), sample.questions(files, QUESTIONS)
    width = lines.shape[1]
    numbered = ((row, line.tobytes()) for row, line in enumerate(lines, 1))
    write_matrix(folder / "1.vec", numbered, width=width, model="m", applied_seq=1)
    base = Matrix.open(folder / "1.vec", "m")
    embedding = Embedding(width, of_query=lambda text: b"", of_chunks=lambda chunks: {})
    exact = VectorSearcher.open(embedding, base)
    building = Watch()
    write_graph(folder / "1.hnsw", base)
    built = {"build_s": round(building.wall, 1), "build_cpu_s": round(building.computing, 1)}
    opening = Watch()
    graph = Graph.open(folder / "1.hnsw", "m")
    open_ms = round(1000 * opening.wall, 2)
    checking = Watch()
    graph.neighbours()
    built |= {
        "open_ms": open_ms,
        "check_ms": round(1000 * checking.wall, 1),
        "file_mb": round(graph.file_size / 1e6, 1),
    }
    searcher = VectorSearcher.open(embedding, base, graph=graph)
    assert searcher.near is not None
    preparing = Watch()
    searcher.near.prepare()
    assert searcher._by_graph(questions[0], 10)
    return {
        "vectors": size,
        "distinct": len(graph.neighbours()),
        "expansion": expansion(len(graph.neighbours())),
        **built,
        "prepare_ms": round(1000 * preparing.wall, 1),
        **timed(
            {
                "exact": lambda question: (exact._recent.clear(), exact.search_vector(question, 10)),
                "graph": lambda question: searcher.search_vector(question, 10),
            },
            questions,
        ),
        "recall_at_10": recall(searcher, exact, questions, 10),
        "recall_at_40": recall(searcher, exact, questions, 40),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


@contextmanager
def cached_in(folder: Path) -> Iterator[None]:
    """No index or embedding of the person who measures is touched."""
    before = os.environ.get("SCOVA_CACHE")
    os.environ["SCOVA_CACHE"] = str(folder)
    yield
    os.environ.pop("SCOVA_CACHE") if before is None else os.environ.update(SCOVA_CACHE=before)


def after_a_change(folder: Path, files: int) -> dict[str, object]:
    """The first question after each of twenty changes, then the second; with the graph ready, and a few thousand vectors it does not know."""
    root = folder / "tree"
    write_tree(root, files)
    with cached_in(folder / "cache"), Index.open(root, ann_from=1000) as writer:
        writer.refresh()
        compaction = writer.compactor.end_indexing()
        for number in range(files // 40):  # then a fortieth of them are changed: the graph stays, and is stale
            path = root / f"package_{number // 100}" / f"module_{number}.py"
            path.write_text(module(number, "changed since"))
        writer.refresh()
        with Index.open(root, ann_from=1000) as reader:
            reader.search("how parse meets config")
            near = reader._searching().view().vector.near  # type: ignore[union-attr]
            assert near is not None
            near.prepare()
            first: dict[str, list[float]] = {"vector": [], "hybrid": []}
            second: list[float] = []
            updates: list[float] = []
            for turn in range(20):
                name = f"zebra{turn} giraffe{turn} waltz"
                path = root / "package_0" / f"new_{turn}.py"
                path.write_text(f'def dance_{turn}():\n    """The {name} of {turn}."""\n    return {turn}\n')
                started = time.perf_counter()
                writer.update([path.relative_to(root).as_posix()])
                updates.append(1000 * (time.perf_counter() - started))
                mode = Mode.VECTOR if turn % 2 else Mode.HYBRID
                for taken in (first[mode.value], second):
                    started = time.perf_counter()
                    answer = reader.search(Query(f"the {name} of {turn}", mode=mode))
                    taken.append(1000 * (time.perf_counter() - started))
                    assert any(result.chunk.file_path.endswith(path.name) for result in answer.results), "not found"
                    assert answer.timings["hnsw_rebuild_triggered"] is False
            return {
                "chunks": reader.status().chunks,
                "is_stale": reader.status().hnsw_index["is_stale"],
                "unknown_to_the_graph": len(near.prepare().rest),
                "compaction_ms": compaction.hnsw_rebuild_ms,
                "update_ms": round(statistics.median(updates), 1),
                "first_query_vector_ms": {"p50": _middle(first["vector"]), "worst": round(max(first["vector"]), 1)},
                "first_query_hybrid_ms": {"p50": _middle(first["hybrid"]), "worst": round(max(first["hybrid"]), 1)},
                "second_query_ms": {"p50": _middle(second), "worst": round(max(second), 1)},
            }


def _middle(values: list[float]) -> float:
    return round(statistics.median(values), 1)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("trees", nargs="*", type=Path, default=[Path(sys.prefix) / "lib", Path(np.__file__).parents[1]])
    words.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    words.add_argument("--change", type=int, default=10_000, help="files of ten chunks; 0 leaves the change out")
    words.add_argument("--no-save", action="store_true")
    asked = words.parse_args()
    figures: dict[str, object] = {"sizes": []}
    for size in asked.sizes:
        with tempfile.TemporaryDirectory() as scratch:
            figures["sizes"].append(measure(Path(scratch), asked.trees, size))  # type: ignore[attr-defined]
        print(json.dumps(figures["sizes"][-1]), flush=True)  # type: ignore[index]
    if asked.change:
        scratch = tempfile.mkdtemp()
        try:
            figures["after_a_change"] = after_a_change(Path(scratch), asked.change)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        print(json.dumps(figures["after_a_change"]), flush=True)
    if not asked.no_save:
        print("saved", save("vectors", figures))


if __name__ == "__main__":
    main()
