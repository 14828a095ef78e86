"""One large tree, indexed in one go: `python bench/scale/run.py TREE`

Prints and saves wall time, the peak memory of all processes together (sampled), and the size of the index.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from machine import save


def proportional_mb(pid: int) -> float:
    """Memory of a process and its descendants, shared pages counted once (PSS)."""
    total = 0.0
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        try:
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024
            for task in Path(f"/proc/{one}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text().split()]
        except (OSError, StopIteration):
            continue
    return total


def watched(command: list[str]) -> tuple[dict[str, object], float, float]:
    """Run a command; its JSON, wall seconds and peak memory."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0.0
    over = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not over.wait(0.25):
            peak = max(peak, proportional_mb(process.pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    output, _ = process.communicate()
    over.set()
    sampler.join()
    if process.returncode not in (0, 3):
        raise SystemExit(f"{command} failed with {process.returncode}")
    return json.loads(output), time.perf_counter() - started, peak


def main() -> None:
    tree = Path(sys.argv[1])
    scova = str(Path(sys.executable).with_name("scova"))
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["SCOVA_CACHE"] = f"{scratch}/cache"
        data = Path(scratch) / "data"
        where = [str(tree), "--data", str(data), "--json"]
        report, seconds, peak = watched([scova, "index", "--yes", *where])
        again, unchanged, _ = watched([scova, "index", "--yes", *where])
        _, question, question_peak = watched([scova, "search", "how are borrow errors reported", *where])
        size = sum(f.stat().st_size for f in data.rglob("*") if f.is_file()) / 1e6
        shared = sum(f.stat().st_size for f in (Path(scratch) / "cache").glob("embeddings.db*")) / 1e6
    figures: dict[str, object] = {
        "tree": tree.name,
        "files": report["files"],
        "chunks": report["chunks"],
        "index_s": round(seconds, 1),
        "peak_mb": round(peak),
        "index_mb": round(size),
        "embeddings_mb": round(shared),
        "unchanged_s": round(unchanged, 2),
        "unchanged_reported": {key: again[key] for key in ("added", "changed", "removed")},
        "one_search_s": round(question, 2),
        "one_search_peak_mb": round(question_peak),
    }
    print(json.dumps(figures, indent=1))
    print("saved", save("scale", figures))


if __name__ == "__main__":
    main()
