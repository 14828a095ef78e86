#!/usr/bin/env python3
"""A benchmark of our own: whole repositories, answers that are spans, questions without an answer, grep beside it.

    python bench/quality/spans/run.py MIRRORS [--repos a,b] [--each 40] [--details FILE] [--semble-model DIR] [--no-semble] [--no-save]

MIRRORS holds bare clones as OWNER+NAME/repo of what bench/quality/repositories.json lists. Questions and answers are made by script from
these commits; nothing of the repositories is kept. Prints tables, and writes bench/results/spans-COMMIT.json: figures only. `--details`
writes every question with its answers and scores, for looking at losses. docs/reference/quality.md has the method.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from asking import Row, rows_of
from figures import figures
from labels import EACH, Labels, gather
from machine import save
from repository import LISTED, Repository, clone_of, listed
from tables import printed
from unanswered import unanswered


def questions_of(repositories: Sequence[Repository], mirrors: Path, each: int) -> dict[Repository, Labels]:
    """Answerable and unanswerable questions about every repository; those without an answer come from the others."""
    found = {}
    for one in repositories:
        found[one] = gather(clone_of(one, mirrors), one, each=each)
        print(f"{one.name}: {len(found[one].questions)} questions", file=sys.stderr, flush=True)
    for one, labels in found.items():
        others = [
            question
            for other, known in found.items()
            if other is not one
            for question in known.questions
            if question.spans
        ]
        labels.questions.extend(unanswered(labels.tree, others, one.name, wanted=each))
    return found


def detail(row: Row) -> dict[str, object]:
    """A row as JSON has it."""
    question = row.question
    return {
        "repository": row.repository,
        "kind": question.kind,
        "question": question.text,
        "answers": [f"{span.path}:{span.first}-{span.last}" for span in question.spans],
        "origin": question.origin,
        "ndcg": {name: round(one.ndcg, 3) for name, one in row.scores.items()},
        "nothing": [name for name, said in row.nothing.items() if said],
        "reasons": row.reasons,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--repos", help="only these, separated by commas")
    parser.add_argument("--each", type=int, default=EACH, help="questions of a kind from a repository, at most")
    parser.add_argument("--details", type=Path, metavar="FILE")
    parser.add_argument(
        "--semble-model", default="", metavar="DIR", help="semble's own model; without it, it is asked by words alone"
    )
    parser.add_argument(
        "--repositories", type=Path, default=LISTED, metavar="FILE", help="another list of repositories"
    )
    parser.add_argument("--no-semble", action="store_true")
    parser.add_argument("--no-save", action="store_true")
    chosen = parser.parse_args()
    wanted = set(chosen.repos.split(",")) if chosen.repos else None
    repositories = [one for one in listed(chosen.repositories) if wanted is None or one.name in wanted]
    rows: list[Row] = []
    for one, labels in questions_of(repositories, chosen.mirrors, chosen.each).items():
        rows += rows_of(one, labels, labels.questions, None if chosen.no_semble else chosen.semble_model)
        print(f"{one.name} asked", file=sys.stderr, flush=True)
    found = figures(rows)
    print(printed(found, {one.name: one.language for one in repositories}))
    if chosen.details:
        chosen.details.write_text(json.dumps([detail(row) for row in rows], indent=1) + "\n")
    if not chosen.no_save:
        pinned = [{"name": one.name, "base": one.base, "commit": one.commit} for one in repositories]
        how = "own model" if chosen.semble_model else "words and its ranking, without its model"
        print(f"written to {save('spans', {'repositories_at': pinned, 'semble': how, **found})}", file=sys.stderr)


if __name__ == "__main__":
    main()
