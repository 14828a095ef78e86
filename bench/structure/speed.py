"""How fast exact questions are answered on a warm index: definitions, callers and callees to depth 3, outlines.

    python bench/structure/speed.py TREE [--symbols 300] [--seed 1]

TREE is indexed if it is not yet (without vectors; set SCOVA_CACHE to keep it apart). Symbols are drawn at random from
all functions, methods and classes that are called somewhere; each question is asked once to a process that has the index
open, which is what an agent's session sees; then all of them once more. Wall time, and in brackets CPU time, which
depends less on what else the machine does.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from scova.index import Index
from scova.search.structure import outline, tree
from scova.search.structure.code import CALLABLE, Code
from scova.search.structure.define import Request, definitions


def main() -> None:
    arguments = _arguments()
    with Index.open(arguments.tree, embedder="none") as index:
        if not index.is_complete:
            index.refresh()
        view = index._searching().view()
        code = Code(view.chunk_set.reader)
        names, paths = _drawn(code, arguments.symbols, arguments.seed)
        code = Code(view.chunk_set.reader)  # nothing remembered of the draw
        print(f"{len(code.languages)} files, {len(code.names)} names, {len(names)} questions of each kind")
        for round_number in (1, 2):
            print(f"round {round_number}: p50, p90, p99, most in milliseconds (p50, p90, p99 of CPU)")
            _timed("def", names, lambda name: definitions(code, Request(name)))
            _timed("callers", names, lambda name: tree.call_tree(code, tree.Request(name, "callers")))
            _timed("callees", names, lambda name: tree.call_tree(code, tree.Request(name, "callees")))
            _timed("outline", paths, lambda path: outline.outlines(code, outline.Request(path)))
        started = time.perf_counter()
        definitions(code, Request("No_such_nmae_anywhere"))
        print(f"unknown name with suggestions {1000 * (time.perf_counter() - started):.1f} ms")


def _drawn(code: Code, count: int, seed: int) -> tuple[list[str], list[str]]:
    """Random qualified names that are called, and random files that define something."""
    draw = random.Random(seed)
    paths = list(code.languages)
    draw.shuffle(paths)
    names: list[str] = []
    files: list[str] = []
    for path in paths:
        outlined = code.reader.outline(path)
        symbols = [symbol for symbol in outlined.outline.symbols if symbol.kind in CALLABLE] if outlined else []
        if not symbols:
            continue
        files.append(path)
        chosen = draw.choice(symbols)
        if code.reader.calls(chosen.name):
            names.append(chosen.qualified)
        if len(names) >= count:
            break
    return names, files[:count]


def _timed(kind: str, asked: Sequence[str], ask: Callable[[str], object]) -> None:
    walls, cpus = [], []
    for one in asked:
        wall, cpu = time.perf_counter(), time.process_time()
        ask(one)
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    shown = [statistics.quantiles(times, n=100)[n - 1] for times in (walls, cpus) for n in (50, 90, 99)]
    wall50, wall90, wall99, *cpu = shown
    print(
        f"  {kind:8} {wall50:8.2f} {wall90:8.2f} {wall99:8.2f} {max(walls):8.2f}  ({', '.join(f'{n:.2f}' for n in cpu)})"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--symbols", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
