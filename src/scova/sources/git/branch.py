"""Which branch a folder is on, read from `.git/HEAD` alone: no git is started for it."""

import os
from pathlib import Path


def branch_of(folder: Path) -> str:
    """The branch of the working tree around this folder; a short commit when none is checked out; empty outside git."""
    for top in (folder, *folder.parents):
        git = top / ".git"
        if git.is_dir():
            return _head(git)
        if git.is_file():
            named = git.read_bytes().removeprefix(b"gitdir:").strip()
            return _head(top / os.fsdecode(named))
    return ""


def _head(git_dir: Path) -> str:
    try:
        head = (git_dir / "HEAD").read_bytes().decode(errors="replace").strip()
    except OSError:
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:12]
