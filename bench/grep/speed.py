"""`scova grep` beside ripgrep on one large tree: `python bench/grep/speed.py ROOT [--repeats 7]`

For each pattern the best of several runs that take turns, page cache warm for both: ripgrep (two threads, hidden files too, printing counts), the warm Python API, the
command as a fresh process, and the same without looking for changed files first. The tree is indexed before (SCOVA_CACHE says where).
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from equal import ripgrep
from machine import save

from scova.index import Index

PATTERNS = {
    "selective": ["fn_sig_spans", "unsafe_op_in_unsafe_fn", r"fn \w+_unchecked\b", r"impl<.*> Drop for \w+Guard", "(?i)thread_local_dtor", "E0716|E0717"],
    "common": ["TyCtxt", "Option<Box<dyn", r"#\[derive\("],
    "unselective": ["fn", r"\w+\s*=\s*\d+"],
}  # fmt: skip


def best(ways: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Milliseconds of the quickest of several calls of each, and of processor time of the thriftiest (processes only). They take
    turns, so that a busy moment of the machine meets all of them."""
    walls: dict[str, list[float]] = {name: [] for name in ways}
    works: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            before, started = _worked(), time.perf_counter()
            way()
            walls[name].append(time.perf_counter() - started)
            works[name].append(_worked() - before)
    taken = {f"{name}_ms": round(1000 * min(times), 1) for name, times in walls.items()}
    return taken | {f"{name}_cpu_ms": round(1000 * min(times), 1) for name, times in works.items() if min(times)}


def _worked() -> float:
    """Seconds of processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("root", type=Path)
    words.add_argument("--repeats", type=int, default=7)
    words.add_argument("--command", nargs="+", default=[str(Path(sys.executable).with_name("scova")), "grep"])
    words.add_argument("--no-refresh", action="store_true", help="measure on the index as it is")
    arguments = words.parse_args()
    rg, command, started = ripgrep(), arguments.command, os.getloadavg()[0]
    rows: dict[str, dict[str, object]] = {}
    with Index.open(arguments.root) as index:
        if not arguments.no_refresh:
            index.refresh()
        root = str(index.root)
        for kind, patterns in PATTERNS.items():
            for pattern in patterns:
                found = index.grep(pattern, lines=False, spans=False)
                repeats = arguments.repeats if kind != "unselective" else 2

                def run(*command: str) -> Callable[[], object]:
                    return lambda: subprocess.run(command, stdout=subprocess.DEVNULL)

                row: dict[str, object] = {
                    "kind": kind,
                    "files": len(found.files),
                    "lines": found.count,
                    "scanned": found.scanned,
                    **best(
                        {
                            "ripgrep": run(rg, "--hidden", "--no-config", "-c", pattern, root),
                            "command": run(*command, "-c", pattern, root),
                            "command_without_refresh": run(*command, "--no-refresh", "-c", pattern, root),
                            "api": lambda pattern=pattern: index.grep(pattern, lines=False, spans=False),  # type: ignore[misc]
                        },
                        repeats,
                    ),
                }
                row["ratio_api"] = round(row["ripgrep_ms"] / row["api_ms"], 1)  # type: ignore[operator]
                row["ratio_command"] = round(row["ripgrep_ms"] / row["command_ms"], 2)  # type: ignore[operator]
                row["ratio_command_cpu"] = round(row["ripgrep_cpu_ms"] / row["command_cpu_ms"], 2)  # type: ignore[operator]
                rows[pattern] = row
                print(pattern, row, flush=True)
        size = index.layout.grams()[0].stat().st_size
        figures: dict[str, object] = {
            "load": [
                started,
                os.getloadavg()[0],
            ],  # of the machine, before and after: on a busy one only ratios mean something
            "searched": found.searched,
            "n_gram_index_mb": round(size / 1e6, 1),
            "patterns": rows,
        }
    print(save("grep", figures))


if __name__ == "__main__":
    main()
