"""`scova grep` beside ripgrep on one large tree: `python bench/grep/speed.py ROOT [--repeats 7]`

For each pattern the best of several runs, page cache warm for both: ripgrep (two threads, hidden files too, printing counts), the warm Python API, the
command as a fresh process, and the same without looking for changed files first. The tree is indexed before (SCOVA_CACHE says where).
"""

import argparse
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


def best(function: Callable[[], object], repeats: int) -> float:
    """Milliseconds of the quickest of several calls."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return round(1000 * min(times), 1)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("root", type=Path)
    words.add_argument("--repeats", type=int, default=7)
    words.add_argument("--command", nargs="+", default=[str(Path(sys.executable).with_name("scova")), "grep"])
    words.add_argument("--no-refresh", action="store_true", help="measure on the index as it is")
    arguments = words.parse_args()
    rg, command = ripgrep(), arguments.command
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
                    "ripgrep_ms": best(run(rg, "--hidden", "--no-config", "-c", pattern, root), repeats),
                    "api_ms": best(lambda pattern=pattern: index.grep(pattern, lines=False, spans=False), repeats),  # type: ignore[misc]
                    "command_ms": best(run(*command, "-c", pattern, root), repeats),
                    "command_without_refresh_ms": best(run(*command, "--no-refresh", "-c", pattern, root), repeats),
                }
                row["ratio_api"] = round(row["ripgrep_ms"] / row["api_ms"], 1)  # type: ignore[operator]
                row["ratio_command"] = round(row["ripgrep_ms"] / row["command_ms"], 2)  # type: ignore[operator]
                rows[pattern] = row
                print(pattern, row, flush=True)
        size = index.layout.grams()[0].stat().st_size
        figures: dict[str, object] = {
            "searched": found.searched,
            "n_gram_index_mb": round(size / 1e6, 1),
            "patterns": rows,
        }
    print(save("grep", figures))


if __name__ == "__main__":
    main()
