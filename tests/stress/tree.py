"""A real tree for the stress test, and a gardener who changes it and writes everything down.

The code is what lies at hand on every machine that has Python: its standard library and the packages installed beside it.
"""

import random
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from journal import Held, Journal, held

MARKED_FILES = 120
LARGEST = 60_000  # bytes; a few giants would only take the time of everything else


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)


def make(root: Path, files: int) -> None:
    """A repository of real Python files on two branches that differ in every unmarked one of them."""
    sources = list(real_code())
    for number in range(files):
        source, inside = sources[number % len(sources)]
        target = root / f"part{number // 1000}" / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    for number in range(MARKED_FILES):
        write(root / f"marked/g{number % 7}/m{number}.py", (number, 0))
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "stress")
    git(root, "config", "user.email", "stress@example.invalid")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "main")
    git(root, "checkout", "-qb", "other")
    for number, path in enumerate(sorted(root.glob("part*/**/*.py"))):
        with path.open("ab") as file:
            file.write(f"\nON_THE_OTHER_BRANCH = {number}\n".encode())
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")


def real_code() -> Iterator[tuple[Path, Path]]:
    """Python files of moderate size, each with where to put it; none in folders that are left out of an index."""
    for folder in map(Path, (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))):
        for source in sorted(folder.rglob("*.py")):
            inside = source.relative_to(folder)
            if not {"site-packages", "__pycache__"} & {*inside.parts} and 50 < source.stat().st_size < LARGEST:
                yield source, inside


def write(path: Path, holds: Held) -> None:
    """A marked file, with some code around the mark."""
    subject, version = holds
    path.parent.mkdir(parents=True, exist_ok=True)
    filler = "".join(
        f"\n\ndef helper_{subject}_{n}(value):\n    return value + {version}\n" for n in range(version % 5)
    )
    text = f'"""Marked file {subject}."""\n\nMARK_{subject} = {version}\n\n\ndef marked_{subject}():\n    return {version}\n{filler}'
    path.write_text(text)


class Gardener:
    """Changes the tree in every way a person might. Nobody else changes it."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.journal = Journal()
        self.done = 0
        self._versions = 0
        now = time.monotonic_ns()
        self.journal.note(now, now, self._state(self._files()))

    def step(self) -> str:
        """One change; says which."""
        ways = [self._save, self._save, self._save_in_place, self._create, self._rename, self._rename]
        ways += [self._save, self._save_in_place, self._move_folder, self._delete, self._revert, self._save_ten_times]
        way = self.random.choice(ways)
        way()
        self.done += 1
        return way.__name__.strip("_")

    def checkout(self) -> None:
        """Go to the other branch, thousands of files away; what was changed is committed before."""
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", f"step {self.done}", "--allow-empty")
        here = subprocess.check_output(["git", "-C", str(self.root), "branch", "--show-current"], text=True).strip()
        self._by_git("checkout", "-q", "other" if here == "main" else "main")
        self.done += 1

    # --- what a person does

    def _save(self) -> None:
        """As most editors save: a new file put in the place of the old one."""
        path, subject = self._any()
        self._put(f"{path}.new", (subject, self._next()))
        self._rename_to(f"{path}.new", path)

    def _save_in_place(self) -> None:
        path, subject = self._any()
        self._put(path, (subject, self._next()))

    def _save_ten_times(self) -> None:
        path, subject = self._any()
        for _ in range(10):
            self._put(path, (subject, self._next()))

    def _create(self) -> None:
        folder = f"marked/new{self.random.randrange(5)}/deep{self.random.randrange(3)}"
        self._put(f"{folder}/n{self._next()}.py", (self.random.randrange(MARKED_FILES), self._next()))

    def _rename(self) -> None:
        path, _ = self._any()
        self._rename_to(path, f"{path.rpartition('/')[0]}/r{self._next()}.py")

    def _move_folder(self) -> None:
        folder = self.random.choice(sorted({path.rpartition("/")[0] for path in self.journal.current()}))
        inside = [path for path in self.journal.current() if path.startswith(f"{folder}/")]
        target = f"marked/f{self._next()}"
        with self._noted([*inside, *(target + path.removeprefix(folder) for path in inside)]):
            (self.root / folder).rename(self.root / target)

    def _delete(self) -> None:
        path, _ = self._any()
        if len(self.journal.current()) > MARKED_FILES // 2:
            with self._noted([path]):
                (self.root / path).unlink()

    def _revert(self) -> None:
        """Back to what was committed, for files that are where they were then."""
        self._by_git("checkout", "-q", "--", "marked")

    # --- how it is done and written down

    def _put(self, path: str, holds: Held) -> None:
        with self._noted([path], torn=True):
            write(self.root / path, holds)

    def _rename_to(self, old: str, new: str) -> None:
        with self._noted([old, new]):
            (self.root / old).rename(self.root / new)

    def _by_git(self, *words: str) -> None:
        known = list(self.journal.turns)
        began = time.monotonic_ns()
        git(self.root, *words)
        ended = time.monotonic_ns()
        self.journal.note(began, ended, self._state([*known, *self._files()]), torn=True)

    @contextmanager
    def _noted(self, paths: Iterable[str], *, torn: bool = False) -> Iterator[None]:
        began = time.monotonic_ns()
        yield
        ended = time.monotonic_ns()
        self.journal.note(began, ended, self._state(paths), torn=torn)

    def _files(self) -> list[str]:
        found = (path for path in self.root.glob("marked/**/*") if path.is_file())
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    def _state(self, paths: Iterable[str]) -> dict[str, Held | None]:
        return {path: held(self.root / path) for path in paths}

    def _any(self) -> tuple[str, int]:
        """A marked file, and its subject."""
        path, (subject, _) = self.random.choice(sorted(self.journal.current().items()))
        return path, subject

    def _next(self) -> int:
        self._versions += 1
        return self._versions
