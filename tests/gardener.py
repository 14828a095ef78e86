"""A real repository that changes in every way a person might, and all that can be asked of its index."""

import dataclasses
import random
import re
import shutil
import subprocess
from pathlib import Path

from scova import Filters, Index, Mode, Query

QUESTIONS = [
    "how is a file decoded",
    "hash_password",
    "parse config file",
    "where are ignore rules applied",
    "Session.check_password",
    "merge segments",
    "lock writer process",
    "test",
    '"import os"',
    "read*",
    "+path -test",
]


def git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True)
    return done.stdout


def a_repository(root: Path) -> Path:
    """A real git repository with real code in it: this project's own sources."""
    here = Path(__file__).parents[1]
    for folder in ("src/scova/sources", "src/scova/stores", "src/scova/build", "docs"):
        if (here / folder).is_dir():
            shutil.copytree(here / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    git(root, "checkout", "-q", "-b", "other")
    for path in sorted(root.rglob("*.py"))[::3]:
        path.write_text(path.read_text().replace("def ", "def other_", 1) + "\n# on the other branch\n")
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")
    return root


class Gardener:
    """Changes a tree in every way a person might."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)

    def files(self) -> list[Path]:
        found = (p for p in self.root.rglob("*") if p.is_file() and ".git" not in p.parts)
        return sorted(p for p in found if p.suffix != ".png")

    def edit(self) -> None:
        path = self.random.choice(self.files())
        lines = path.read_text().splitlines(keepends=True)
        at = self.random.randrange(len(lines) + 1)
        word = self.random.choice(["parse", "config", "session", "token", "index"])
        lines[at:at] = [f"def {word}_{self.random.randrange(1000)}():\n", f"    return '{word}'\n", "\n"]
        if self.random.random() < 0.3:
            del lines[: self.random.randrange(1, 10)]
        path.write_text("".join(lines))

    def create(self) -> None:
        folder = self.root / self.random.choice(["src/new", "src/scova", "deep/er/still"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"made_{self.random.randrange(10_000)}.py").write_text(
            f"VALUE = {self.random.random()}\n\n\ndef use():\n    pass\n"
        )

    def rename(self) -> None:
        path = self.random.choice(self.files())
        path.rename(path.with_name(f"moved_{self.random.randrange(10_000)}{path.suffix}"))

    def move_folder(self) -> None:
        folder = self.random.choice(sorted({p.parent for p in self.files()} - {self.root}))
        if not any(folder in other.parents for other in self.files() if other.parent != folder):
            folder.rename(folder.with_name(f"folder_{self.random.randrange(10_000)}"))

    def delete(self) -> None:
        if len(self.files()) > 10:
            self.random.choice(self.files()).unlink()

    def mode(self) -> None:
        path = self.random.choice(self.files())
        path.chmod(path.stat().st_mode ^ 0o111)

    def touch(self) -> None:
        self.random.choice(self.files()).touch()

    def switch(self) -> None:
        git(self.root, "stash", "-q", "-u")
        branch = "other" if git(self.root, "branch", "--show-current").strip() == "main" else "main"
        git(self.root, "checkout", "-q", branch)

    def ignore(self) -> None:
        with (self.root / ".gitignore").open("a") as file:
            file.write(f"{self.random.choice(self.files()).name}\n")

    def step(self) -> None:
        ways = [self.edit] * 6 + [self.create, self.rename, self.rename, self.move_folder, self.delete, self.mode]
        self.random.choice([*ways, self.touch, self.switch, self.ignore])()


def everything(index: Index) -> dict[str, object]:
    """All that can be asked: every question in every mode, with and without filters, with scores and shares."""
    found: dict[str, object] = {}
    for text in QUESTIONS:
        for mode in Mode:
            for filters in (Filters(), Filters(paths=("src/**",), not_paths=("*test*",), languages=("python",))):
                asked = re.escape(text) if mode is Mode.REGEX else text
                answer = index.search(Query(asked, mode=mode, limit=10, filters=filters))
                results = [
                    (
                        r.chunk.file_path,
                        r.chunk.start_line,
                        r.chunk.end_line,
                        r.chunk.id,
                        r.chunk.text,
                        r.score,
                        r.shares,
                    )
                    for r in answer.results
                ]
                found[f"{text} {mode} {bool(filters)}"] = (results, answer.total, answer.literal)
    return found | structure(index)


def structure(index: Index) -> dict[str, object]:
    """All exact answers, without how fresh they are."""
    found: dict[str, object] = {"outline": undated(index.outline(""))}
    for name in ("hash_password", "read", "parse", "Session.check_password", "walk", "no_such_name"):
        found[f"def {name}"] = undated(index.definitions(name, body=True))
        found[f"callers {name}"] = undated(index.callers(name))
        found[f"callees {name}"] = undated(index.callees(name))
        found[f"usages {name}"] = undated(index.usages(name))
        found[f"context {name}"] = undated(index.context(name))
        found[f"grep {name}"] = undated(index.grep(name, ignore_case=True, before=1))
    return found


def undated(answer: object) -> object:
    values = dataclasses.asdict(answer)  # type: ignore[call-overload]
    return {name: value for name, value in values.items() if name not in ("freshness", "scanned")}
