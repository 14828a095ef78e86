#!/usr/bin/env python3
"""The call graph beside independent oracles: how often a `resolved` edge is right, and how much of the truth it has.

    python bench/structure/calls.py REPOS_DIR WORK_DIR [ORACLE-REPO…] [--show N] [--no-save]

WORK_DIR holds what the oracles said, one file ORACLE-REPO.json each; `bench/structure/oracles/make.py` makes them. Every
repository is indexed as `scova index` does it, every call in the index is resolved as `scova callees` does it, and compared with
the oracle by (file, line, name) of the call and (file, line) of the definition. Prints tables, and writes
bench/results/calls-COMMIT.json, which docs/reference/structure-accuracy.md is taken from.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from edges import Edge, Place, Score, Target, Truth, compare, exactly, merged
from machine import save

from scova import Index
from scova.answers import Certainty, Definition
from scova.search.structure.code import Code
from scova.search.structure.resolution.resolve import Resolver
from scova.types import Call

LANGUAGES = {"jedi": ("python",), "recorded": ("python",), "typescript": ("typescript", "tsx", "javascript", "jsx")}


class Ours:
    """Every call of some languages in the index of one folder, resolved."""

    def __init__(self, root: Path, languages: tuple[str, ...]) -> None:
        self.edges: dict[Place, list[Edge]] = defaultdict(list)
        self.reasons: dict[Place, str] = {}  # of calls without any definition
        self.certainties: Counter[str] = Counter()
        self.paths: set[str] = set()
        self._names: dict[tuple[str, int], str] = {}  # qualified names, by where definitions begin
        with (
            tempfile.TemporaryDirectory(prefix="scova-calls-") as folder,
            Index.open(root, data=f"{folder}/index", embedder="none") as index,
        ):
            index.refresh()
            with index._opened().reader() as reader:
                self._read(Code(reader), languages)

    def _read(self, code: Code, languages: tuple[str, ...]) -> None:
        resolver = Resolver(code)
        for path, language in code.languages.items():
            file = code.file(path)
            if language not in languages or file is None:
                continue
            self.paths.add(path)
            for symbol in file.symbols:
                self._names[path, symbol.start_line] = symbol.qualified
            for call in code.calls.inside(path):
                found = resolver.resolve(file, call)
                self._add(Place(path, call.line, call.name), call, found)

    def _add(self, place: Place, call: Call, found: Any) -> None:
        resolved = found.certainty is Certainty.RESOLVED
        self.certainties["resolved" if resolved else "candidate" if found.definitions else "none"] += 1
        for one in found.definitions:
            self.edges[place].append(Edge(_target(one), resolved, found.reason))
        if not found.definitions:
            self.reasons[place] = found.reason

    def same(self, theirs: Target, ours: Target) -> bool:
        """One definition: overloads, and an `if` and its `else`, are one under one qualified name."""
        if exactly(theirs, ours):
            return True
        named = self._names.get((theirs.path, theirs.line)) or self._names.get((theirs.path, theirs.first))
        return theirs.path == ours.path and named is not None and named == self._names.get((ours.path, ours.line))


def _target(one: Definition) -> Target:
    return Target(one.path, one.symbol.start_line, one.symbol.start_line)


def truths_of(said: dict[str, Any], indexed: set[str]) -> dict[Place, Truth]:
    """The oracle's sites in files that are indexed. A definition in a file that is not indexed is outside for us."""
    return merged(
        (Place(one["path"], one["line"], one["name"]), _truth(one, indexed))
        for one in said["sites"]
        if one["path"] in indexed
    )


def _truth(one: dict[str, Any], indexed: set[str]) -> Truth:
    targets = _targets(one["targets"])
    verdict = one["verdict"]
    if verdict == "inside" and not any(target.path in indexed for target in targets):
        verdict = "outside"
    return Truth(verdict, targets, _targets(one.get("overridden", [])))


def _targets(said: list[list[Any]]) -> tuple[Target, ...]:
    return tuple(Target(one[0], one[1], one[2] if len(one) > 2 else one[1]) for one in said)


_NAMED = re.compile(
    r"\b(imported from|defined in(?! this file| the index)|member of|annotated|constructed as|constructs|returns|in class"
    r"|inherits from|the only(?! definition)) [^\s,;]+"
)
_FIRST = re.compile(
    r"^\S+ (?=is annotated|is constructed|is not defined|is built|is a variable|returns|stands|inherits)"
)


def kind_of(reason: str) -> str:
    """A reason without the names in it: `client is annotated Client` is `… is annotated …`."""
    plain = re.sub(r" on line \d+|^\d+ (?=definitions)", "", reason)
    return _NAMED.sub(r"\1 …", _FIRST.sub("… ", plain))


def figures_of(score: Score, ours: Ours, truths: dict[Place, Truth], about: dict[str, Any]) -> dict[str, Any]:
    """One row of the tables, with everything to look into."""
    missed = Counter(why for _, why in score.missed)
    none = Counter(
        kind_of(ours.reasons.get(place, "the call is not in the index"))
        for place, why in score.missed
        if why == "no edge"
    )
    return {
        "about": about,
        "sites": len(truths),
        "files": len(ours.paths),
        "calls": dict(ours.certainties),
        "precision": round(score.precision, 4),
        "strict_precision": round(score.strict_precision, 4),
        "right": score.right,
        "declared": score.declared,
        "wrong": len(score.wrong),
        "not_judged": score.not_judged,
        "inside": score.inside,
        "recall": round(score.recall, 4),
        "recall_with_candidates": round(score.recall_offered, 4),
        "missed": dict(missed),
        "no_edge": dict(none.most_common(8)),
        "by_reason": {
            kind: dict(counts) for kind, counts in sorted(score.by_reason.items(), key=lambda one: -one[1].total())
        },
        "wrong_samples": [_wrong(*one) for one in random.Random(3).sample(score.wrong, min(60, len(score.wrong)))],
        "missed_samples": [
            f"{why}: {place.path}:{place.line} {place.name}"
            for place, why in random.Random(3).sample(score.missed, min(40, len(score.missed)))
        ],
    }


def _wrong(place: Place, edge: Edge, truth: Truth) -> str:
    theirs = ", ".join(f"{one.path}:{one.line}" for one in truth.targets) or truth.verdict
    return f"{place.path}:{place.line} {place.name} -> {edge.target.path}:{edge.target.line} ({edge.reason}); oracle: {theirs}"


def table(figures: dict[str, dict[str, Any]]) -> str:
    """The figures as Markdown."""
    rows = [
        "| oracle and repository | sites asked | resolved, judged | right | declared above | wrong | precision | "
        "oracle's edges inside | recall, resolved | recall, with candidates |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, one in figures.items():
        judged = one["right"] + one["declared"] + one["wrong"]
        rows.append(
            f"| {name} | {one['sites']} | {judged} | {one['right']} | {one['declared']} | {one['wrong']} | "
            f"{one['precision']:.3f} | {one['inside']} | {one['recall']:.3f} | {one['recall_with_candidates']:.3f} |"
        )
    return "\n".join(rows)


def print_details(figures: dict[str, dict[str, Any]], count: int) -> None:
    """Reasons with their counts, and samples of what is wrong and missed."""
    for name, one in figures.items():
        print(
            f"\n{name}: {one['about']}; calls in the index {one['calls']}; missed {one['missed']}; no edge {one['no_edge']}"
        )
        for kind, counts in list(one["by_reason"].items())[:15]:
            print(f"    {kind}: {counts}")
        for line in one["wrong_samples"][:count]:
            print(f"    wrong: {line}")
        for line in one["missed_samples"][:count]:
            print(f"    missed, {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repos", type=Path, help="the folder that holds the repositories")
    parser.add_argument("work", type=Path, help="the folder that holds the oracles' answers")
    parser.add_argument("names", nargs="*", help="only these, for example jedi-flask")
    parser.add_argument(
        "--show", type=int, default=4, metavar="N", help="samples of what is wrong, and of what is missed"
    )
    parser.add_argument("--no-save", action="store_true")
    chosen = parser.parse_args()
    files = sorted(chosen.work.glob("*-*.json"))
    if not files:
        raise SystemExit(f"no answers in {chosen.work}: run bench/structure/oracles/make.py first")
    figures: dict[str, dict[str, Any]] = {}
    known: dict[tuple[str, tuple[str, ...]], Ours] = {}
    for file in files:
        oracle, _, repo = file.stem.partition("-")
        if oracle not in LANGUAGES or (chosen.names and file.stem not in chosen.names):
            continue
        said = json.loads(file.read_text())
        key = (repo, LANGUAGES[oracle])
        ours = known[key] = known.get(key) or Ours(chosen.repos / repo, LANGUAGES[oracle])
        truths = truths_of(said, ours.paths)
        score = compare(truths, ours.edges, same=ours.same, kind_of=kind_of)
        figures[file.stem] = figures_of(score, ours, truths, said["about"])
        print(f"{file.stem} done", file=sys.stderr, flush=True)
    print(table(figures))
    print_details(figures, chosen.show)
    if not chosen.no_save:
        print("written to", save("calls", {"graphs": figures}), file=sys.stderr)


if __name__ == "__main__":
    main()
