"""Which projects there are, and which sources each has. One file a project, replaced whole; whoever changes it holds its lock.

Knows nothing of builds.
"""

import re
import time
from collections.abc import Iterable
from pathlib import Path

from scova.core import own_folder
from scova.core.own_files import remove_own
from scova.core.small_files import STATE_LIMIT, read_small
from scova.errors import ProjectError, UsageError
from scova.lock import writer_lock
from scova.projects.building.lock import building
from scova.projects.manifest import Manifest, decoded, encoded
from scova.projects.spec import SourceSpec
from scova.stores.names import PROJECT
from scova.stores.project_layout import ProjectLayout, project_layout, project_names
from scova.whole import atomic_write

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PATIENCE = 10.0  # seconds for another process that changes the same project


class Catalog:
    """The projects of one user."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def names(self) -> list[str]:
        """Every project, in order."""
        return project_names(self._cache)

    def __contains__(self, name: str) -> bool:
        return bool(_NAME.fullmatch(name)) and self.layout(name).manifest.exists()

    def layout(self, name: str) -> ProjectLayout:
        """Where a project lies, whether it is there or not."""
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"`{name[:80]}` cannot be the name of a project",
                "use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit",
            )
        return project_layout(self._cache, name)

    def create(self, name: str) -> Manifest:
        """A new project without sources."""
        layout = self.layout(name)
        own_folder.make_marked(layout.root.parent)
        with writer_lock(layout.root.parent / ".lock", wait_seconds=_PATIENCE):
            if there := [other for other in self.names() if other.casefold() == name.casefold()]:
                hint = f"`scova project show {there[0]}` lists its sources"
                raise UsageError(f"there is a project `{there[0]}` already", hint)
            remove_own(layout.root, PROJECT)  # what a project of this name may have left behind
            manifest = Manifest(name, time.strftime("%Y-%m-%dT%H:%M:%S%z"))
            _write(layout, manifest)
        return manifest

    def get(self, name: str) -> Manifest:
        """A project; UsageError when there is none, ProjectError when its file cannot be read."""
        layout = self.layout(name)
        try:
            return _read(layout, name)
        except FileNotFoundError:
            known = ", ".join(self.names()[:5]) or "none yet"
            raise UsageError(
                f"there is no project `{name}`", f"`scova project create {name}` makes it; there are: {known}"
            ) from None

    def add(self, name: str, specs: Iterable[SourceSpec]) -> tuple[list[SourceSpec], list[SourceSpec]]:
        """Add sources; those added, and those that were there already and got other tags or patterns if these differ."""
        layout = self.layout(name)
        specs = list(specs)
        self.get(name).having(specs)  # which says what is wrong with them before anyone waits
        with writer_lock(layout.manifest_lock, wait_seconds=_PATIENCE):
            before = self.get(name)
            after, added, there = before.having(specs)
            if after != before:
                _write(layout, after)
        return added, there

    def forget(self, name: str, source_id: str) -> None:
        """Take a source out of the list. What was built of it is for the caller to remove first."""
        layout = self.layout(name)
        with writer_lock(layout.manifest_lock, wait_seconds=_PATIENCE):
            _write(layout, self.get(name).without(source_id))

    def delete(self, name: str) -> None:
        """Delete a project with everything that was built of it. Its folders and pages are not touched."""
        if name not in self:
            self.get(name)  # which says that there is none; one that is damaged can be deleted
        layout = self.layout(name)
        with building(layout, name), writer_lock(layout.manifest_lock, wait_seconds=_PATIENCE):
            layout.manifest.unlink()  # first: from here on it is not there
            remove_own(layout.root, PROJECT)


def _write(layout: ProjectLayout, manifest: Manifest) -> None:
    with atomic_write(layout.manifest) as file:
        file.write(encoded(manifest).encode("utf-8", "surrogatepass"))


def _read(layout: ProjectLayout, name: str) -> Manifest:
    try:
        kept = read_small(layout.manifest, STATE_LIMIT)
        if kept is None:
            raise FileNotFoundError(layout.manifest)
        return decoded(kept.decode("utf-8", "surrogatepass"), name)
    except (KeyError, TypeError, ValueError) as error:
        raise ProjectError(
            f"`{layout.manifest}` is damaged: {error}", "restore it, or delete the folder and create the project anew"
        ) from error
