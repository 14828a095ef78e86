"""Which projects there are, and which sources each has. One file a project, replaced whole; whoever changes it holds its lock.

Knows nothing of builds.
"""

import json
import re
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scova.errors import IndexBusy, ProjectError, UsageError
from scova.lock import writer_lock
from scova.projects.spec import SourceSpec, from_json, to_json
from scova.stores.project_layout import ProjectLayout, project_layout, project_names
from scova.whole import atomic_write

MOST_AT_ONCE = 50  # sources added in one call
VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PATIENCE = 10.0  # seconds for another process that changes the same project


@dataclass(frozen=True, slots=True)
class Manifest:
    """A project as it is kept."""

    name: str
    created_at: str
    sources: tuple[SourceSpec, ...] = ()

    def source(self, wanted: str) -> SourceSpec:
        """The source with this id, or this place."""
        here = str(Path(wanted.partition(":")[2] or wanted).expanduser().resolve())
        known = [(spec, (spec.source_id, spec.uri, f"{spec.type}:{spec.uri}")) for spec in self.sources]
        found = [spec for spec, names in known if wanted in names or (spec.uri == here and not spec.is_remote)]
        if len(found) == 1:
            return found[0]
        listed = ", ".join(spec.source_id for spec in (found or self.sources)[:5]) or "none yet"
        what = "several sources" if found else "no source"
        raise UsageError(f"project `{self.name}` has {what} `{wanted[:200]}`", f"name one by its id: {listed}")


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
        layout.root.parent.mkdir(parents=True, exist_ok=True)
        with writer_lock(layout.root.parent / ".lock", wait_seconds=_PATIENCE):
            if there := [other for other in self.names() if other.casefold() == name.casefold()]:
                hint = f"`scova project show {there[0]}` lists its sources"
                raise UsageError(f"there is a project `{there[0]}` already", hint)
            shutil.rmtree(layout.root, ignore_errors=True)  # what a project of this name may have left behind
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
        wanted = {spec.source_id: spec for spec in specs}
        if len(wanted) > MOST_AT_ONCE:
            raise UsageError(f"{len(wanted)} sources at once", f"add at most {MOST_AT_ONCE} in one call")
        layout = self.layout(name)
        self.get(name)
        with writer_lock(layout.manifest_lock, wait_seconds=_PATIENCE):
            manifest = self.get(name)
            known = {spec.source_id: spec for spec in manifest.sources}
            added = [spec for source_id, spec in wanted.items() if source_id not in known]
            there = [spec for source_id, spec in wanted.items() if source_id in known]
            if added or any(known[spec.source_id] != spec for spec in there):
                _write(layout, Manifest(name, manifest.created_at, tuple({**known, **wanted}.values())))
        return added, there

    def forget(self, name: str, source_id: str) -> None:
        """Take a source out of the list. What was built of it is for the caller to remove first."""
        layout = self.layout(name)
        with writer_lock(layout.manifest_lock, wait_seconds=_PATIENCE):
            manifest = self.get(name)
            kept = tuple(spec for spec in manifest.sources if spec.source_id != source_id)
            _write(layout, Manifest(name, manifest.created_at, kept))

    def delete(self, name: str) -> None:
        """Delete a project with everything that was built of it. Its folders and pages are not touched."""
        if name not in self:
            self.get(name)  # which says that there is none; one that is damaged can be deleted
        layout = self.layout(name)
        with building(layout, name), writer_lock(layout.manifest_lock, wait_seconds=_PATIENCE):
            layout.manifest.unlink()  # first: from here on it is not there
            shutil.rmtree(layout.root, ignore_errors=True)


class building:  # noqa: N801 - used as `with building(...)`
    """Hold the lock of a project's build; a second one hears who has it."""

    def __init__(self, layout: ProjectLayout, name: str) -> None:
        self._lock = writer_lock(layout.build_lock)
        self._name = name

    def __enter__(self) -> None:
        try:
            self._lock.__enter__()
        except IndexBusy as busy:
            who = busy.message.partition(": ")[2]
            raise IndexBusy(
                f"project `{self._name}` is being built by {who}",
                "wait for it; `scova project status` tells how far it is",
            ) from busy

    def __exit__(self, *exception: object) -> None:
        self._lock.__exit__(None, None, None)


def _write(layout: ProjectLayout, manifest: Manifest) -> None:
    kept = {
        "version": VERSION,
        "project_id": manifest.name,
        "created_at": manifest.created_at,
        "sources": [to_json(spec) for spec in manifest.sources],
    }
    with atomic_write(layout.manifest) as file:
        file.write(json.dumps(kept, indent=1).encode("utf-8", "surrogatepass"))


def _read(layout: ProjectLayout, name: str) -> Manifest:
    try:
        kept = json.loads(layout.manifest.read_bytes().decode("utf-8", "surrogatepass"))
        if kept["version"] > VERSION:
            raise ProjectError(f"project `{name}` was made by a newer scova", "update scova")
        return Manifest(name, str(kept["created_at"]), tuple(from_json(source) for source in kept["sources"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ProjectError(
            f"`{layout.manifest}` is damaged: {error}", "restore it, or delete the folder and create the project anew"
        ) from error
