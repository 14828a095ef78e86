"""Questions from history: the subject of a commit, answered by what it changed.

The tree is that of an earlier commit than all that are asked about, so nothing of what they added, nor a change log that tells of them,
is in it. What a commit changed is followed back to that tree line by line; what was written in between is no answer.
"""

import re
from collections import defaultdict
from typing import NamedTuple

from question import LONGEST, Kind, Question, Span, joined
from repository import Clone, Repository
from tree import Tree

from scova.evaluation.history import MOST_TOUCHED, is_log, is_robot, question_of
from scova.evaluation.question import lot
from scova.parse.tags import tags_of

MOST_SPANS = 8
CONTEXT = 3  # lines around a change that lies in no function
PER_AUTHOR = 0.5  # of the questions, at most
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_FILE = re.compile(r"^diff --git a/(.*) b/\1$", re.MULTILINE)
_END, _FIELD = "\x1e", "\x1f"
_DIFF = ("-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
_UNWRITTEN = frozenset(("vendored", "generated"))


class Hunk(NamedTuple):
    """One change: so many lines from this one on became so many others. Of none, `old` is the line they come behind."""

    old: int
    old_count: int
    new: int
    new_count: int


class Commit(NamedTuple):
    id: str
    author: str
    subject: str


def changed(tree: Tree, clone: Clone, repository: Repository, *, wanted: int, seed: int = 0) -> list[Question]:
    """At most as many as wanted, by lot."""
    found: dict[str, Question] = {}
    authors: defaultdict[str, int] = defaultdict(int)
    for commit in sorted(telling_commits(clone, repository), key=lambda one: lot(seed, one.id)):
        if authors[commit.author] >= max(3, PER_AUTHOR * wanted):
            continue
        spans = changed_spans(tree, clone, repository.base, commit.id)
        text = question_of(commit.subject)
        if spans and text.lower() not in found:
            found[text.lower()] = Question(Kind.HISTORY, text, spans, commit.id[:12])
            authors[commit.author] += 1
        if len(found) == wanted:
            break
    return list(found.values())


def telling_commits(clone: Clone, repository: Repository) -> list[Commit]:
    """Commits after the base whose subject says something, by people, which touched few files."""
    told = clone.git(
        *("log", "--no-merges", "--no-renames", "--name-only", f"--format={_END}%H{_FIELD}%ae{_FIELD}%s"),
        f"{repository.base}..{repository.commit}",
    ).decode("utf-8", "replace")
    found = []
    for entry in told.split(_END)[1:]:
        line, _, names = entry.partition("\n")
        commit = Commit(*line.split(_FIELD, 2))
        if question_of(commit.subject) and not is_robot(commit.author) and len(names.split("\n")) <= MOST_TOUCHED:
            found.append(commit)
    return found


def changed_spans(tree: Tree, clone: Clone, base: str, commit: str) -> tuple[Span, ...]:
    """What a commit changed, where it stands in the base: functions, and lines in none. Nothing, unless one of them is a function
    that is no test, at least half of the changes can be followed back, and they are few."""
    hunks = hunks_of(clone.git("diff", *_DIFF, f"{commit}^", commit).decode("utf-8", "replace"))
    found, lost, functions = [], 0, 0
    for path, changes in hunks.items():
        if path not in tree.texts or is_log(path) or _UNWRITTEN & set(tags_of(path)):
            continue
        since = hunks_of(clone.git("diff", *_DIFF, base, f"{commit}^", "--", path).decode("utf-8", "replace")).get(
            path, []
        )
        for change in changes:
            lines = followed(change, since)
            if lines is None:
                lost += 1
                continue
            span, inside = _placed(tree, Span(path, *lines), change)
            if span:
                found.append(span)
                functions += inside and not tags_of(path)
    spans = joined(found)
    return spans if functions and len(found) >= lost and len(spans) <= MOST_SPANS else ()


def hunks_of(diff: str) -> dict[str, list[Hunk]]:
    """The changes in each file of a diff without context."""
    pieces = _FILE.split(diff)
    return {
        path: [Hunk(*(1 if number is None else int(number) for number in one.groups())) for one in _HUNK.finditer(text)]
        for path, text in zip(pieces[1::2], pieces[2::2], strict=True)
    }


def followed(change: Hunk, since: list[Hunk]) -> tuple[int, int] | None:
    """Which lines a change met, in the text before the changes `since`; None if these wrote one of them.

    Of a pure addition these are the lines before and behind it."""
    first, last = (
        (change.old, change.old + max(change.old_count, 1) - 1) if change.old_count else (change.old, change.old + 1)
    )
    shift = 0
    for earlier in since:
        begin = earlier.new if earlier.new_count else earlier.new + 1
        end = begin + earlier.new_count - 1
        if end < first:
            shift += earlier.old_count - earlier.new_count
        elif begin <= last:
            return None
    return first + shift, last + shift


def _placed(tree: Tree, lines: Span, change: Hunk) -> tuple[Span | None, bool]:
    """The function around some lines, or, if that is long, the lines with as much around them; and whether there is one."""
    around = tree.innermost(lines)
    if around is None:
        return (
            lines._replace(first=max(1, lines.first - CONTEXT), last=lines.last + CONTEXT) if change.old_count else None
        ), False
    if around.size > LONGEST:
        middle = (lines.first + lines.last) // 2
        first = max(around.first, min(lines.first, middle - LONGEST // 4))
        around = around._replace(first=first, last=min(around.last, max(lines.last, first + LONGEST // 2 - 1)))
    return around, True
