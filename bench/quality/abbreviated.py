#!/usr/bin/env python3
"""What the table of abbreviations is worth: the benchmark's questions as asked, with words shortened, and with short ones written out.

    BENCH_ROOT=DIR python bench/quality/abbreviated.py --evaluate DIR/evaluate.py [--repos a,b] [--no-save]

The questions hardly ever shorten a word, so two more sets are made of them by the list below, which is written by hand and is not the
table (search/asked/abbreviations.txt, which is learned); only the questions that it changes are asked, with the answers they had. Each
set is asked with the table and without, as it ships and in the mode `text`. NDCG@10, mean over the repositories that have such
questions; the difference is paired over these, with its standard error. Writes bench/results/abbreviated-COMMIT.json.
"""

import re
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from ablation import chosen, scored
from machine import save

from scova import Index
from scova.search.asked import evidence
from scova.search.asked.abbreviations import spellings_of
from scova.tokens import stem
from scova.types import Mode

# How programmers usually shorten, from general knowledge: `short long`. A long word is shortened by the first line that has it.
_USUAL = """
    addr address, alg algorithm, app application, arg argument, arr array, assoc association, attr attribute, auth authentication,
    authz authorization, avg average, bg background, bin binary, bool boolean, btn button, buf buffer, calc calculation, cb callback,
    cert certificate, cfg configuration, config configuration, char character, cls class, cmd command, cmp comparison, cnt count,
    col column, coll collection, cond condition, conn connection, const constant, conv conversion, coord coordinate, coro coroutine,
    cred credential, ctrl control, ctx context, cur current, db database, decl declaration, def definition, dep dependency,
    desc description, deser deserialization, dest destination, dict dictionary, diff difference, dir directory, dist distribution,
    doc documentation, dup duplicate, elem element, enc encoding, env environment, err error, evt event, exc exception,
    exec execution, expr expression, ext extension, fmt format, fn function, freq frequency, gen generator, hdr header,
    hist history, id identifier, idx index, img image, impl implementation, info information, init initialization,
    inst instance, int integer, iter iterator, kw keyword, lang language, len length, lib library, loc location, lvl level, max maximum,
    mem memory, mgmt management, mgr manager, min minimum, msg message, mw middleware, net network, num number, obj object,
    op operation, opt option, orig original, param parameter, pkg package, pos position, pref preference, prev previous,
    proc process, prop property, proto protocol, ptr pointer, pwd password, rand random, ref reference, reg registration,
    repo repository, repr representation, req request, resp response, ret return, seq sequence, ser serialization, sess session,
    sig signature, spec specification, src source, srv server, stats statistics, stmt statement, str string, struct structure,
    sub subscription, svc service, sys system, tbl table, tmp temporary, tok token, ts timestamp,
    txn transaction, usr user, util utility, val value, var variable, vec vector, ver version, win window
"""
USUAL = [(short, long) for short, long in (line.split() for line in _USUAL.split(","))]
_WORD = re.compile(r"(?<![\w.:/`-])[A-Za-z][a-z]+(?![\w(/`-]|[.:]\w)")  # of the language: no name, nor a part of one


def plural(word: str) -> str:
    """Of a word in the list."""
    return word[:-1] + "ies" if word.endswith("y") else word + ("es" if word.endswith("s") else "s")


def _lookup(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """What to write for a word, and for its plural; the first line that has it decides."""
    one = {word: other for word, other in reversed(pairs)}
    return {plural(word): other + "s" for word, other in one.items()} | one


_SHORT = _lookup([(long, short) for short, long in USUAL])
_LONG = {short + "s": plural(long) for short, long in reversed(USUAL)} | dict(reversed(USUAL))


def shortened(question: str) -> str:
    """The question with every word of the list in its short form."""
    return _rewritten(question, _SHORT)


def written_out(question: str) -> str:
    """The question with every short form of the list written out."""
    return _rewritten(question, _LONG)


def _rewritten(question: str, table: dict[str, str]) -> str:
    def other(match: re.Match[str]) -> str:
        word = match[0]
        if not word.islower() and (match.start() or " " not in question):
            return word  # a name, unless it begins a sentence
        return table.get(word.lower(), word)

    return _WORD.sub(other, question)


SETS: dict[str, Callable[[str], str]] = {
    "as asked": lambda question: question,
    "shortened": shortened,
    "written out": written_out,
}
MODES = (Mode.HYBRID, Mode.TEXT)


def measure(evaluate: Any, repos: list[Any]) -> dict[str, dict[str, list[list[dict[str, float]]]]]:
    """For each mode and set, of each repository with such questions: NDCG@10 of every question, with the table and without."""
    found: dict[str, dict[str, list[list[dict[str, float]]]]] = {
        mode.value: {name: [] for name in SETS} for mode in MODES
    }
    for repo in repos:
        with (
            tempfile.TemporaryDirectory(prefix="scova-bench-") as folder,
            Index.open(str(repo.root), data=f"{folder}/index") as index,
        ):
            index.refresh()
            for name, rewrite in SETS.items():
                asked = [{**query, "query": rewrite(query["query"])} for query in repo.queries]
                if name != "as asked":
                    asked = [new for new, old in zip(asked, repo.queries, strict=True) if new["query"] != old["query"]]
                for mode in MODES if asked else ():

                    def figure(query: Any, mode: Mode = mode, repo: Any = repo, index: Index = index) -> float:
                        return round(scored(evaluate, repo, query, index, mode=mode)["strict"], 6)

                    rows = [{"with": figure(query)} for query in asked]
                    with patch.object(evidence, "spellings_of", lambda term: ()):
                        rows = [{**row, "without": figure(query)} for row, query in zip(rows, asked, strict=True)]
                    found[mode.value][name].append(rows)
        print(f"{repo.name} done", file=sys.stderr, flush=True)
    return found


def summary(repositories: list[list[dict[str, float]]]) -> dict[str, Any]:
    """Means over repositories, the paired difference with its standard error, and how many questions got better or worse."""
    means = [{key: statistics.fmean(row[key] for row in rows) for key in ("with", "without")} for rows in repositories]
    gains = [one["with"] - one["without"] for one in means]
    changes = [row["with"] - row["without"] for rows in repositories for row in rows]
    return {
        "repositories": len(means),
        "questions": len(changes),
        "without": statistics.fmean(one["without"] for one in means),
        "with": statistics.fmean(one["with"] for one in means),
        "difference": statistics.fmean(gains),
        "standard_error": statistics.stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else None,
        "better": sum(change > 1e-9 for change in changes),
        "worse": sum(change < -1e-9 for change in changes),
    }


def known() -> int:
    """How many lines of the list the table has, too."""
    return sum(any(one.term == stem(long) for one in spellings_of(stem(short))) for short, long in USUAL)


def told(mode: str, name: str, one: dict[str, Any]) -> str:
    error = one["standard_error"]
    return (
        f"{mode:8} {name:12} {one['questions']:4} questions of {one['repositories']:2} repositories: without {one['without']:.4f}  with {one['with']:.4f}"
        f"  {one['difference']:+.4f}{'' if error is None else f' ± {error:.4f}'}  better {one['better']}, worse {one['worse']}"
    )


def main() -> None:
    evaluate, repos, saves = chosen(__doc__)
    measured = measure(evaluate, repos)
    figures = {mode: {name: summary(rows) for name, rows in sets.items() if rows} for mode, sets in measured.items()}
    print(f"{len(USUAL)} usual abbreviations, {known()} of them in the table")
    for mode, sets in figures.items():
        for name, one in sets.items():
            print(told(mode, name, one))
    if saves:
        listed = {"abbreviations": len(USUAL), "in_the_table": known()}
        print(f"written to {save('abbreviated', {'listed': listed, 'modes': figures})}", file=sys.stderr)


if __name__ == "__main__":
    main()
