#!/usr/bin/env python3
"""scova as the retrieval benchmark sees a retriever: one JSON object on stdin, one on stdout.

    {"root": FOLDER, "queries": [TEXT ...], "top_k": 10}
    {"results": [[{"path", "start_line", "end_line"} ...] per query], "index_s": SECONDS, "query_s": [SECONDS ...]}

Each run indexes the folder from nothing into a temporary data folder, so nothing is left over between runs.
`--off SIGNAL` leaves one ranking signal out (see ablation.py); it may be given several times.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence

from scova import Index


def retrieve(root: str, queries: Sequence[str], top_k: int = 10) -> dict[str, object]:
    """Index the folder and answer every query."""
    # The index lies one folder down, because the shared embedding cache lies beside it.
    with (
        tempfile.TemporaryDirectory(prefix="scova-bench-") as folder,
        Index.open(root, data=f"{folder}/index") as index,
    ):
        started = time.perf_counter()
        index.refresh()
        index_s = time.perf_counter() - started
        results, query_s = [], []
        for query in queries:
            started = time.perf_counter()
            answer = index.search(query, limit=top_k)
            query_s.append(time.perf_counter() - started)
            results.append([_entry(result.chunk) for result in answer.results])
    return {"results": results, "index_s": index_s, "query_s": query_s}


def _entry(chunk: object) -> dict[str, object]:
    return {"path": chunk.file_path, "start_line": chunk.start_line, "end_line": chunk.end_line}  # type: ignore[attr-defined]


def turn_off(signals: Sequence[str]) -> None:
    """Leave these signals out of every ranking of this process."""
    from dataclasses import replace

    from scova.search.ranking import rank

    unknown = set(signals) - set(rank.SIGNALS)
    if unknown:
        raise SystemExit(f"unknown signals: {', '.join(sorted(unknown))}; there are: {', '.join(rank.SIGNALS)}")
    off = dict.fromkeys(signals, 0.0)
    rank.BY_SHAPE = {shape: replace(weights, **off) for shape, weights in rank.BY_SHAPE.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--off", action="append", default=[], metavar="SIGNAL")
    turn_off(parser.parse_args().off)
    asked = json.load(sys.stdin)
    json.dump(retrieve(asked["root"], asked["queries"], asked.get("top_k", 10)), sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
