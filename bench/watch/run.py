"""`scova watch` on a large tree: `python bench/watch/run.py TREE [--saves N] [--changes N]`

Prints and saves: how long after a save another process finds it; what the update itself takes; how soon a watcher is up on twice the
tree, and what memory it holds through many changes; what it takes while nothing happens. TREE is copied, not touched.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from machine import save

from scova import Index, Mode, Query
from scova.watch.state import watcher_of

SCOVA = str(Path(sys.executable).with_name("scova"))
TICKS = os.sysconf("SC_CLK_TCK")


class Watcher:
    """A running `scova watch`."""

    def __init__(self, root: Path, data: Path, *words: str) -> None:
        command = [SCOVA, "watch", str(root), "--data", str(data), "--json", *words]
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.done: list[dict[str, object]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.done.append(json.loads(line))

    def updates(self) -> list[float]:
        return [float(str(work["ms"])) for work in self.done if work["how"] == "update" and work["changed"]]

    def memory_mb(self, kind: str) -> float:
        """VmRSS is everything; RssAnon leaves out pages of mapped files, which the system takes back when it likes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = next(int(line.split()[1]) for line in status.splitlines() if line.startswith(kind))
        return round(found / 1024, 1)

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


def until_up(index: Index, watcher: Watcher) -> float:
    """Seconds from starting it to the moment it says it watches."""
    while (alive := watcher_of(index.layout)) is None or alive.state != "watching":
        time.sleep(0.01)
    return time.perf_counter() - watcher.started


def sources(root: Path) -> list[Path]:
    """Files of a size that people edit."""
    return sorted(path for path in root.rglob("*.py") if 500 < path.stat().st_size < 50_000)


def touch(path: Path, marker: str) -> None:
    with path.open("a") as file:
        file.write(f"\n\ndef {marker}():\n    return '{marker}'\n")


def wait_for(index: Index, marker: str) -> float:
    """Seconds until a search by this process finds it."""
    started = time.perf_counter()
    query = Query(marker, mode=Mode.TEXT, limit=5)
    while not any(marker in result.chunk.text for result in index.search(query).results):
        if time.perf_counter() - started > 30:
            raise SystemExit(f"{marker} was not found within 30 s")
        time.sleep(0.005)
    return time.perf_counter() - started


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values: list[float], digits: int) -> dict[str, float]:
    return {
        "p50": round(statistics.median(values), digits),
        "p99": round(quantile(values, 0.99), digits),
        "max": round(max(values), digits),
    }


def saves(root: Path, data: Path, number: int) -> dict[str, object]:
    """One save after the other, with a pause in between, as a person would; then nothing for a while."""
    chance = random.Random(1)
    with Index.open(root, data=str(data)) as index:
        files = index.refresh().files
        watcher = Watcher(root, data)
        until_up(index, watcher)
        index.search("warm up")
        paths = sources(root)
        seconds, cpu = [], watcher.cpu_s()
        for turn in range(number):
            marker = f"saved_marker_{turn}_{chance.randrange(10**9)}"
            touch(chance.choice(paths), marker)
            seconds.append(wait_for(index, marker))
            time.sleep(chance.uniform(0.0, 0.5))
        spent, load = watcher.cpu_s() - cpu, os.getloadavg()[0]
        updates = watcher.updates()[-number:]
        time.sleep(12)  # the last sweep, and the step back to looking rarely
        cpu, started = watcher.cpu_s(), time.perf_counter()
        time.sleep(20)
        idle = 100 * (watcher.cpu_s() - cpu) / (time.perf_counter() - started)
        watcher.end()
    return {
        "files": files,
        "saves": number,
        "save_to_found_s": spread(seconds, 3),
        "update_ms": spread(updates, 1),
        "cpu_ms_per_save": round(1000 * spent / number, 1),  # sweeps included
        "load": round(load, 1),
        "idle_cpu_percent": round(idle, 2),
    }


def changes(root: Path, data: Path, number: int) -> dict[str, object]:
    """Many changes, one batch each, and the memory of the watcher on the way."""
    chance = random.Random(2)
    with Index.open(root, data=str(data)) as index:
        files = index.refresh().files
        watcher = Watcher(root, data, "--quiet-ms", "20")
        up = until_up(index, watcher)
        paths = sources(root)
        kinds = {"rss_mb": "VmRSS", "own_mb": "RssAnon"}
        memory = {name: [watcher.memory_mb(kind)] for name, kind in kinds.items()}
        cpu = watcher.cpu_s()
        for turn in range(1, number + 1):
            path, before = chance.choice(paths), len(watcher.updates())
            text = path.read_text()
            touch(path, f"changed_marker_{turn}")
            while len(watcher.updates()) == before:
                time.sleep(0.005)
            path.write_text(text)  # taken back with the next one, so that the tree does not grow
            if turn % (number // 10) == 0:
                for name, kind in kinds.items():
                    memory[name].append(watcher.memory_mb(kind))
        spent, load = watcher.cpu_s() - cpu, os.getloadavg()[0]
        state = index.status().watcher
        watcher.end()
        clean = index.audit() == []
    return {
        "files": files,
        "start_s": round(up, 2),
        "changes": number,
        **memory,
        "update_ms": spread(watcher.updates(), 1),
        "cpu_ms_per_change": round(1000 * spent / number / 2, 1),  # each is taken back, which is one more
        "load": round(load, 1),
        "errors": state.errors if state else -1,
        "reconciles": dict(state.reconciles) if state else {},
        "audit_clean": clean,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=Path)
    parser.add_argument("--saves", type=int, default=100)
    parser.add_argument("--changes", type=int, default=1000)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["SCOVA_CACHE"] = f"{scratch}/cache"
        root = Path(scratch) / "tree"
        shutil.copytree(words.tree, root / "one", symlinks=True)
        figures: dict[str, object] = {"tree": words.tree.name}
        figures["one"] = saves(root, Path(scratch) / "data", words.saves)
        print(json.dumps(figures["one"], indent=1), flush=True)
        shutil.copytree(words.tree, root / "two", symlinks=True)
        figures["twice"] = changes(root, Path(scratch) / "data", words.changes)
        print(json.dumps(figures["twice"], indent=1))
    print("saved", save("watch", figures))


if __name__ == "__main__":
    main()
