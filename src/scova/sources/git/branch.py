"""Which branch a folder is on, read from `.git/HEAD` alone: no git is started for it."""

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
            return _head(top / _line(git).removeprefix("gitdir:").strip())
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
