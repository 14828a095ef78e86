"""Which branch a folder is on, read from `.git/HEAD` alone: no git is started for it."""

import os
from pathlib import Path

from scova.core.small_files import read_small

_LARGEST = 4096  # bytes: a path, or the name of a branch


def branch_of(folder: Path) -> str:
    """The branch of the working tree around this folder; a short commit when none is checked out; empty outside git."""
    for top in (folder, *folder.parents):
        git = top / ".git"
        if git.is_dir():
            return _head(git)
        if git.is_file():
            named = (read_small(git, _LARGEST) or b"").removeprefix(b"gitdir:").strip()
            return _head(top / os.fsdecode(named)) if b"\0" not in named else ""
    return ""


def _head(git_dir: Path) -> str:
    head = _line(git_dir / "HEAD")
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:12]


def _line(path: Path) -> str:
    """What a file says that should have one line; empty where it says something else: it is shown, and may be a stranger's."""
    try:
        said = (read_small(path, _LARGEST) or b"").decode(errors="replace").strip()
    except ValueError:
        return ""
    return said if said.isprintable() else ""
