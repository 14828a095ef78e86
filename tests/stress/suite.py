"""The tests themselves under stress: `make stress-tests`.

`make test` draws properties from a fixed seed and runs tests in one order. What that cannot find is looked for here, in parts:

  properties  every test that draws, with other seeds: round after round until the time of the part is over
  races       the tests of watching, serving and jobs, twenty times, with two busy processes beside them
  suite       all tests twice, with two busy processes beside them

Each round has a seed of its own, from which examples, the order of tests and Python's hashes are drawn. It is printed, so that
`make stress-tests PARTS=properties ROUNDS=1 SEED=n` does the same again. Logs are kept in build/stress, and what was found in
build/stress/found.txt: it belongs into the test as an `@example`, so that `make test` has it from then on.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
LOGS = ROOT / "build" / "stress"
DRAWING = re.compile(r"^(?:from|import) (?:hypothesis|schemathesis)\b", re.MULTILINE)
RACING = ("unit/watch", "unit/live", "unit/jobs", "unit/server", "unit/desk", "unit/search/test_coordinator*.py", "unit/test_index_threads.py",
          "e2e/test_watch.py", "e2e/test_serve*.py", "e2e/test_jobs_command.py", "e2e/test_settled.py", "crash/test_jobs.py")  # fmt: skip
FOUND = re.compile(r"^(?:E   )?(?:  )*(?:Falsifying example|You can reproduce this example|FAILED|ERROR)\b.*(?:\n(?:E   )?  .*)*", re.MULTILINE)  # fmt: skip
FUZZ = "30"  # requests of each route, each way, where `make test` sends ten


@dataclass(frozen=True)
class Part:
    """What is run, how often at the most, and for how long a new round is begun."""

    paths: tuple[str, ...]
    rounds: int
    minutes: float
    busy: int = 0  # processes beside it
    is_drawn: bool = True  # whether examples are drawn from other seeds


def drawing() -> tuple[str, ...]:
    """The files whose tests draw examples."""
    files = sorted(TESTS.rglob("test_*.py"))
    return tuple(str(path) for path in files if path.parent.name != "architecture" and DRAWING.search(path.read_text()))


def racing() -> tuple[str, ...]:
    """The files whose tests have threads and processes work on one thing."""
    return tuple(str(path) for name in RACING for path in sorted(TESTS.glob(name)))


def parts() -> dict[str, Part]:
    """By name; the first two take 45 minutes together."""
    return {
        "properties": Part(drawing(), 1000, 15.0),
        "races": Part(racing(), 20, 25.0, busy=2, is_drawn=False),
        "suite": Part((str(TESTS),), 2, 600.0, busy=2, is_drawn=False),
    }


@contextmanager
def beside(count: int) -> Iterator[None]:
    """So many processes that do nothing but use a processor, while the block runs."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run(name: str, part: Part, seed: int, workers: int) -> bool:
    """One round; whether all tests passed."""
    log = LOGS / f"{name}-{seed}.log"
    command = [sys.executable, "-m", "pytest", "-n", str(workers), "--dist", "loadfile", "--order", str(seed)]
    if part.is_drawn:
        command += ["--hypothesis-profile", "drawn", "--hypothesis-seed", str(seed)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed % 2**32)} | ({"FUZZ": FUZZ} if part.is_drawn else {})
    with beside(part.busy), log.open("w") as file:
        code = subprocess.run([*command, *part.paths], cwd=ROOT, env=environment, stdout=file, stderr=file).returncode
    said = log.read_text(errors="replace").splitlines()
    print(f"    {said[-1] if said else 'nothing was said'}", flush=True)
    if code:
        again = f"make stress-tests PARTS={name} ROUNDS=1 SEED={seed}"
        found = "\n".join(match.group() for match in FOUND.finditer("\n".join(said)))
        with (LOGS / "found.txt").open("a") as file:
            file.write(f"{name}, seed {seed}: {again}\n{found}\n\n")
        print(f"    FAILED: see {log.relative_to(ROOT)}\n    again:  {again}", flush=True)
    return code == 0


def repeat(name: str, part: Part, options: argparse.Namespace) -> int:
    """All rounds of one part; how many failed."""
    rounds, began, failed = options.rounds or part.rounds, time.monotonic(), 0
    longest = 0.0
    for number in range(rounds):
        started = time.monotonic()
        if number and started - began + longest > 60 * (options.minutes or part.minutes):
            print(f"{name}: {number} rounds; the time of this part is over", flush=True)
            break
        print(f"{name}: round {number + 1}, seed {options.seed + number}", flush=True)
        failed += not run(name, part, options.seed + number, options.workers)
        longest = max(longest, time.monotonic() - started)
    return failed


def main() -> int:
    """All parts that are asked for; 1 when any round failed."""
    known = parts()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(known)}; the first two when none is named"
    )
    parser.add_argument(
        "--seed", type=int, default=None, help="of the first round; the next has one more (default: drawn)"
    )
    parser.add_argument("--rounds", type=int, default=0, help="of each part, at the most")
    parser.add_argument("--minutes", type=float, default=0.0, help="for each part; a round that is begun is finished")
    parser.add_argument(
        "--workers", type=int, default=3, help="processes that run tests (default: 3, as in `make test`)"
    )
    options = parser.parse_args()
    options.parts = options.parts or ["properties", "races"]
    if unknown := [name for name in options.parts if name not in known]:
        parser.error(f"there is no part `{unknown[0]}`: choose from {', '.join(known)}")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1, 2**31)
    LOGS.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}: `make stress-tests SEED={options.seed}` does the same again", flush=True)
    failed = sum(repeat(name, known[name], options) for name in options.parts)
    print(f"{failed} rounds failed; what was found is in build/stress/found.txt" if failed else "all rounds passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
