"""Speed beside semble and ripgrep, in one run: `python bench/speed/compare.py BENCH_ROOT ANNOTATIONS`

BENCH_ROOT/repos/NAME are the benchmark's trees, ANNOTATIONS the folder with NAME.json (for real questions).
"""

import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from machine import save

HERE = Path(__file__).parent
ROOTS = {
    "flask": "src/flask",
    "aiohttp": "aiohttp",
    "axum": "axum/src",
    "gson": "gson",
    "redis": "src",
    "trpc": "packages/server/src",
    "laravel-framework": "src/Illuminate",
    "vitest": "packages/vitest/src",
    "nlohmann-json": "include/nlohmann",
    "http4s": "core/shared/src/main/scala",
}


def run(script: str, root: Path, queries: list[str], *flags: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, str(HERE / script), str(root), *flags],
        input=json.dumps({"queries": queries}),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{script} on {root} failed:\n{done.stderr[-2000:]}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def ripgrep_ms(root: Path, queries: list[str]) -> float | None:
    if not shutil.which("rg"):
        return None
    times = []
    for query in queries[:10]:
        started = time.perf_counter()
        subprocess.run(["rg", "-c", query.split()[0], str(root)], stdout=subprocess.DEVNULL, check=False)
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def main() -> None:
    bench, annotations = Path(sys.argv[1]), Path(sys.argv[2])
    rows = {}
    for name, sub in ROOTS.items():
        root = bench / "repos" / name / sub
        queries = [entry["query"] for entry in json.loads((annotations / f"{name}.json").read_text())]
        ours, bare, peer = (
            run("ours.py", root, queries),
            run("ours.py", root, queries, "--without-structure"),
            run("peer.py", root, queries),
        )
        rows[name] = {
            "scova": ours,
            "scova_without_structure": {"cold_s": bare["cold_s"], "rebuild_s": bare["rebuild_s"]},
            "semble": peer,
            "ripgrep_ms": ripgrep_ms(root, queries),
            "ratio_cold_index": ours["cold_s"] / peer["cold_s"],
            "ratio_cold_index_without_structure": bare["cold_s"] / peer["cold_s"],
            "ratio_rebuild": ours["rebuild_s"] / peer["rebuild_s"],
            "ratio_rebuild_without_structure": bare["rebuild_s"] / peer["rebuild_s"],
            "ratio_query": ours["query_ms_p50"] / peer["query_ms_p50"],
            "refresh_times_faster": peer["rebuild_s"] / ours["one_file_refresh_s"],
        }
        r = rows[name]
        print(
            f"{name:<18} {ours['files']:>5} files  cold {ours['cold_s']:.2f}/{peer['cold_s']:.2f} s = {r['ratio_cold_index']:.2f}"
            f" (bare {r['ratio_cold_index_without_structure']:.2f})  rebuild {r['ratio_rebuild']:.2f} (bare {r['ratio_rebuild_without_structure']:.2f})"
            f"  query {ours['query_ms_p50']:.2f}/{peer['query_ms_p50']:.2f} ms = {r['ratio_query']:.2f}"
            f"  refresh {1000 * ours['one_file_refresh_s']:.0f} ms, {r['refresh_times_faster']:.0f}x"
            f"  command {ours['cold_hybrid_ms']:.0f}/{ours['cold_text_ms']:.0f} ms",
            flush=True,
        )
    means = {
        key: statistics.geometric_mean(row[key] for row in rows.values())
        for key in next(iter(rows.values()))
        if key.startswith(("ratio_", "refresh_"))
    }
    print("geometric means:", {key: round(value, 3) for key, value in means.items()})
    print("saved", save("speed", {"repositories": rows, "geometric_means": means}))


if __name__ == "__main__":
    main()
