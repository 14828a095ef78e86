"""Questions from git: the subject of a commit, answered by the files it changed.

Responsible for which commits tell anything, and for taking them from all over the history. Asks git for names only, in a way that
writes nothing, runs nothing that the repository names, and fetches nothing.
"""

import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scova.evaluation.question import MOST_RELEVANT, Kind, Question, plain, real_words

MOST_COMMITS = 5000  # the newest
MOST_TOUCHED = 20  # files, there or gone: more is a move or a clean-up, whatever its subject says
FEWEST_WORDS = 3
GIT_SECONDS = 120

_RECORD, _FIELD, _END = "\x1e", "\x1f", "\x1d"
_TYPE = re.compile(r"^(?:feat|fix|docs?|style|refactor|perf|tests?|build|ci|chore)(?:\([^)]*\))?!?:\s+", re.IGNORECASE)
_NUMBER = re.compile(r"\(?(?:\b[Gg][Hh]-|#)\d+\)?|\[?\b[A-Z]{2,10}-\d+\b\]?:?")
_NOTHING_SAID = re.compile(
    r"""\s*(?: merge\b | revert\b | \W*bump | (?:chore|build|fix)\(deps | prepare\b.*\brelease | release\b | v?\d+\.\d+
          | (?:update|upgrade|pin|lock)\b.*\b(?:dependenc\w+|dependency|lock\w*|requirements|submodules?)\b
          | (?:update|upgrade)\b.*\bto\sv?\d | .*\bversion\b.*\d+\.\d+ | .*\bchangelog\b | wip\b | fixup! | squash! )""",
    re.VERBOSE | re.IGNORECASE,
)
_BOT = re.compile(r"\[bot\]|(?:^|\W)bot@|dependabot|renovate|pre-commit-ci", re.IGNORECASE)
_LOG = re.compile(r"(?:change[-_]?log|changes|history|news|release[-_]?notes|releases)(?:\.\w+)?$", re.IGNORECASE)


class Commit(NamedTuple):
    """A commit that tells something."""

    id: str
    author: str
    subject: str
    relevant: tuple[str, ...]


class Unheard(Exception):
    """Git has no history to tell; says why."""


def commits(root: Path, files: Mapping[str, str]) -> list[Commit]:
    """Commits of this folder whose subject says which of these files to look at, the newest first, each subject once."""
    found: dict[str, Commit] = {}
    for commit, touched in _told(root):
        relevant = tuple(sorted(path for path in touched if path in files and not is_log(path)))
        if not 1 <= len(relevant) <= MOST_RELEVANT or len(touched) > MOST_TOUCHED:
            continue
        subject = question_of(commit.subject)
        if subject and not is_robot(commit.author):
            found.setdefault(subject.lower(), commit._replace(subject=subject, relevant=relevant))
    return list(found.values())


def question_of(subject: str) -> str:
    """What the subject of a commit asks for; empty when it says too little."""
    if _NOTHING_SAID.match(subject):
        return ""
    text = plain(_NUMBER.sub(" ", _TYPE.sub("", subject)))
    return text if len(real_words(text)) >= FEWEST_WORDS else ""


def is_robot(author: str) -> bool:
    """Whether an author, by their address, is a program."""
    return bool(_BOT.search(author))


def is_log(path: str) -> bool:
    """Whether a file is a list of changes, which repeats what commits say."""
    return bool(_LOG.match(path.rpartition("/")[2]))


def questions(found: Sequence[Commit], wanted: int, *, seed: int, files: Mapping[str, str]) -> list[Question]:
    """As many as wanted, from all over the time: the commits are cut into as many runs, and each gives one, whose author has given
    fewest so far."""
    chance = random.Random(f"{seed} {Kind.HISTORY}")
    ignored = frozenset(filter(is_log, files))
    given: Counter[str] = Counter()
    chosen = []
    wanted = min(wanted, len(found))
    for number in range(wanted):
        run = found[number * len(found) // wanted : (number + 1) * len(found) // wanted]
        commit = min(run, key=lambda one: (given[one.author], chance.random()))
        given[commit.author] += 1
        chosen.append(Question(Kind.HISTORY, commit.subject, commit.relevant, commit.id[:12], ignored))
    return chosen


def _told(root: Path) -> Iterator[tuple[Commit, list[str]]]:
    for told in _log(root).split(_RECORD)[1:]:
        head, _, tail = told.partition(_END)
        fields = head.split(_FIELD)
        if len(fields) == 3:
            touched = [path for path in (name.strip("\n") for name in tail.split("\0")) if path]
            yield Commit(fields[0], fields[1], fields[2].strip(), ()), touched


def _log(root: Path) -> str:
    """What git tells of the newest commits. Renames are not looked for: that would read, and maybe fetch, contents."""
    command = [
        "git",
        "--no-pager",
        "--no-optional-locks",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "log.showSignature=false",
    ]
    command += ["log", f"--max-count={MOST_COMMITS}", "--no-merges", "--no-renames", "--no-ext-diff", "--no-textconv"]
    command += ["--diff-filter=AM", "--relative", "--name-only", "-z"]
    command += [f"--format={_RECORD}%H{_FIELD}%ae{_FIELD}%s{_END}", "--", "."]
    environment = os.environ | {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=GIT_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise Unheard("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise Unheard(f"git told nothing within {GIT_SECONDS} s") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise Unheard(_reason(said.splitlines()[0] if said else "without a word"))
    return done.stdout.decode("utf-8", "surrogateescape")


def _reason(said: str) -> str:
    if "not a git repository" in said:
        return "the folder is in no git repository"
    if "does not have any commits" in said:
        return "there are no commits yet"
    return f"git says: {said.removeprefix('fatal: ')}"
