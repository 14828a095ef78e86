#!/usr/bin/env python3
"""The retrieval benchmark through a server: as adapter.py, but every repository is pushed to `scova serve`, and every question asked over HTTP.

BENCH_ROOT=… evaluate.py --cmd 'python bench/quality/served.py' --out embedded.json
BENCH_ROOT=… evaluate.py --cmd 'python bench/quality/served.py --store URL [--vectors URL]' --out database.json
evaluate.py --compare embedded.json database.json
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import httpx2

SCOVA = str(Path(sys.executable).with_name("scova"))


def retrieve(url: str, asked: dict[str, object]) -> dict[str, object]:
    """Push the folder to a project of its own, and ask every question."""
    project = f"q{uuid4().hex[:12]}"
    words = ["push", str(asked["root"]), "--server", url, "--project", project, "--rate", "1000", "--json"]
    began = time.perf_counter()
    subprocess.run([SCOVA, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    index_s = time.perf_counter() - began
    results, query_s = [], []
    with httpx2.Client(base_url=url, timeout=120) as http:
        for query in asked["queries"]:  # type: ignore[attr-defined]
            began = time.perf_counter()
            body = {"project_id": project, "query": query, "limit": asked.get("top_k", 10)}
            found = http.post("/search", json=body).raise_for_status().json()
            query_s.append(time.perf_counter() - began)
            results.append(
                [{name: one[name] for name in ("path", "start_line", "end_line")} for one in found["results"]]
            )
        http.delete(f"/projects/{project}")
    return {"results": results, "index_s": index_s, "query_s": query_s}


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--store", default="")
    words.add_argument("--vectors", default="")
    given = words.parse_args()
    asked = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(prefix="scova-bench-") as data:
        serve = [SCOVA, "serve", "--port", "0", "--data", data]
        serve += [
            word
            for name in ("store", "vectors")
            if getattr(given, name)
            for word in (f"--{name}", getattr(given, name))
        ]
        environment = {**os.environ, "SCOVA_SERVE_RATE": "0"}
        with subprocess.Popen(
            serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        ) as server:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None, "the server does not start"
            try:
                answer = retrieve(found[0], asked)
            finally:
                server.terminate()
    json.dump(answer, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
