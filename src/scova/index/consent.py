"""Folders that nobody means when they ask a question: indexed only after the user has said so.

A home folder, the whole disk, or a folder of many repositories would be read for minutes, with everything private in it, because a
question was asked in the wrong place. The look at it is cheap and bounded. Once there is an index, nothing is asked again.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from scova.core.path_text import shown, stored
from scova.errors import FolderTooBroad
from scova.sources.names import folder_reason

_REPOSITORY = (".git", ".hg", ".jj")
_MOST_LOOKED_AT = 2000  # entries
_DEPTH = 2
_SEVERAL = 2


class Unbuilt(Protocol):
    """What may have no index yet."""

    root: Path

    @property
    def indexed(self) -> bool:
        """Whether there is one."""


def require_consent(index: Unbuilt, *, yes: bool = False) -> None:
    """Raise FolderTooBroad for a folder without an index that is more than a project, unless the user said `yes`."""
    if yes or index.indexed:
        return
    if why := too_broad(index.root):
        import shlex  # for the one who is refused

        folder = shown(stored(index.root))
        raise FolderTooBroad(
            f"`{folder}` {why}: everything in it would be read and indexed",
            f"name the folder of a project instead; to do it on purpose, run `scova index --yes {shlex.quote(folder)}` once",
        )


def too_broad(root: Path) -> str:
    """What makes a folder more than a project, in words that go on after its name; empty for a project."""
    if root == root.parent:
        return "is the whole file system"
    home = _home()
    if home is not None and _is_same(root, home):
        return "is your home folder"
    if any(_is_repository(folder) for folder in (root, *root.parents)):
        return ""
    if home is not None and home.is_relative_to(root):
        return "holds your home folder"
    return "is no repository and holds several" if _holds_several(root) else ""


def _home() -> Path | None:
    """The user's own folder, without links; None where that is not known."""
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _is_repository(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in _REPOSITORY)


def _holds_several(root: Path) -> bool:
    """Whether repositories lie in a folder, or in its folders, as far as a short look tells."""
    found = 0
    for folder in _folders(root):
        found += _is_repository(folder)
        if found >= _SEVERAL:
            return True
    return False


def _folders(root: Path) -> Iterator[Path]:
    """Folders below, nearest first; those of tools, and what lies in a repository, are passed over."""
    left = _MOST_LOOKED_AT
    level = [root]
    for _ in range(_DEPTH):
        following: list[Path] = []
        for folder in level:
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        left -= 1
                        if left < 0:
                            return
                        if entry.is_dir(follow_symlinks=False) and folder_reason(entry.name) is None:
                            inside = Path(entry.path)
                            yield inside
                            following.append(inside)
            except OSError:
                continue
        level = [folder for folder in following if not _is_repository(folder)]
