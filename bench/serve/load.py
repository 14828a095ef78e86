"""A server under load: `python bench/serve/load.py TREE [--store embedded|postgres|URL] [--processes 2] [--clients 32] [--seconds 30]`.

TREE is pushed to one project. Then every client asks and writes, as fast as it is answered: eight questions in ten are searches, one is a grep
or a definition, one replaces a file of the client's own. Clients are spread over the processes. At the end every client's file must be as it
was last acknowledged, whichever process is asked, and an audit must be clean; anything but 200 and 429 is an error. `postgres` starts one for
the run.
"""

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests")]
from machine import save

SCOVA = str(Path(sys.executable).with_name("scova"))
PROJECT = "load"


@contextmanager
def server(data: Path, store: str) -> Iterator[tuple[str, int]]:
    """One process, its address and its id."""
    words = [SCOVA, "serve", "--port", "0", "--data", str(data), *(["--store", store] if store else [])]
    settings = {"SCOVA_SERVE_RATE": "0"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **settings}
    ) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, "the server does not start"
        try:
            yield found[0], process.pid
        finally:
            process.terminate()


@contextmanager
def database() -> Iterator[str]:
    """A PostgreSQL for this run."""
    import pg

    with pg.running() as running, running.database() as url:
        yield url


class Client(threading.Thread):
    """Asks and writes until told to stop."""

    def __init__(self, number: int, url: str, names: list[str], over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.path = f"clients/client_{number}.py"
        self.digest = ""
        self.statuses: Counter[int] = Counter()
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self._chance = random.Random(number)
        self._url, self._names, self._over = url, names, over
        self._count = 0

    def run(self) -> None:
        with httpx2.Client(base_url=self._url, timeout=120) as http:
            while not self._over.is_set():
                self._once(http)

    def _once(self, http: httpx2.Client) -> None:
        chosen = self._chance.random()
        name = self._chance.choice(self._names)
        if chosen < 0.8:
            self._ask(http, "search", {"query": f"where is {name.replace(chr(95), chr(32))}", "limit": 10})
        elif chosen < 0.85:
            self._ask(http, "grep", {"pattern": name, "limit": 20})
        elif chosen < 0.9:
            self._ask(http, "definitions", {"name": name})
        else:
            self._count += 1
            content = f"def {self.path[8:-3]}():\n    return {self._count}\n" * 5
            if self._ask(http, "index", {"files": [{"path": self.path, "content": content}]}):
                self.digest = hashlib.sha256(content.encode()).hexdigest()

    def _ask(self, http: httpx2.Client, route: str, body: dict[str, object]) -> bool:
        began = time.perf_counter()
        try:
            answer = http.post(f"/{route}", json={"project_id": PROJECT, **body})
        except httpx2.HTTPError as error:
            self.errors.append(f"{route}: {error!r}")
            return False
        self.seconds[route].append(time.perf_counter() - began)
        self.statuses[answer.status_code] += 1
        if answer.status_code not in (200, 429):
            self.errors.append(f"{route}: {answer.status_code} {answer.text[:200]}")
        return answer.status_code == 200


def share(values: list[float], part: float) -> float:
    return round(1000 * sorted(values)[min(len(values) - 1, int(part * len(values)))], 1)


def pss_mb(pid: int) -> int:
    """Memory of a process and its children, in MB."""
    below = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    total = 0
    for one in (str(pid), *below):
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{one}/smaps_rollup").read_text(), re.M)
        total += int(found[1]) if found else 0
    return total // 1024


def measured(urls: list[str], clients: int, seconds: float) -> dict[str, object]:
    with httpx2.Client(base_url=urls[0], timeout=120) as http:
        found = http.post("/outline", json={"project_id": PROJECT, "path": "", "depth": 1}).json()
    names = sorted({name for name in re.findall(r'"name": "([A-Za-z][A-Za-z_]{4,40})"', json.dumps(found))})
    assert len(names) > 20, "too few names in this tree"
    over = threading.Event()
    threads = [Client(number, urls[number % len(urls)], names, over) for number in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    over.wait(seconds)
    over.set()
    for thread in threads:
        thread.join(150)
    took = time.perf_counter() - began
    lost = []
    for url in urls:
        with httpx2.Client(base_url=url, timeout=120) as http:
            wanted = {thread.path: thread.digest for thread in threads if thread.digest}
            lost += http.post("/sync", json={"project_id": PROJECT, "files": wanted}).json()["missing"]
    seconds_by: dict[str, list[float]] = defaultdict(list)
    for thread in threads:
        for route, values in thread.seconds.items():
            seconds_by[route] += values
    total = sum(map(len, seconds_by.values()))
    return {
        "requests": total,
        "requests_per_second": round(total / took, 1),
        "statuses": dict(sum((thread.statuses for thread in threads), Counter())),
        "errors": [error for thread in threads for error in thread.errors][:10],
        "lost_updates": lost,
        "latency_ms": {
            route: {"n": len(values), "p50": share(values, 0.5), "p95": share(values, 0.95), "p99": share(values, 0.99)}
            for route, values in sorted(seconds_by.items())
        },
    }


def audited(url: str) -> bool:
    with httpx2.Client(base_url=url, timeout=120) as http:
        job = http.post("/jobs", json={"project_id": PROJECT, "kind": "audit"}).json()
        while job["status"] in ("queued", "running"):
            time.sleep(0.2)
            job = http.get(f"/jobs/{job['job_id']}").json()
        return bool(job["result"].get("clean"))


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("tree", type=Path)
    words.add_argument("--store", default="embedded")
    words.add_argument("--processes", type=int, default=2)
    words.add_argument("--clients", type=int, default=32)
    words.add_argument("--seconds", type=float, default=30.0)
    given = words.parse_args()
    with ExitStack() as open_now:
        place = Path(open_now.enter_context(tempfile.TemporaryDirectory()))
        store = open_now.enter_context(database()) if given.store == "postgres" else given.store
        address = "" if store == "embedded" else store
        folders = [place / ("data" if not address else f"data{number}") for number in range(given.processes)]
        running = [open_now.enter_context(server(folder, address)) for folder in folders]
        urls = [url for url, _ in running]
        push = [SCOVA, "push", str(given.tree), "--server", urls[0], "--project", PROJECT, "--rate", "1000", "--json"]
        began = time.perf_counter()
        pushed = json.loads(subprocess.run(push, capture_output=True, text=True).stdout)
        figures: dict[str, object] = {
            "store": given.store if not address or given.store == "postgres" else "url",
            "processes": given.processes,
            "clients": given.clients,
            "files": pushed["files"],
            "push_seconds": round(time.perf_counter() - began, 2),
            **measured(urls, given.clients, given.seconds),
            "audit_clean": audited(urls[-1]),
            "pss_mb": [pss_mb(pid) for _, pid in running],
        }
    print(json.dumps(figures, indent=1))
    save(f"serve-{figures['store']}", figures)
    if figures["errors"] or figures["lost_updates"] or not figures["audit_clean"]:
        raise SystemExit("not as it should be: see errors, lost_updates, audit_clean")


if __name__ == "__main__":
    main()
