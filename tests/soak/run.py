"""Everything at once, for an hour: `make soak` (`MINUTES=5` for five). Nothing may grow, slow down, or be left behind.

A leader and a follower (`scova mcp` both), `scova ui`, `scova serve` and `scova watch` on 3,500 files, while someone saves a file a second,
switches branches, makes and removes hundreds of files, asks every kind of question, makes and deletes projects, and kills an agent again
and again. Every few seconds the private memory, descriptors and threads of each are read, and the size of every log. At the end:

  - private memory grows by at most 5 MB an hour after the first ten minutes (a sixth of the time, where that is shorter);
  - no log is longer than 64 MB; descriptors and threads do not grow; answers do not become slower;
  - each ends with 0 within two seconds of being told to, and leaves nothing behind;
  - the index passes an audit, and equals one that is built anew.

Where less than half an hour is measured, growth an hour says little: what was held at the beginning and at the end is compared instead.
"""

import argparse
import importlib.util
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

from load import SCOVA, Agent, Editor, Served, Worker, killed_again, one_shot, server_work, ui_question
from measure import Series, held, logs

from scova import Index

MOST_MB_AN_HOUR, MOST_LOG_MB, MOST_SECONDS = 5.0, 64.0, 2.0
MOST_MB_IN_SHORT = 15.0  # in a short run: caches are still being filled
MOST_DESCRIPTORS, MOST_THREADS = 8, 4  # more at the end than at the beginning
EVERY = 3.0  # seconds between samples
LONG = 1800.0  # seconds that are measured, from which on growth an hour is judged
QUIET = 120.0  # seconds for the last changes to be brought in


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("MINUTES") or 60))
    parser.add_argument("--files", type=int, default=3500)
    parser.add_argument("--keep", action="store_true", help="leave the folder for looking at it")
    options = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="scova-soak-"))
    for name in list(os.environ):
        if name.startswith("SCOVA_"):
            del os.environ[name]
    os.environ |= {"SCOVA_CACHE": str(place / "cache"), "TMPDIR": str(place / "tmp"), "HOME": str(place / "home")}
    for name in ("tmp", "home", "logs"):
        (place / name).mkdir()
    problems = run(place, minutes=options.minutes, files=options.files)
    for problem in problems[:40]:
        print(f"PROBLEM {problem}")
    print(f"{len(problems)} problems, in {place}" if problems else "all is well")
    if not options.keep and not problems:
        shutil.rmtree(place)
    return 1 if problems else 0


def run(place: Path, *, minutes: float, files: int) -> list[str]:
    """The whole story; returns everything that went wrong."""
    root, talk = place / "tree", place / "logs"
    editor = Editor(root, files)
    subprocess.run([SCOVA, "index", str(root)], check=True)
    leader = Agent(root, talk / "leader")
    leader.ask("tools/call", name="search", arguments={"query": "soak"})
    follower = Agent(root, talk / "follower")
    ui = Served(["ui", "--no-open", str(root)], talk / "ui")
    serve = Served(["serve", "--port", "0", "--data", str(place / "served")], talk / "serve")
    with (talk / "watch").open("ab") as errors:
        watch = subprocess.Popen(
            [SCOVA, "watch", str(root)], stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True
        )
    running = {
        "leader": leader.process,
        "follower": follower.process,
        "ui": ui.process,
        "serve": serve.process,
        "watch": watch,
    }
    workers = [
        Worker("saves", 1.0, editor.save),
        Worker("leader", 1.5, leader.question(editor)),
        Worker("follower", 1.5, follower.question(editor)),
        Worker("ui", 2.0, ui_question(ui, editor)),
        Worker("serve", 4.0, server_work(serve, editor)),
        Worker("switches", 45.0, editor.switch),
        Worker("bulks", 40.0, editor.bulk),
        Worker("kills", 60.0, killed_again(root, talk / "killed")),
        Worker("commands", 15.0, one_shot(root)),
    ]
    began = time.monotonic()
    series = Series()
    try:
        for worker in workers:
            worker.start()
        problems = watched(series, running, place, began, 60 * minutes)
    finally:
        for worker in workers:
            worker.stop()
    print({worker.name: worker.done for worker in workers}, dict(editor.counts), flush=True)
    problems += [problem for worker in workers for problem in worker.problems[:5]]
    problems += judged(series, workers, began, min(600.0, 10 * minutes))
    settle(root)
    problems += ended(running)
    return problems + left(place, root) + compared(place, root)


def watched(
    series: Series, running: dict[str, subprocess.Popen], place: Path, began: float, seconds: float
) -> list[str]:
    """Read everything again and again; what died by itself is told at once."""
    said = 0.0
    while (now := time.monotonic() - began) < seconds:
        for name, process in running.items():
            try:
                if process.poll() is not None:
                    raise ProcessLookupError
                found = held(process.pid)
            except ProcessLookupError:
                return [f"{name} ended by itself with {process.poll()} after {now:.0f} s"]
            series.put(f"memory {name}", now, found.private_mb)
            series.put(f"descriptors {name}", now, found.descriptors)
            series.put(f"threads {name}", now, found.threads)
        for name, size in logs([place / "cache", place / "served"]).items():
            series.put(f"log {name if 'tenants/' not in name else 'of the server'}", now, size)
        if now >= said:
            said = now + 60
            memory = {name: round(series.since(f"memory {name}", 0)[1][-1]) for name in running}
            longest = max((series.most(name) for name in series.names() if name.startswith("log ")), default=0)
            print(f"  {now:5.0f} s  private MB {memory}  longest log {longest:.0f} MB", flush=True)
        time.sleep(EVERY)
    return []


def judged(series: Series, workers: list[Worker], began: float, warm: float) -> list[str]:
    """What grew, and what became slower."""
    problems: list[str] = []
    for name in series.names():
        kind, _, whose = name.partition(" ")
        times, values = series.since(name, warm)
        if len(values) < 8:
            continue
        tenth = max(2, len(values) // 5)
        first, last = statistics.median(values[:tenth]), statistics.median(values[-tenth:])
        growth = series.slope(name, warm)
        print(f"{name:<44} {first:8.1f} -> {last:8.1f}   an hour {growth}   most {series.most(name):.1f}")
        is_long = times[-1] - times[0] >= LONG
        if kind == "memory":
            grew = growth.an_hour - 2 * growth.error > MOST_MB_AN_HOUR if is_long else last - first > MOST_MB_IN_SHORT
            problems += [f"{whose} grows: {first:.0f} to {last:.0f} MB, {growth} MB an hour"] * grew
        elif kind == "log":
            problems += [f"the log {whose} was {series.most(name):.0f} MB long"] * (series.most(name) > MOST_LOG_MB)
        else:
            most = MOST_DESCRIPTORS if kind == "descriptors" else MOST_THREADS
            problems += [f"{kind} of {whose}: {first:.0f} to {last:.0f}"] * (last - first > most)
    for worker in workers:
        took = [seconds for when, seconds in worker.took if when - began >= warm]
        if worker.name in ("leader", "follower", "ui", "serve") and len(took) >= 20:
            half = len(took) // 2
            before, after = statistics.median(took[:half]), statistics.median(took[half:])
            p95 = statistics.quantiles(took, n=20)[-1]
            print(
                f"answers of {worker.name:<33} {1000 * before:8.0f} -> {1000 * after:8.0f} ms   p95 {1000 * p95:.0f} ms"
            )
            problems += [f"answers of {worker.name}: {before:.2f} to {after:.2f} s"] * (after > 2 * before + 0.2)
    return problems


def settle(root: Path) -> None:
    """Wait until the last changes are in."""
    deadline = time.monotonic() + QUIET
    with Index.open(root) as index:
        while index.is_stale() and time.monotonic() < deadline:
            time.sleep(0.2)


def ended(running: dict[str, subprocess.Popen]) -> list[str]:
    """Tell each to end, in its own way, and see how."""
    problems = []
    for name, process in running.items():
        began = time.monotonic()
        if name == "leader":
            process.stdin.close()
        else:
            process.send_signal(signal.SIGHUP if name == "follower" else signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        seconds = time.monotonic() - began
        print(f"{name} ended with {process.returncode} after {seconds:.2f} s")
        if process.returncode != 0 or seconds > MOST_SECONDS:
            problems.append(f"{name} ended with {process.returncode} after {seconds:.1f} s")
    return problems


def left(place: Path, root: Path) -> list[str]:
    """What nobody should find afterwards."""
    time.sleep(2.0)  # workers see within a second that their parent is gone
    problems = [f"left behind: {path}" for path in (place / "tmp").rglob("*")]
    for pattern in ("*-wal", "*-shm", "watch.json", "*.unfinished"):
        problems += [
            f"left behind: {path}" for folder in ("cache", "served") for path in (place / folder).rglob(pattern)
        ]
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            is_ours = f"TMPDIR={place / 'tmp'}".encode() in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if is_ours and int(entry.name) != os.getpid():
            problems.append(f"still running: {entry.name} {words[:120]}")
    return problems


def compared(place: Path, root: Path) -> list[str]:
    """The index against an audit, and against one built anew."""
    return _stress().compared(root, place)


def _stress() -> ModuleType:
    """The other long test, which knows how to compare two indexes."""
    folder = Path(__file__).parents[1] / "stress"
    sys.path.insert(1, str(folder))
    spec = importlib.util.spec_from_file_location("stress_run", folder / "run.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["stress_run"] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
