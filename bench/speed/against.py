#!/usr/bin/env python3
"""Is it slower than it was? This working tree beside an earlier commit of the project, taking turns on the same machine.

    python bench/speed/against.py COMMIT TREE... [--questions DIR] [--rounds 5] [--no-save]

Each turn is a process of its own: it indexes a TREE from nothing, then asks every question in every mode, twice, and counts the second
time. CPU time is counted, worker processes included, so that other work on the machine matters little; the best of all turns is
compared. The questions are those of the benchmark's labels, or words of the tree's own file names.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

HERE = Path(__file__).resolve().parents[2]
MODES = ("hybrid", "text", "vector", "symbol")


def turn(tree: str, questions: list[str]) -> dict[str, float]:
    """One turn, in this process: CPU seconds of indexing, and CPU milliseconds of the middle question in each mode."""
    from scova import Index, Mode

    with tempfile.TemporaryDirectory(prefix="scova-against-") as folder:
        with Index.open(tree, data=f"{folder}/index") as index:
            index.refresh()
        spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        found = {"index": sum(one.ru_utime + one.ru_stime for one in spent)}
        with Index.open(tree, data=f"{folder}/index") as index:
            for mode in MODES:
                for question in questions:
                    index.search(question, mode=Mode(mode))
                times = [_milliseconds(index, question, Mode(mode)) for question in questions]
                found[mode] = statistics.median(times)
    return found


def _milliseconds(index: Any, question: str, mode: Any) -> float:
    started = time.process_time()
    index.search(question, mode=mode)
    return (time.process_time() - started) * 1e3


def asked(tree: Path, labels: Path | None) -> list[str]:
    """The questions: of the labels, or made of file names."""
    if labels:
        return [one["query"] for path in sorted(labels.glob("*.json")) for one in json.loads(path.read_text())][::5]
    names = sorted({path.stem.replace("_", " ") for path in tree.rglob("*.*") if path.is_file()})
    return [f"how does {name} work" for name in names[:: max(1, len(names) // 100)]]


def taken(source: Path, tree: Path, questions: list[str]) -> dict[str, float]:
    """A turn of the scova in this source tree, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, __file__, "--turn", str(tree)]
    done = subprocess.run(
        command, input=json.dumps(questions), env=environment, text=True, capture_output=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compared(before: Path, tree: Path, questions: list[str], rounds: int) -> dict[str, Any]:
    """One tree, before and now."""
    turns: dict[str, list[dict[str, float]]] = {"before": [], "now": []}
    for _ in range(rounds):
        for name, source in (("before", before), ("now", HERE)):
            turns[name].append(taken(source, tree.resolve(), questions))
    return {"questions": len(questions), **best_of(turns)}


def best_of(turns: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, float]]:
    """The best of all turns before and now, and their ratios."""
    best = {name: {key: min(one[key] for one in some) for key in some[0]} for name, some in turns.items()}
    ratios = {key: best["now"][key] / best["before"][key] for key in best["now"]}
    return {**best, "ratios": ratios}


def show(tree: str, found: dict[str, Any]) -> None:
    print(f"{tree}, {found['questions']} questions")
    for key, ratio in found["ratios"].items():
        unit = "s" if key == "index" else "ms"
        before, now = found["before"][key], found["now"][key]
        print(f"  {key:8} before {before:8.2f} {unit:2}  now {now:8.2f} {unit:2}  ratio {ratio:.2f}")


def main() -> None:
    if sys.argv[1:2] == ["--turn"]:
        print(json.dumps(turn(sys.argv[2], json.load(sys.stdin))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("tree", type=Path, nargs="+")
    parser.add_argument("--questions", type=Path, metavar="DIR", help="the benchmark's annotations")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-save", action="store_true")
    chosen = parser.parse_args()
    if len({tree.resolve().name for tree in chosen.tree}) < len(chosen.tree):
        parser.error("two trees have the same name, by which they are told apart")
    from machine import save

    trees: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="scova-before-") as folder:
        before = Path(folder) / "scova"
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(before), chosen.commit], check=True)
        try:
            for tree in chosen.tree:
                name = tree.resolve().name
                trees[name] = compared(before, tree, asked(tree, chosen.questions), chosen.rounds)
                show(name, trees[name])
        finally:
            subprocess.run([*git, "remove", "--force", str(before)], check=True)
    if not chosen.no_save:
        print(f"written to {save('against', {'against': chosen.commit, 'trees': trees})}")


if __name__ == "__main__":
    main()
