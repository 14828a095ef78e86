"""Abbreviations that programmers use, learned from harvested pairs: `cfg` is config and configuration, `req` is request.

    abbreviations.py HARVEST TABLE     HARVEST/pairs/*.jsonl into TABLE, a line `short long weight` each

What speaks for one: a short word stands in the identifiers of the code, the documentation of that code says a long word that the short one
may shorten (its beginning, `auth`; its consonants, `ctx`; its beginning and then consonants, `recv`), and the code itself does not say the
long word: the short one stands in its place. That must happen in several projects and far more often than by chance. Each project has one
vote, spread over its pairs, so that none can decide, however large. A short word keeps the meanings that are nearly as usual as its most usual
one; the weight is how usual a meaning is beside that. The benchmark's repositories have no say: pairs are made without them, by name and by
content (exclusions.py, proved by check_exclusions.py), and packages with one of their names are left out here once more.

Two passes, in about a minute; the same pairs give the same table, to the byte. Words are compared by their stems, as the index does.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from exclusions import excluded_name, family

from scova import tokens
from scova.search.asked.evidence import STOP_WORDS

PAIRS = 200  # of one project that are looked at, evenly spread over those it has
FEWEST_PAIRS = 20  # a project with fewer has less than a whole vote
MOST_CODE, MOST_DOC = 3000, 600  # characters
SHORTEST, LONGEST = 2, 7  # letters of a short word
PROJECTS = 8  # in which it stands for the long word
LIFT = 2.5  # times as often as by chance, even without the project that says it most
LIFT_OF_TWO = 5.0  # the same for a short word of two letters: these begin, or lie in, very many words
MEANING = 0.15  # how usual a meaning must be, beside the most usual one
SPOKEN = 0.2  # the same beside the short word itself: what documentation says as often as code is a word of its own
PACKAGE = re.compile(rb'"package": "([^"]*)"')


class Pair(NamedTuple):
    """Words of one pair by their stems, each with a spelling."""

    project: str
    vote: float
    said: dict[str, str]  # in the documentation
    written: dict[str, str]  # in the identifiers of the code


class Entry(NamedTuple):
    """A line of the table."""

    short: str
    long: str
    weight: float


@lru_cache(maxsize=1 << 20)
def may_shorten(short: str, long: str) -> bool:
    """Whether `short` is how one might shorten `long`: its beginning, then, if anything, consonants in their order."""
    if len(long) < len(short) + 2 or short[0] != long[0]:
        return False
    same = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    rest, letters = short[same:], iter(long[same:])
    # `corn` is no coordinate: neither its consonants nor enough of its beginning.
    if rest and same == 2 and short[1] in "aeiou":
        return False
    return not set(rest) & set("aeiou") and all(letter in letters for letter in rest)


def pairs_of(folder: Path) -> Iterator[Pair]:
    """Pairs of documentation and code, of every project an even sample."""
    paths = sorted((folder / "pairs").glob("*.jsonl"))
    sizes = Counter(project for path in paths for project, _ in _lines(path))
    seen = Counter[str]()
    for path in paths:
        for project, line in _lines(path):
            place, size = seen[project], sizes[project]
            seen[project] += 1
            if size > PAIRS and (place + 1) * PAIRS // size == place * PAIRS // size:
                continue
            pair = _read(line)
            if pair.get("kind") == "doc":
                vote = 1.0 / max(min(size, PAIRS), FEWEST_PAIRS)
                yield Pair(project, vote, _stems(pair["doc"][:MOST_DOC]), _stems(pair["code"][:MOST_CODE]))


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as file:
        for line in file:
            found = PACKAGE.search(line, 0, 400)
            project = _project(found[1].decode("utf-8", "replace")) if found else ""
            if project:
                yield project, line


@lru_cache(maxsize=1 << 16)
def _project(package: str) -> str:
    """What a package is part of; empty for one that may have no say."""
    return "" if excluded_name(package) else family(package)


def _read(line: bytes) -> dict[str, str]:
    try:
        return dict(json.loads(line))
    except ValueError:  # the last line of a harvest that was interrupted
        return {}


def _stems(text: str) -> dict[str, str]:
    parts = {part for word in set(tokens.words(text)) for part in tokens.parts(word)}
    return {tokens.stem(part): part for part in sorted(parts) if part.isascii() and part.isalpha()}


class Counts:
    """Votes, over all pairs that were added. Words are stems, a pair of words is (short, long)."""

    def __init__(self) -> None:
        self.all = 0.0
        self.written = Counter[str]()
        self.said = Counter[str]()
        self.said_only = Counter[str]()  # and not written
        self.itself = Counter[str]()  # said and written
        self.together = Counter[tuple[str, str]]()
        self.instead = Counter[tuple[str, str]]()  # the long one said and not written, the short one written
        self.projects = defaultdict[tuple[str, str], Counter[str]](Counter)  # whose votes those are
        self.spellings = defaultdict[tuple[str, str], Counter[tuple[str, str]]](Counter)

    def add(self, pair: Pair) -> None:
        self.all += pair.vote
        by_letter = defaultdict[str, list[tuple[str, str]]](list)
        for short, spelled in pair.written.items():
            self.written[short] += pair.vote
            if SHORTEST <= len(short) <= LONGEST and not {short, spelled} & STOP_WORDS:
                by_letter[short[0]].append((short, spelled))
        for long, spelled in pair.said.items():
            self.said[long] += pair.vote
            (self.itself if long in pair.written else self.said_only)[long] += pair.vote
            if spelled not in STOP_WORDS:
                self._compare(pair, long, by_letter[long[0]])

    def _compare(self, pair: Pair, long: str, shorts: Iterable[tuple[str, str]]) -> None:
        spelled = pair.said[long]
        for short, written in shorts:
            if short != long and len(written) < len(spelled) and may_shorten(short, spelled):
                words = (short, long)
                self.together[words] += pair.vote
                if long not in pair.written:
                    self.instead[words] += pair.vote
                    self.projects[words][pair.project] += pair.vote
                    self.spellings[words][written, spelled] += 1

    def lift(self, short: str, long: str) -> float:
        """How many times as often as by chance the short word is written where the long one is said and not written."""
        votes = self.instead[short, long] - max(self.projects[short, long].values())
        return votes * self.all / (self.written[short] * self.said_only[long])

    def excess(self, short: str, long: str) -> float:
        """Votes for both together, beyond chance."""
        return self.together[short, long] - self.written[short] * self.said[long] / self.all


def learned(counts: Counts) -> list[Entry]:
    """The table, sorted."""
    meanings = defaultdict[str, dict[str, float]](dict)
    for (short, long), projects in counts.projects.items():
        least = LIFT_OF_TWO if len(short) == SHORTEST else LIFT
        if len(projects) >= PROJECTS and counts.lift(short, long) >= least:
            meanings[short][long] = counts.excess(short, long)
    entries = []
    for short, found in meanings.items():
        best = max(found.values())
        for long, votes in found.items():
            if votes >= max(MEANING * best, SPOKEN * counts.itself[short]):
                entries.append(Entry(*_spelled(counts.spellings[short, long]), round(votes / best, 1)))
    return sorted(entries)


def _spelled(seen: Counter[tuple[str, str]]) -> tuple[str, str]:
    """How both are spelled most often; of equals, and of singular and plural, the shorter."""
    one = min(seen, key=lambda words: (-seen[words], words))
    short, long = (_singular(word, {words[side] for words in seen}) for side, word in enumerate(one))
    return short, long


def _singular(word: str, seen: set[str]) -> str:
    return word[:-1] if word.endswith("s") and word[:-1] in seen else word


def table(entries: Iterable[Entry], pairs: int, projects: int) -> str:
    """The text of the table's file."""
    made = f"made by training/abbreviations.py from {pairs} pairs of {projects} projects, benchmark excluded"
    rules = f"in {PROJECTS}+ projects, {LIFT}+ ({LIFT_OF_TWO}+ of two letters) times chance, weight {MEANING}+ of the most usual meaning"
    lines = [f"{short} {long} {weight:.1f}" for short, long, weight in entries]
    return "\n".join([f"# short long weight: {made}; {rules}", *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harvest", type=Path)
    parser.add_argument("table", type=Path)
    arguments = parser.parse_args()
    counts, pairs, projects = Counts(), 0, set[str]()
    for pair in pairs_of(arguments.harvest):
        counts.add(pair)
        pairs += 1
        projects.add(pair.project)
    entries = learned(counts)
    arguments.table.write_text(table(entries, pairs, len(projects)))
    print(f"{len(entries)} abbreviations from {pairs} pairs of {len(projects)} projects")


if __name__ == "__main__":
    main()
