"""Makes repositories that mean harm, each by its seed: settings, links, devices, git's files, ignore files, folders of an index.

root/       the repository
outside/    what a user has beside it; CANARY stands in it, and may be found nowhere else
home/       the user's home folder, with cache, state and settings
"""

import os
import random
import shutil
import sqlite3
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

CANARY = "canary-7f3e-of-the-user"
LOCKS = (".writer.lock", ".metadata.lock", ".compaction.lock", "watch.lock")
FILES = (
    "store.db",
    "store.db-wal",
    "store.db-shm",
    "store.db-journal",
    "collection_meta.json",
    "watch.json",
    "root",
    "id",
)
FOLDERS = ("text", "vectors", "grams", "temporary", "bell")
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
FORGED = (
    f"ALTER TABLE meta RENAME TO kept; CREATE VIEW meta AS {ENDLESS} SELECT k.key, k.value FROM kept k, n WHERE n.x > 0",
    f"CREATE TRIGGER grow AFTER UPDATE ON meta BEGIN INSERT INTO skips (path, reason, detail) {ENDLESS}"
    " SELECT hex(zeroblob(1000)), 'a', 'b' FROM n; END",
    "UPDATE chunk_texts SET text = 'forged text'",
)


@dataclass
class Hostile:
    """One of them. `words` say what is wrong with it; `environment` is what its user has set."""

    folder: Path
    chance: random.Random
    template: Path  # a sound index of some other folder
    words: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def bad_file(self, path: Path, what: str) -> None:
        """Something at this path that is no file of the repository."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.exists():
            path.unlink()
        kind = self.chance.choice(("link", "zero", "pipe", "nowhere", "circle"))
        targets = {
            "link": self.outside / "notes.txt",
            "zero": "/dev/zero",
            "nowhere": self.outside / "new",
            "circle": path,
        }
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(targets[kind])
        self.words.append(f"{what} {path.name}: {kind}")


def settings(one: Hostile) -> None:
    """A file of settings that wants too much."""
    name, head = one.chance.choice((("scova.toml", ""), ("pyproject.toml", "[tool.scova]\n")))
    stars = "*a" * 20
    texts = {
        "data at home": 'data = "~"\n',
        "data elsewhere": f'data = "{one.outside}"\n',
        "data in the tree": 'data = ".scova"\n',
        "secrets": "index_secrets = true\n",
        "a large limit": "max_file_bytes = 4000000000\n",
        "an embedder": 'embedder = "http://127.0.0.1:9/v1"\nembedder_key_env = "HOME"\n',
        "keys": ".".join(["a"] * 200_000) + " = 1\n",
        "fewer keys": ".".join(["a"] * 20_000) + " = 1\n",
        "brackets": "a = " + "[" * 30_000,
        "size": "#" * 300_000,
        "patterns": f"exclude = {[f'**/{stars}{number}' for number in range(500)]}\n",
        "bytes": "\x00\x01\x02",
    }
    kind = one.chance.choice((*texts, "a bad file"))
    if kind == "a bad file":
        one.bad_file(one.root / name, "settings")
        return
    (one.root / name).write_text(head + texts[kind])
    if kind == "a large limit":
        (one.root / "large.py").write_text("x = 1\n" * 2_000_000)
    one.words.append(f"{name}: {kind}")


def git_files(one: Hostile) -> None:
    """Git's own files, in a repository that came as an archive."""
    git = one.root / ".git"
    for folder in ("objects", "refs", "info"):
        (git / folder).mkdir(parents=True, exist_ok=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (one.root / ".gitignore").write_text("ignored*\n")
    bitmap = struct.pack(">IIQI", 0xFFFFFFFF, 1, 1 | 0xFFFFFFFF << 1, 0)
    link = b"\1" * 20 + bitmap * 2
    texts: dict[str, tuple[str, bytes]] = {
        "entries": ("index", b"DIRC" + struct.pack(">II", 2, 0xFFFFFFFF) + bytes(118)),
        "a bitmap": ("index", b"DIRC\0\0\0\2\0\0\0\0link" + struct.pack(">I", len(link)) + link + bytes(20)),
        "growing names": ("index", b"DIRC\0\0\0\4" + struct.pack(">I", 60_000) + (bytes(62) + b"\0xxxx\0") * 60_000),
        "includes": ("config", b"[include]\n" + b"\tpath = config\n" * 2000),
        "excludes": ("info/exclude", b"".join(b"**/a%d*b\n" % number for number in range(30_000))),
        "a file as excludes": ("config", b"[core]\n\texcludesFile = /dev/zero\n"),
        "a branch": ("HEAD", b"ref: refs/heads/\x1b]0;owned\x07" * 100),
        "a long branch": ("HEAD", b"ref: refs/heads/" + b"a" * 5_000_000),
    }
    kind = one.chance.choice((*texts, "a bad file", "a bad file"))
    if kind == "a bad file":
        one.bad_file(git / one.chance.choice(("HEAD", "index", "config", "info/exclude", "commondir")), "git")
        return
    name, content = texts[kind]
    (git / name).write_bytes(content)
    one.words.append(f".git/{name}: {kind}")


def ignore_files(one: Hostile) -> None:
    """Ignore files that are too large, or none."""
    name = one.chance.choice((".gitignore", ".ignore", ".scovaignore"))
    pattern = one.chance.choice(("name{}", "**/x{}/**/y*z", "[a-z]x{}[!0-9]*?", "*a*b{}*c", "!a{}*"))
    if one.chance.random() < 0.3:
        one.bad_file(one.root / name, "rules")
        return
    (one.root / name).write_text("".join(pattern.format(number) + "\n" for number in range(300_000)))
    one.words.append(f"{name}: {pattern}")


def index_folder(one: Hostile) -> None:
    """A folder of an index that came with the repository, and a user who keeps theirs there."""
    data = one.root / ".scova"
    one.environment["SCOVA_DATA"] = one.chance.choice((".scova", str(data)))
    kind = one.chance.choice(("links", "forged", "folder links", "the folder itself", "sound"))
    one.words.append(f".scova: {kind}")
    if kind == "the folder itself":
        data.symlink_to(one.chance.choice((one.outside, one.outside / "empty")))
        return
    if kind != "links" or one.chance.random() < 0.5:
        shutil.copytree(one.template, data)
    data.mkdir(exist_ok=True)
    if kind == "links":
        for name in one.chance.sample((*LOCKS, *FILES), 3):
            one.bad_file(data / name, ".scova")
    if kind == "forged":
        connection = sqlite3.connect(data / "store.db")
        connection.executescript(one.chance.choice(FORGED))
        connection.close()
    if kind == "folder links":
        for name in one.chance.sample(FOLDERS, 2):
            shutil.rmtree(data / name, ignore_errors=True)
            (data / name).symlink_to(one.outside)


def tree(one: Hostile) -> None:
    """Sources that are none."""
    for name in one.chance.sample(("a.py", "src/b.py", "README.md", "deep/c.go"), 2):
        one.bad_file(one.root / name, "source")
    (one.root / "below").symlink_to(one.outside)
    (one.root / ".env").write_text("TOKEN=1\n")


PARTS: tuple[Callable[[Hostile], None], ...] = (settings, git_files, ignore_files, index_folder, tree)


def made(seed: int, folder: Path, template: Path) -> Hostile:
    """The repository of this seed: each has one part at least, and all parts come in turn."""
    one = Hostile(folder, random.Random(seed), template)
    for path in (one.root / "src", one.outside / "grams", one.outside / "empty", one.home):
        path.mkdir(parents=True)
    for name in ("notes.txt", "1.seg", "grams/9.gram", "7.vec", "0.part"):
        (one.outside / name).write_text(f"def first(): pass  # {CANARY}\n")
    for name in ("temporary/thesis.tex", "text/1.txt", ".bashrc"):
        (one.home / name).parent.mkdir(exist_ok=True)
        (one.home / name).write_text(f"{CANARY}\n")
    (one.root / "first.py").write_text("def first():\n    return 1\n")
    first = PARTS[seed % len(PARTS)]
    rest = [part for part in PARTS if part is not first]
    for part in (first, *one.chance.sample(rest, one.chance.choice((0, 0, 1, 2)))):
        part(one)
    return one
