"""Repositories of the benchmark: which there are, where their clones lie, and what git tells of them.

Reads bare clones and never writes to them, runs nothing that a repository names, fetches nothing. Knows nothing of questions.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LISTED = Path(__file__).parents[1] / "repositories.json"
ITSELF = "."  # the mirror of this project: its own checkout
LARGEST = 1_000_000  # bytes: larger files are data
_PLAIN = (b"100644", b"100755")  # no links, no other repositories


class Repository(NamedTuple):
    """A repository at two moments: the tree that is asked about, and how far the history behind it is known."""

    name: str
    language: str  # of most of its code
    mirror: str  # OWNER/NAME
    licence: str
    base: str  # commit whose tree is indexed
    commit: str  # the newest commit that gives questions


def listed(path: Path = LISTED) -> list[Repository]:
    """All repositories, in the order of the file."""
    return [Repository(**one) for one in json.loads(path.read_text())["repositories"]]


class Clone:
    """The git directory of one repository."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def git(self, *words: str, given: bytes = b"") -> bytes:
        """What git prints."""
        command = ["git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *words]
        environment = os.environ | {"GIT_DIR": str(self._folder), "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
        environment["GIT_CONFIG_NOSYSTEM"], environment["GIT_TERMINAL_PROMPT"] = "1", "0"
        return subprocess.run(command, env=environment, input=given, capture_output=True, check=True).stdout

    def files(self, commit: str) -> dict[str, bytes]:
        """The contents of all plain files of a tree that are no larger than is worth reading."""
        entries = self.git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]
        placed = [(*entry.partition(b"\t")[0].split(), entry.partition(b"\t")[2]) for entry in entries]
        plain = [(blob, name) for mode, _, blob, name in placed if mode in _PLAIN]
        contents = _batch(self.git("cat-file", "--batch", given=b"".join(blob + b"\n" for blob, _ in plain)))
        named = zip(plain, contents, strict=True)
        return {_text(name): content for (_, name), content in named if len(content) <= LARGEST}

    def has(self, commit: str) -> bool:
        """Whether this commit is there."""
        try:
            self.git("cat-file", "-e", f"{commit}^{{commit}}")
        except subprocess.CalledProcessError:
            return False
        return True


def clone_of(repository: Repository, mirrors: Path) -> Clone:
    """Its clone, as OWNER+NAME/repo below the folder of clones. SystemExit says what is missing."""
    if repository.mirror == ITSELF:
        folder = Path(__file__).parents[3] / ".git"
    else:
        place = mirrors / repository.mirror.replace("/", "+") / "repo"
        folder = place / ".git" if (place / ".git").is_dir() else place
    found = Clone(folder)
    if not folder.exists() or not found.has(repository.commit) or not found.has(repository.base):
        raise SystemExit(
            f"no clone of {repository.mirror} with {repository.base[:12]} and {repository.commit[:12]} at {folder}"
        )
    return found


def _batch(told: bytes) -> Iterator[bytes]:
    """The contents in what `cat-file --batch` prints: a line that ends with the size, the content, a line end."""
    place = 0
    while place < len(told):
        end = told.index(b"\n", place)
        size = int(told[place:end].rsplit(b" ", 1)[1])
        yield told[end + 1 : end + 1 + size]
        place = end + size + 2


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
