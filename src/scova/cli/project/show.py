"""What `scova project` shows, as text and as JSON. Prints nothing."""

from collections.abc import Sequence

from scova.cli.render import clean, json_text
from scova.counted import counted
from scova.projects.building.result import BuildResult
from scova.projects.manifest import Manifest
from scova.projects.spec import SourceSpec, to_json
from scova.projects.status import BuildStatus
from scova.stores.project_layout import ProjectLayout


def created(made: Manifest, *, as_json: bool) -> str:
    """A new project."""
    if as_json:
        return _json(_manifest(made))
    return f"created {made.name}; add sources: {_adding(made.name)}"


def listed(found: Sequence[Manifest], *, as_json: bool) -> str:
    """All projects."""
    if as_json:
        return _json({"projects": [_manifest(one) for one in found]})
    return "\n".join(f"{one.name}  {counted(len(one.sources), 'source')}" for one in found) or "no projects"


def shown(manifest: Manifest, state: BuildStatus, place: ProjectLayout, *, built: str = "", as_json: bool) -> str:
    """One project."""
    if as_json:
        return _json({**_manifest(manifest), "folder": str(place.root), "build": state.to_json()})
    lines = [f"{manifest.name}  (in {clean(str(place.root))})"]
    lines += [_line(spec) for spec in manifest.sources] or ["  no sources yet"]
    return "\n".join([*lines, status(state, built=built, as_json=False)])


def added(name: str, new: Sequence[SourceSpec], there: Sequence[SourceSpec], *, as_json: bool) -> str:
    """Sources that were added, and those that were there."""
    if as_json:
        return _json({"project": name, "added": [*map(to_json, new)], "already_there": [*map(to_json, there)]})
    lines = [f"added {counted(len(new), 'source')}" + (f", {len(there)} were there already" if there else "")]
    return "\n".join([*lines, *map(_line, new), f"build: scova project build {name}"])


def removed(name: str, spec: SourceSpec, *, as_json: bool) -> str:
    """A source that was removed."""
    return _json({"project": name, "removed": to_json(spec)}) if as_json else f"removed {spec.source_id}"


def deleted(name: str, *, as_json: bool) -> str:
    """A project that is no more."""
    return _json({"project": name, "deleted": True}) if as_json else f"deleted {name}"


def status(state: BuildStatus, *, built: str = "", as_json: bool) -> str:
    """How a build stands; `built` is when the last one ended."""
    if as_json:
        return _json(state.to_json())
    lines = [f"{state.state}: {counted(state.pending_sources, 'source')} pending, {state.failed_sources} failed"]
    if built:
        lines.append(f"  as of the last build, {built}: what changed since is not in it")
    if state.builder:
        lines.append(f"  built by {clean(state.builder)}")
    if (kept := state.checkpoint) is not None:
        done, chunks = kept.sources_completed, kept.chunks_so_far
        lines.append(
            f"  checkpoint {kept.checkpoint_id}: {counted(done, 'source')}, {counted(chunks, 'chunk')}, {counted(kept.vectors_so_far, 'vector')}"
        )
    lines += [f"  failed ({one['attempts']}x) {one['source_id']}: {clean(str(one['error']))}" for one in state.failures]
    return "\n".join([*lines, f"next: {clean(state.recommendation)}"])


def dated(name: str, built: str) -> str:
    """Of when the answers of a project are."""
    when = f", {built}" if built else ""
    return f"{name} is as of its last build{when}; bring in what changed since: scova project build {name}"


def built(name: str, result: BuildResult, *, as_json: bool) -> str:
    """What a build brought."""
    if as_json:
        return _json(result.to_json())
    progress, metrics = result.progress, result.metrics
    lines = [
        f"{counted(result.chunks_added, 'chunk')}, {counted(result.vectors_added, 'vector')} in {metrics.duration_ms / 1000:.1f} s;"
        f" sources built: {progress.total_sources - progress.remaining} of {progress.total_sources}"
    ]
    if metrics.tokens_used:
        lines.append(f"{counted(metrics.tokens_used, 'token')}, about {metrics.estimated_cost_usd:.4f} USD")
    lines += [f"failed {one['source_id']}: {clean(one['error'])}" for one in result.errors]
    lines.append(clean(result.message))
    if not progress.total_sources:
        lines.append(f"add sources: {_adding(name)}")
    if progress.has_more:
        lines.append(f"go on: scova project build {name}")
    return "\n".join(lines)


def _adding(name: str) -> str:
    return f"scova project add {name} folder:PATH url:URL sitemap:URL pdf:PATH"


def _line(spec: SourceSpec) -> str:
    tags = f"  [{', '.join(spec.tags)}]" if spec.tags else ""
    return f"  {spec.source_id}  {spec.type}:{clean(spec.uri)}{tags}"


def _manifest(one: Manifest) -> dict[str, object]:
    return {"project": one.name, "created_at": one.created_at, "sources": [*map(to_json, one.sources)]}


def _json(value: object) -> str:
    return json_text(value)
