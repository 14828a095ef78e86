"""Many processes on one index, all at once, for minutes: `make stress`.

Two writers, twenty readers and a watcher work on a real tree while a gardener edits, renames, moves, deletes, reverts and
switches branches, and while processes are killed at random moments. Held against the journal of what was true when:

  - no reader ever meets an error;
  - every answer, whole, is what the tree held at some moment between question and answer: nothing that was not there then,
    and nothing left out that was;
  - at the end the watcher alone has brought everything in, an audit finds nothing, and the index equals one built anew.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from journal import Journal
from tree import Gardener, make

from scova import Index, Mode, Query

HERE = Path(__file__).parent
SCOVA = str(Path(sys.executable).with_name("scova"))
PATIENCE = 180  # seconds for the watcher to bring in the last changes


@dataclass
class Crew:
    """The processes that work on the index. One that was killed is replaced."""

    root: Path
    logs: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    started: Counter[str] = field(default_factory=Counter)
    killed: Counter[str] = field(default_factory=Counter)

    def start(self, name: str) -> None:
        """Start one by its role and number: `writer 1`, `reader 7`, `watcher 0`."""
        role, _, number = name.partition(" ")
        self.started[role] += 1
        words = {
            "writer": [sys.executable, str(HERE / "writer.py"), str(self.root)],
            "watcher": [SCOVA, "watch", str(self.root)],
            "reader": [sys.executable, str(HERE / "reader.py"), str(self.root), str(self.started.total()), self._log()],
            "asker": [sys.executable, str(HERE / "reader.py"), str(self.root), str(self.started.total()), self._log()],
        }[role]
        if role == "asker":
            words.append("command")
        with (self.logs / f"{role}-{number}.err").open("ab") as errors:
            self.running[name] = subprocess.Popen(words, stdout=errors, stderr=errors, start_new_session=True)

    def kill(self, name: str) -> None:
        """SIGKILL, and a new one in its place."""
        process = self.running[name]
        os.killpg(process.pid, signal.SIGKILL)  # with whatever it has started
        process.wait()
        self.killed[name.partition(" ")[0]] += 1
        self.start(name)

    def dead(self) -> list[str]:
        """Those that ended by themselves, which nobody should."""
        return [
            f"{name}: exit {process.returncode}" for name, process in self.running.items() if process.poll() is not None
        ]

    def stop(self, *roles: str) -> None:
        """End these for good, whole process groups."""
        for name, process in self.running.items():
            if name.partition(" ")[0] in roles and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _log(self) -> str:
        return str(self.logs / f"answers-{self.started.total()}.jsonl")


def judged(record: dict[str, Any], journal: Journal) -> str:
    """What is wrong with an answer; empty when nothing is."""
    if "error" in record:
        return f"error: {record['error']}"
    since, until, subject = record["since"], record["until"], record["subject"]
    seen = {path: [(said[0], said[1]) for said in held] for path, held in record["seen"].items()}
    if any(journal.allows(subject, seen, moment) for moment in journal.moments(since, until)):
        return ""
    return f"{seen} was so at no moment; {journal.held_of(subject, since, until)} was what there was"


def content(index: Index) -> dict[str, Any]:
    """All that the index holds, for comparing it with another."""
    with index._opened().reader() as reader:
        chunks = sorted(
            (c.file_path, c.ordinal, c.id, c.content_hash, c.start_line, c.symbol, c.names)
            for c in reader.chunks(reader.rows())
        )
        paths = sorted(reader.files())
        outlines = [reader.outline(path) for path in paths]
        calls = [reader.calls(path=path) for path in paths]
    questions = ["where are files opened", "parse arguments", "marked_7", "decode bytes", "class Thread", "helper"]
    found = {
        f"{text} {mode}": [
            (r.chunk.file_path, r.chunk.start_line, r.score) for r in index.search(Query(text, mode=mode)).results
        ]
        for text in questions
        for mode in (Mode.HYBRID, Mode.TEXT, Mode.VECTOR, Mode.SYMBOL)
    }
    return {"chunks": chunks, "outlines": outlines, "calls": calls, "found": found}


def changed_until_the_end(crew: Crew, gardener: Gardener, options: argparse.Namespace) -> None:
    """All changes and all kills, evenly spread over the time there is."""
    chance = random.Random(options.seed)
    switches = {round(options.steps * (n + 1) / (options.switches + 1)) for n in range(options.switches)}
    kills = sorted(chance.uniform(0, options.seconds) for _ in range(options.kills))
    began = time.monotonic()
    for step in range(options.steps):
        while kills and kills[0] <= time.monotonic() - began:
            kills.pop(0)
            crew.kill(chance.choice(sorted(crew.running)))
        if step in switches:
            print(f"  {time.monotonic() - began:5.0f} s  step {step}: git checkout", flush=True)
            gardener.checkout()
        gardener.step()
        if step % 25 == 0:
            print(f"  {time.monotonic() - began:5.0f} s  step {step}, {crew.killed.total()} killed", flush=True)
        rest = began + options.seconds * (step + 1) / options.steps - time.monotonic()
        time.sleep(max(0.0, rest) * chance.uniform(0.2, 1.8) if rest > 0 else 0.01)
    for _ in kills:
        crew.kill(chance.choice(sorted(crew.running)))
        time.sleep(0.2)


def settled(root: Path) -> float:
    """Seconds until nothing is pending, with nobody but the watcher at work; fails when that never comes."""
    began = time.monotonic()
    with Index.open(root) as index:
        while index.pending_files() or index.is_stale():
            if time.monotonic() - began > PATIENCE:
                raise SystemExit(f"after {PATIENCE} s still pending: {index._pending[:10]}")
            time.sleep(0.2)
    return time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--switches", type=int, default=3)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="leave the folder for looking at it")
    options = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="scova-stress-"))
    os.environ["SCOVA_CACHE"] = str(place / "cache")
    print(f"seed {options.seed}, in {place}", flush=True)
    problems = run(place, options)
    for problem in problems[:20]:
        print(f"PROBLEM {problem}")
    print(f"{len(problems)} problems" if problems else "all is well")
    if not options.keep and not problems:
        import shutil

        shutil.rmtree(place)
    return 1 if problems else 0


def run(place: Path, options: argparse.Namespace) -> list[str]:
    """The whole story; returns everything that went wrong."""
    root, logs = place / "tree", place / "logs"
    logs.mkdir()
    make(root, options.files)
    subprocess.run([SCOVA, "index", str(root)], check=True)
    crew, gardener = Crew(root, logs), Gardener(root, options.seed)
    crew.start("watcher 0")
    for number in range(2):
        crew.start(f"writer {number}")
    for number in range(20):
        crew.start(f"{'asker' if number < 4 else 'reader'} {number}")
    changed_until_the_end(crew, gardener, options)
    problems = crew.dead()
    crew.stop("writer", "asker", "reader")
    print(f"  quiet after {settled(root):.1f} s", flush=True)
    crew.stop("watcher")
    records = [
        json.loads(line) for log in logs.glob("*.jsonl") for line in log.read_text().splitlines() if line.endswith("}")
    ]
    problems += [f"{r['kind']} {r['subject']}: {why}" for r in records if (why := judged(r, gardener.journal))]
    problems += compared(root, place)
    asked = Counter(record["kind"] for record in records)
    took = sorted((record["until"] - record["since"]) / 1e9 for record in records)
    print(f"{gardener.done} changes; killed {dict(crew.killed)}; asked {dict(asked)}")
    print(f"an answer took {took[len(took) // 2]:.2f} s (half of them), {took[-1]:.1f} s (the longest)")
    return problems


def compared(root: Path, place: Path) -> list[str]:
    """The index against an audit, and against one built anew."""
    with Index.open(root) as index:
        problems = [f"audit: {finding}" for finding in index.audit()]
        lived = content(index)
    with Index.open(root, data=str(place / "anew")) as index:
        index.refresh()
        built = content(index)
    return problems + [f"{part} differ from those of a rebuilt index" for part in built if built[part] != lived[part]]


if __name__ == "__main__":
    sys.exit(main())
