"""A git repository on disk: where it begins, where git keeps its files, and what these say about ignoring.

Understands worktrees and submodules, whose `.git` is a file that names the real folder. Opens no object and writes
nothing.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from scova.core.path_text import stored
from scova.sources.git.config import Settings
from scova.sources.git.controls import Controls
from scova.sources.git.rules import Kind, Rules, rules_of
from scova.sources.git.tracked import Tracked, read_tracked


class Repository:
    """One working tree. What git tracks in it is read once, and only when asked."""

    def __init__(self, top: Path, git_dir: Path, controls: Controls, environment: Mapping[str, str]) -> None:
        self.top = top
        self._controls = controls
        self._git_dir = git_dir
        self._common_dir = _common_dir(git_dir, controls)
        self._settings = Settings(controls, environment, git_dir)
        self._settings.add_repository(self._common_dir)
        self._tracked: Tracked | None = None

    def tracked(self) -> Tracked:
        """The paths git tracks."""
        if self._tracked is None:
            hash_bytes = 32 if self._settings.get("extensions.objectformat").lower() == "sha256" else 20
            self._tracked = read_tracked(self._git_dir, self._controls, hash_bytes=hash_bytes)
        return self._tracked

    def excludes(self) -> list[Rules]:
        """What applies to the whole repository beside its ignore files, strongest first."""
        return _load([self._common_dir / "info" / "exclude", self._settings.excludes_file(self.top)], self._controls)


def user_excludes(controls: Controls, environment: Mapping[str, str], top: Path) -> list[Rules]:
    """What the user ignores everywhere, for a folder that is in no repository."""
    return _load([Settings(controls, environment).excludes_file(top)], controls)


def open_repository(top: Path, controls: Controls, environment: Mapping[str, str]) -> Repository | None:
    """The repository whose working tree begins at this folder, if one does."""
    git_dir = top / ".git"
    if controls.is_absent(git_dir):
        return None
    if not git_dir.is_dir():
        content = controls.read(git_dir) or b""
        if not content.startswith(b"gitdir: "):
            return None
        git_dir = _resolved(top, content[len(b"gitdir: ") :])
    common = _common_dir(git_dir, controls)
    if not all(os.path.lexists(path) for path in (git_dir / "HEAD", common / "objects", common / "refs")):
        return None
    return Repository(top, git_dir, controls, environment)


def enclosing_repository(folder: Path, controls: Controls, environment: Mapping[str, str]) -> Repository | None:
    """The repository this folder lies in; like git, does not look beyond the file system the folder is on."""
    device = folder.stat().st_dev
    for candidate in (folder, *folder.parents):
        if candidate.stat().st_dev != device:
            return None
        if found := open_repository(candidate, controls, environment):
            return found
    return None


def _load(files: list[Path | None], controls: Controls) -> list[Rules]:
    """The rules of those files that exist and say anything."""
    contents = [(path, controls.read(path)) for path in files if path]
    compiled = [
        rules_of(path, content, Kind.GIT, shown=stored(path), controls=controls)
        for path, content in contents
        if content
    ]
    return [rules for rules in compiled if rules]


def _common_dir(git_dir: Path, controls: Controls) -> Path:
    """Where what all worktrees share is kept."""
    path = git_dir / "commondir"
    content = controls.read(path) if os.path.lexists(path) else None
    return _resolved(git_dir, content) if content else git_dir


def _resolved(folder: Path, content: bytes) -> Path:
    return Path(os.path.normpath(folder / os.fsdecode(content.rstrip(b"\r\n"))))
