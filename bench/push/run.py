"""A push as a person meets it: `python bench/push/run.py [FILES] [--rate N]`, with a real server on this machine.

FILES small files (default 10,000) are written, pushed to an empty project, pushed again unchanged, and once more with one file changed, one
renamed and one deleted. Times are of the whole command, memory is the largest resident set of each process.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from machine import save

from scova.push.manifest import folder, read_manifest

SCOVA = str(Path(sys.executable).with_name("scova"))
WORDS = ["parcel", "ledger", "harbour", "lantern", "orchard", "quarry", "compass", "anchor"]


def write_tree(root: Path, files: int) -> None:
    """Small files, no two alike."""
    chance = random.Random(7)
    for number in range(files):
        path = root / f"area{number % 40:02}" / f"{chance.choice(WORDS)}_{number:05}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        one, other = chance.choice(WORDS), chance.choice(WORDS)
        path.write_text(
            f'"""The {one} of number {number}."""\n\nLIMIT = {chance.randrange(1000)}\n\n\n'
            f'def {one}_{number}(value):\n    """Turn a {other} into a {one}."""\n    return {other}_{number}(value) % LIMIT\n\n\n'
            f"def {other}_{number}(value):\n    return value + {number}\n"
        )


def pushed(tree: Path, url: str, rate: float) -> dict[str, object]:
    """One push: what it says, how long it took, how much memory."""
    words = ["push", str(tree), "--server", url, "--project", "bench", "--rate", str(rate), "--json"]
    began = time.perf_counter()
    client = subprocess.Popen([SCOVA, *words], stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    said = json.loads(client.stdout.read())
    _, status, used = os.wait4(client.pid, 0)
    client.returncode = os.waitstatus_to_exitcode(status)
    assert client.returncode == 0, said
    names = ("files", "sent", "unchanged", "deleted", "requests", "retries", "bytes_sent")
    seconds = round(time.perf_counter() - began, 2)
    return {**{name: said[name] for name in names}, "seconds": seconds, "client_mb": round(used.ru_maxrss / 1024)}


def changed(tree: Path) -> None:
    """One file changed, one renamed, one deleted."""
    first, second, third = sorted(tree.rglob("*.py"))[:3]
    first.write_text(first.read_text() + "\n\nCHANGED = True\n")
    second.rename(second.with_name("renamed.py"))
    third.unlink()


def main() -> None:
    """Measure, print, save."""
    words = argparse.ArgumentParser()
    words.add_argument("files", nargs="?", type=int, default=10_000)
    words.add_argument("--rate", type=float, default=1000.0)
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "tree"
        write_tree(tree, given.files)
        serve = [SCOVA, "serve", "--port", "0", "--data", str(Path(place) / "data")]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None
            figures: dict[str, object] = {"rate": given.rate}
            try:
                figures["first"] = pushed(tree, found[0], given.rate)
                figures["unchanged"] = pushed(tree, found[0], given.rate)
                changed(tree)
                figures["three changes"] = pushed(tree, found[0], given.rate)
                status = Path(f"/proc/{server.pid}/status").read_text()
                figures["server_mb"] = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) // 1024
            finally:
                server.terminate()
        manifest = read_manifest(folder(tree), lambda number: None)
        figures["manifest_bytes"] = sum(len(manifest.body("bench", part)) for part in manifest.parts())
    for name, figure in figures.items():
        print(f"{name:<16} {figure}")
    print(save("push", figures))


if __name__ == "__main__":
    main()
