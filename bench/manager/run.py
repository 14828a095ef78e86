"""ChunkManager at 1K, 10K and 100K chunks: load, detection and reload after 50 changes, memory. `python bench/manager/run.py`"""

import json
import statistics
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from machine import save

from scova.build.build import Build, Tools
from scova.chunks.manager import ChunkManager
from scova.embed.static import StaticEmbedder
from scova.search.coordinator import SearchCoordinator
from scova.search.view import Views
from scova.sources.folder import FolderSource
from scova.stores.embeddings import EmbeddingCache
from scova.stores.layout import Layout
from scova.stores.sqlite import SqliteStore
from scova.types import Query

WORDS = [
    "parse",
    "config",
    "session",
    "token",
    "index",
    "build",
    "merge",
    "read",
    "write",
    "open",
    "close",
    "search",
    "rank",
    "store",
    "chunk",
    "file",
    "path",
    "node",
    "tree",
    "value",
]


def write_tree(root: Path, files: int) -> None:
    """Ten chunks a file, about a kilobyte each."""
    for number in range(files):
        folder = root / f"package_{number // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module_{number}.py").write_text(module(number))


def module(number: int, salt: str = "") -> str:
    parts = []
    for place in range(9):
        a, b, c = (WORDS[(number * 7 + place * k) % len(WORDS)] for k in (1, 3, 5))
        body = "\n".join(
            f"    {b}_{line} = {a}({c}_{line}, {number}, {place}, 'the {a} of {b} in {c}')" for line in range(14)
        )
        parts.append(
            f'def {a}_{b}_{number}_{place}({c}):\n    """How {a} meets {b} {salt}."""\n{body}\n    return {b}_0\n'
        )
    return "\n\n".join(parts)


def measure(files: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as scratch:
        root, data = Path(scratch) / "tree", Path(scratch) / "data"
        write_tree(root, files)
        layout, embedder = Layout(data), StaticEmbedder()
        data.mkdir()
        with (
            SqliteStore.open(layout.store_db, "bench") as store,
            EmbeddingCache(Path(scratch) / "embeddings.db") as cache,
        ):
            tools = Tools(layout, store, cache, embedder, "bench", 2)
            Build(tools).run(FolderSource(root, language_of=lambda path, line: "python"))
            import numpy  # noqa: F401  # a long-running process has it

            started = time.perf_counter()
            coordinator = SearchCoordinator(
                store, ChunkManager(store.reader), Views(layout, cache, embedder, store_id=store.store_id)
            )
            view = coordinator.view()
            first_ms = 1000 * (time.perf_counter() - started)
            detects, reloads, queries = [], [], []
            manager = coordinator._manager
            for round_ in range(9):
                for number in range(5):  # five files of ten chunks
                    (root / "package_0" / f"module_{number}.py").write_text(module(number, f"round {round_}"))
                Build(tools).run(FolderSource(root, language_of=lambda path, line: "python"))
                chunk_set = manager.load()
                started = time.perf_counter()
                changes = manager.detect_changes(chunk_set)
                detects.append(1000 * (time.perf_counter() - started))
                assert len(changes.added) + len(changes.updated) >= 45
                loads = manager.loads
                view = coordinator.reload()
                reloads.append(coordinator.metrics.reload_ms)
                assert manager.loads == loads + 1
                started = time.perf_counter()
                coordinator.search(Query("how parse meets config"))
                queries.append(1000 * (time.perf_counter() - started))
            tracemalloc.start()
            again = SearchCoordinator(
                store, ChunkManager(store.reader), Views(layout, cache, embedder, store_id=store.store_id)
            )
            again.view()
            memory = tracemalloc.get_traced_memory()[0] / 1e6
            tracemalloc.stop()
            return {
                "chunks": len(view.chunk_set),
                "first_load_ms": round(first_ms, 2),
                "detect_ms": round(statistics.median(detects), 2),
                "reload_ms": round(statistics.median(reloads), 2),
                "query_after_reload_ms": round(statistics.median(queries), 2),
                "memory_mb": round(memory, 2),
            }


def main() -> None:
    figures: dict[str, object] = {}
    for files in (100, 1_000, 10_000):
        figures[str(files * 10)] = measure(files)
        print(json.dumps(figures[str(files * 10)]), flush=True)
    print("saved", save("manager", figures))


if __name__ == "__main__":
    main()
