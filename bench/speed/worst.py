#!/usr/bin/env python3
"""What the worst questions cost beside a plain one, in CPU time: of this working tree, and of an earlier commit in the same run.

    python bench/speed/worst.py TREE [--against COMMIT] [--seconds 120] [--no-save]

Each question is asked in a process of its own with a warm index, without a deadline. The plain question is the mean of several. One that
takes longer than `--seconds` of the processor is ended, and counts as that.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from machine import save

HERE = Path(__file__).resolve().parents[2]
ROUNDS = 25  # of the plain questions: one alone takes less than clocks tell
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PLAIN = (
    "open a file for reading",
    "where is the configuration read",
    "send a request again after an error",
    "parse a date",
)
WORST = {
    "26 prefixes that must not be there": ("session " + " ".join(f"-{letter}*" for letter in LETTERS), "hybrid"),
    "26 prefixes that must be there": (" ".join(f"{letter}*" for letter in LETTERS), "hybrid"),
    "one of 26 prefixes": (" OR ".join(f"{letter}*" for letter in LETTERS), "hybrid"),
    "26 parts that must not be there": ("session " + " ".join(f"-*{letter}*" for letter in LETTERS), "hybrid"),
    "one of 26 parts": (" OR ".join(f"*{letter}*" for letter in LETTERS), "hybrid"),
    "one of 26 parts of names": (" OR ".join(f"*{letter}*" for letter in LETTERS), "symbol"),
    "a letter that must be there": ("+e file", "hybrid"),
    "a common phrase": ('"the"', "hybrid"),
    "a pattern of one letter": ("x", "regex"),
    "a pattern that every line matches": (".*", "regex"),
}


def measured(tree: str, data: str, queries: list[str], mode: str) -> dict[str, float]:
    """In this process: CPU seconds of a question, the mean of all, and the peak of its memory in MB."""
    from scova import Index, Mode

    with Index.open(tree, data=data) as index:
        index.search(PLAIN[0])
        if len(queries) > 1:  # what is read once is not measured
            for query in queries:
                index.search(query, mode=Mode(mode))
        begun = time.process_time()
        for query in queries:
            index.search(query, mode=Mode(mode))
        seconds = (time.process_time() - begun) / len(queries)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": round(seconds, 4), "peak_mb": round(peak)}


def apart(source: Path, seconds: int, *asked: object) -> dict[str, float]:
    """The same with the sources of some commit, in a process that has so many seconds of the processor."""
    command = [sys.executable, __file__, "--measure", json.dumps(asked)]

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=bounded, env={"PYTHONPATH": str(source), "PATH": ""}
    )
    return json.loads(done.stdout) if done.returncode == 0 else {"seconds": float(seconds), "ended": True}


def compared(source: Path, tree: str, data: str, seconds: int) -> dict[str, dict[str, float]]:
    """Every question of one commit, with how many times a plain one it costs."""
    plain = apart(source, seconds, tree, data, ROUNDS * list(PLAIN), "hybrid")
    found = {"plain": plain}
    for name, (query, mode) in WORST.items():
        one = apart(source, seconds, tree, data, [query], mode)
        found[name] = {**one, "times": round(one["seconds"] / plain["seconds"], 1)}
        print(f"{name:40} {one['seconds']:9.3f} s  {found[name]['times']:8.1f} times a plain one", flush=True)
    return found


def main() -> None:
    """Compare, print, save."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tree", nargs="?")
    words.add_argument("--against", metavar="COMMIT")
    words.add_argument("--seconds", type=int, default=120)
    words.add_argument("--no-save", action="store_true")
    words.add_argument("--measure", help=argparse.SUPPRESS)
    given = words.parse_args()
    if given.measure:
        print(json.dumps(measured(*json.loads(given.measure))))
        return
    from scova import Index

    with tempfile.TemporaryDirectory(prefix="scova-worst-") as folder:
        data = f"{folder}/index"
        with Index.open(given.tree, data=data) as index:
            chunks = index.refresh().chunks
        figures: dict[str, object] = {"chunks": chunks, "now": compared(HERE / "src", given.tree, data, given.seconds)}
        if given.against:
            print(f"at {given.against}:")
            archive = subprocess.run(
                ["git", "archive", given.against, "src"], cwd=HERE, capture_output=True, check=True
            )
            subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
            figures["before"] = compared(Path(folder) / "src", given.tree, data, given.seconds)
            figures["before_commit"] = given.against
    if not given.no_save:
        print(save("worst", figures))


if __name__ == "__main__":
    main()
