#!/usr/bin/env python3
"""Definitions beside universal-ctags: how many of its functions, methods and types scova has, in real repositories.

    python bench/structure/definitions.py REPOS_DIR [NAME…] [--no-save] [--show N]

Compares the files that scova indexes, of each repository's main language, read by ctags as the same language. Prints a
Markdown table, then the rules that explain differences with counts and samples, and what no rule explains. Writes
bench/results/definitions-COMMIT.json, which docs/reference/structure-accuracy.md is taken from.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import ctags
from differences import RULES, Around, defined_macros, quoted_lines, reason
from machine import save
from matching import Matched, Tag, match, share

from scova.parse.language import language_of, possible_languages
from scova.parse.outline import outline
from scova.sources.folder import FolderSource
from scova.types import Document, Item

# Repository -> its main language.
REPOS = {
    "flask": "python",
    "aiohttp": "python",
    "axios": "javascript",
    "trpc": "typescript",
    "vitest": "typescript",
    "axum": "rust",
    "chi": "go",
    "gson": "java",
    "redis": "c",
    "nlohmann-json": "cpp",
    "messagepack-csharp": "csharp",
    "guzzle": "php",
    "laravel-framework": "php",
    "rails": "ruby",
    "nvm": "bash",
    "telescope.nvim": "lua",
    "kotlinx-coroutines": "kotlin",
    "ecto": "elixir",
    "aeson": "haskell",
}
# Kinds of scova's that ctags' compared kinds can be; a prototype, a field or a constant is something else.
_NOT_COMPARED = frozenset(
    {"constant", "variable", "field", "property", "prototype", "test", "package", "namespace", "macro"}
)
_MACROS = frozenset({"rust", "elixir"})  # languages whose macros are compared


class Texts:
    """What scova indexes of one repository in one language: texts, and definitions."""

    def __init__(self, root: Path, language: str) -> None:
        self.language = language
        self.lines: dict[str, list[str]] = {}
        self.ours: dict[str, list[Tag]] = {}
        source = FolderSource(root, language_of=language_of)
        for item in source.items():
            if not isinstance(item, Item) or not {language, ""}.intersection(possible_languages(item.path)):
                continue
            document = source.read(item)
            if isinstance(document, Document) and document.language == language:
                self._add(document)

    def _add(self, document: Document) -> None:
        self.lines[document.path] = document.text.split("\n")
        self.ours[document.path] = [
            Tag(document.path, one.start_line, ctags.plain(one.name), one.kind, one.end_line)
            for one in outline(document.text, document.language).symbols
        ]

    def compared(self) -> list[Tag]:
        """Our definitions of the kinds that are compared."""
        macros = {"macro"} if self.language in _MACROS else set()
        return [tag for tags in self.ours.values() for tag in tags if tag.kind not in _NOT_COMPARED - macros]

    def explained(self, missing: list[Tag]) -> dict[str, list[Tag]]:
        """What only ctags has, by the rule that explains it; under "" what none does."""
        c_like = self.language in ("c", "cpp")
        macros = defined_macros("\n".join(lines) for lines in self.lines.values()) if c_like else frozenset()
        around = {
            path: Around(self.language, lines, self.ours[path], macros, quoted_lines(lines, self.language))
            for path, lines in self.lines.items()
            if any(tag.path == path for tag in missing)
        }
        by_rule: dict[str, list[Tag]] = defaultdict(list)
        for tag in missing:
            by_rule[reason(tag, around[tag.path])].append(tag)
        return by_rule

    def sample(self, tags: list[Tag], count: int) -> list[str]:
        """Some of them with their lines, the same each time."""
        chosen = random.Random(3).sample(tags, min(count, len(tags)))
        return [
            f"{tag.kind} {tag.name} {tag.path}:{tag.line}: {self.lines[tag.path][tag.line - 1].strip()[:100]}"
            for tag in sorted(chosen)
        ]


def measure(root: Path, language: str) -> dict[str, object]:
    """Every figure of one repository."""
    texts = Texts(root, language)
    every = ctags.tags(root, sorted(texts.lines), language)
    theirs = list({(tag.path, tag.line, tag.name): tag for tag in every}.values())
    found = match(theirs, texts.compared())
    by_rule = texts.explained(found.only_theirs)
    missed = by_rule.pop("", [])
    explained = sum(map(len, by_rule.values()))
    return {
        "language": language,
        "files": len(texts.lines),
        "ctags": len(theirs),
        "ctags_twice": len(every) - len(theirs),
        "found": len(found.both),
        "same_line": sum(pair.theirs.line == pair.ours.line for pair in found.both),
        "raw_recall": round(share(len(found.both), len(theirs)), 4),
        "explained": {rule: len(tags) for rule, tags in sorted(by_rule.items(), key=lambda one: -len(one[1]))},
        "recall": round(share(len(found.both), len(theirs) - explained), 4),
        "missed": len(missed),
        "only_scova": len(found.only_ours),
        "only_scova_kinds": dict(Counter(tag.kind for tag in found.only_ours).most_common(6)),
        "kinds": _kinds(found),
        "samples": {
            **{rule: texts.sample(tags, 8) for rule, tags in by_rule.items()},
            "missed": texts.sample(missed, 40),
            "only scova": texts.sample(found.only_ours, 12),
        },
    }


def _kinds(found: Matched) -> dict[str, dict[str, int]]:
    """ctags' kind -> found and missing."""
    both = Counter(pair.theirs.kind for pair in found.both)
    missing = Counter(tag.kind for tag in found.only_theirs)
    return {kind: {"found": both[kind], "missing": missing[kind]} for kind in sorted(both | missing)}


def table(figures: dict[str, dict[str, object]]) -> str:
    """The figures as Markdown."""
    rows = [
        "| repository | language | files | ctags has | found | raw recall | explained | missed | recall | only scova |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, one in figures.items():
        explained = sum(one["explained"].values())  # type: ignore[attr-defined]
        rows.append(
            f"| {name} | {one['language']} | {one['files']} | {one['ctags']} | {one['found']} | {one['raw_recall']:.3f} | "
            f"{explained} | {one['missed']} | {one['recall']:.3f} | {one['only_scova']} |"
        )
    return "\n".join(rows)


def print_details(figures: dict[str, dict[str, object]], count: int) -> None:
    """Rules with counts and samples, and what is missed."""
    for rule, (meaning, _) in RULES.items():
        counts = {name: one["explained"][rule] for name, one in figures.items() if rule in one["explained"]}  # type: ignore[index,operator]
        if counts:
            print(f"\n{rule}: {meaning}. {counts}")
            for name in counts:
                for line in figures[name]["samples"][rule][:count]:  # type: ignore[index]
                    print(f"    {name}: {line}")
    print("\nmissed: no rule explains it")
    for name, one in figures.items():
        for line in one["samples"]["missed"][: count * 5]:  # type: ignore[index]
            print(f"    {name}: {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repos", type=Path, help="the folder that holds the repositories")
    parser.add_argument("names", nargs="*", help=f"only these of {', '.join(REPOS)}")
    parser.add_argument("--show", type=int, default=2, metavar="N", help="samples per rule and repository")
    parser.add_argument("--no-save", action="store_true")
    chosen = parser.parse_args()
    about = ctags.version()
    figures: dict[str, dict[str, object]] = {}
    for name in chosen.names or REPOS:
        if not (chosen.repos / name).is_dir():
            raise SystemExit(
                f"{chosen.repos / name} is not there: see bench/README.md on where the repositories come from"
            )
        figures[name] = measure(chosen.repos / name, REPOS[name])
        print(f"{name} done", file=sys.stderr, flush=True)
    print(table(figures))
    print_details(figures, chosen.show)
    if not chosen.no_save:
        rules = {rule: meaning for rule, (meaning, _) in RULES.items()}
        print("written to", save("definitions", {"oracle": about, "rules": rules, "repos": figures}), file=sys.stderr)


if __name__ == "__main__":
    main()
