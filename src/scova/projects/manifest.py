"""A project as it is kept: its name and its sources, and how these change. Knows nothing of where it is kept."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from scova.core.path_text import stored
from scova.errors import ProjectError, UsageError
from scova.projects.spec import SourceSpec, from_json, to_json

MOST_AT_ONCE = 50  # sources added in one call
VERSION = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """A project as it is kept."""

    name: str
    created_at: str
    sources: tuple[SourceSpec, ...] = ()

    def source(self, wanted: str) -> SourceSpec:
        """The source with this id, or this place."""
        here = stored(Path(wanted.partition(":")[2] or wanted).expanduser().resolve())
        known = [(spec, (spec.source_id, spec.uri, f"{spec.type}:{spec.uri}")) for spec in self.sources]
        found = [spec for spec, names in known if wanted in names or (spec.uri == here and not spec.is_remote)]
        if len(found) == 1:
            return found[0]
        listed = ", ".join(spec.source_id for spec in (found or self.sources)[:5]) or "none yet"
        what = "several sources" if found else "no source"
        raise UsageError(f"project `{self.name}` has {what} `{wanted[:200]}`", f"name one by its id: {listed}")

    def holds(self, path: str) -> bool:
        """Whether a document of this path came from one of the sources."""
        source_id = path.partition("/")[0]
        return any(spec.source_id == source_id for spec in self.sources)

    def having(self, specs: Iterable[SourceSpec]) -> tuple[Self, list[SourceSpec], list[SourceSpec]]:
        """The project with these sources too: those that are new, and those that were there and got other tags or patterns if these
        differ."""
        wanted = {spec.source_id: spec for spec in specs}
        if len(wanted) > MOST_AT_ONCE:
            raise UsageError(f"{len(wanted)} sources at once", f"add at most {MOST_AT_ONCE} in one call")
        known = {spec.source_id: spec for spec in self.sources}
        added = [spec for source_id, spec in wanted.items() if source_id not in known]
        there = [spec for source_id, spec in wanted.items() if source_id in known]
        return replace(self, sources=tuple({**known, **wanted}.values())), added, there

    def without(self, source_id: str) -> Self:
        """The project without this source."""
        return replace(self, sources=tuple(spec for spec in self.sources if spec.source_id != source_id))


def encoded(manifest: Manifest) -> str:
    """As it is kept."""
    kept = {
        "version": VERSION,
        "project_id": manifest.name,
        "created_at": manifest.created_at,
        "sources": [to_json(spec) for spec in manifest.sources],
    }
    return json.dumps(kept, indent=1)


def decoded(text: str | bytes, name: str) -> Manifest:
    """What `encoded` kept; KeyError, TypeError or ValueError for anything else, ProjectError for what a newer scova kept."""
    kept = json.loads(text)
    if kept["version"] > VERSION:
        raise ProjectError(f"project `{name}` was made by a newer scova", "update scova")
    return Manifest(name, str(kept["created_at"]), tuple(from_json(source) for source in kept["sources"]))
