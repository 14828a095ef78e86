"""scova's own times on one tree.

usage: ours.py ROOT [--without-structure] < {"queries": [...]}    prints one JSON object with its times

`cold_s` is a first index in a fresh process, imports included; `rebuild_s` another one from nothing in the same process (its
vectors come from the shared cache).

`--without-structure` leaves out what the peer does not do (definitions and calls), to compare like with like.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def without_structure() -> None:
    """Parse nothing, in this process and the workers it forks: chunks are cut by lines alone."""
    from scova.build import work
    from scova.types import Outline

    work.outline = lambda text, language: Outline()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def cold_command(root: Path, data: Path, query: str, *extra: str) -> float:
    """Wall time of one `scova search` in a fresh process, the median of nine."""
    command = [str(Path(sys.executable).with_name("scova")), "search", query, str(root), "--data", str(data), *extra]
    times = []
    for _ in range(9):
        started = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def edited(path: Path) -> None:
    with path.open("a") as file:
        file.write(f"\n# edited at {time.time_ns()}\n")


def measure(root: Path, queries: list[str], data: Path) -> dict[str, object]:
    figures: dict[str, object] = {}
    started = time.perf_counter()
    from scova import Index

    with Index.open(root, data=str(data)) as index:
        report = index.refresh()
        figures |= {"cold_s": time.perf_counter() - started, "files": report.files, "chunks": report.chunks}
    with Index.open(root, data=f"{data}-again") as index:
        started = time.perf_counter()
        index.refresh(force=True)
        figures["rebuild_s"] = time.perf_counter() - started
    with Index.open(root, data=str(data)) as index:
        started = time.process_time()
        index.refresh()
        figures["unchanged_cpu_s"] = time.process_time() - started
        import numpy  # noqa: F401  # a long-running process has it

        times = []
        for _ in range(3):
            for query in queries:
                started = time.perf_counter()
                index.search(query, limit=10)
                times.append(1000 * (time.perf_counter() - started))
        figures |= {"query_ms_p50": statistics.median(times), "query_ms_p99": percentile(times, 0.99)}
        largest = max(
            (p for p in root.rglob("*.*") if p.is_file() and p.stat().st_size < 50_000), key=lambda p: p.stat().st_size
        )
        refreshes = []
        for _ in range(5):
            edited(largest)
            started = time.perf_counter()
            index.refresh()
            refreshes.append(time.perf_counter() - started)
        figures["one_file_refresh_s"] = statistics.median(refreshes)
    figures["cold_hybrid_ms"] = cold_command(root, data, queries[0])
    figures["cold_text_ms"] = cold_command(root, data, queries[0], "--mode", "text")
    figures["index_mb"] = sum(f.stat().st_size for f in data.rglob("*") if f.is_file()) / 1e6
    usage = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    figures["peak_mb_of_one_process"] = max(resource.getrusage(who).ru_maxrss for who in usage) / 1024
    return figures


def main() -> None:
    asked = json.load(sys.stdin)
    if "--without-structure" in sys.argv:
        without_structure()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["SCOVA_CACHE"] = f"{scratch}/cache"
        root = Path(scratch) / "tree"
        shutil.copytree(sys.argv[1], root, symlinks=True)
        print(json.dumps(measure(root, asked["queries"], Path(scratch) / "data")))


if __name__ == "__main__":
    main()
