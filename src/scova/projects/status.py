"""`project_build_status`: how the build of a project stands, and what to do next."""

from dataclasses import asdict, dataclass

from scova.config import cache_folder
from scova.counted import waiting
from scova.lock import holder
from scova.projects.building.checkpoint import Checkpoint
from scova.projects.building.checkpoints import Checkpoints
from scova.projects.building.log import last_noted
from scova.projects.building.slice import in_turn
from scova.projects.catalog import Catalog
from scova.projects.manifest import Manifest


@dataclass(frozen=True, slots=True)
class CheckpointTold:
    """A checkpoint in few words."""

    checkpoint_id: str
    created_at: str
    sources_completed: int
    sources_remaining: int
    chunks_so_far: int
    vectors_so_far: int


@dataclass(frozen=True, slots=True)
class BuildStatus:
    """How the build of a project stands."""

    success: bool
    project_id: str
    state: str  # idle, in_progress, checkpoint_available
    checkpoint: CheckpointTold | None
    pending_sources: int  # that no build has come to yet, or not to their end
    failed_sources: int
    recommendation: str
    failures: tuple[dict[str, object], ...] = ()  # source_id, attempts, error
    pending_chunks: int = 0  # that have no vector yet, because a remote embedder failed
    builder: str = ""  # who is building, in words

    def to_json(self) -> dict[str, object]:
        """As it is told."""
        return asdict(self)


def project_build_status(project_id: str) -> BuildStatus:
    """How the build of a project of this user stands. Touches nothing."""
    catalog = Catalog(cache_folder())
    place = catalog.layout(project_id)
    latest = Checkpoints(place.checkpoints, project_id).latest()
    return build_status(catalog.get(project_id), latest, builder=holder(place.build_lock))


def last_built(project_id: str) -> str:
    """When a project of this user was last built; empty where it never was."""
    place = Catalog(cache_folder()).layout(project_id)
    return last_noted(place.logs) if place.data.store_db.exists() else ""


def build_status(manifest: Manifest, kept: tuple[Checkpoint | None, str], *, builder: str) -> BuildStatus:
    """How the build of a project stands, by its latest checkpoint and the word about it; `builder` is who is building it, in words."""
    project_id = manifest.name
    known = frozenset(spec.source_id for spec in manifest.sources)
    latest, words = kept
    checkpoint = (latest or Checkpoint(project_id)).of(known)
    failed = {one.source_id for one in checkpoint.failed}
    pending = known - {*checkpoint.completed} - failed
    state = "in_progress" if builder else "checkpoint_available" if latest and not latest.finished else "idle"
    return BuildStatus(
        success=True,
        project_id=project_id,
        state=state,
        checkpoint=_told(checkpoint, len(known)) if latest and (builder or not latest.finished) else None,
        pending_sources=len(pending),
        failed_sources=len(failed),
        recommendation=_recommended(
            state,
            words,
            is_empty=not known,
            left=len(in_turn(manifest.sources, checkpoint)),
            failed=len(failed),
            pending_chunks=checkpoint.pending_chunks,
        ),
        failures=tuple(
            {"source_id": one.source_id, "attempts": one.attempts, "error": one.error} for one in checkpoint.failed
        ),
        pending_chunks=checkpoint.pending_chunks,
        builder=builder,
    )


def _told(checkpoint: Checkpoint, total: int) -> CheckpointTold:
    done = len(checkpoint.completed)
    stats = checkpoint.stats
    return CheckpointTold(
        checkpoint.checkpoint_id, checkpoint.created_at, done, total - done, stats.chunks_added, stats.vectors_added
    )


def _recommended(state: str, words: str, *, is_empty: bool, left: int, failed: int, pending_chunks: int) -> str:
    """What to do next, in one sentence."""
    said = f"{words}; " if words else ""
    if is_empty:
        return f"{said}add sources, then build"
    if state == "in_progress":
        return f"{said}a build is under way: wait for it, and ask again"
    if state == "checkpoint_available":
        again = f", {failed} of which failed before" if failed else ""
        return f"{said}build again to go on: sources left: {left}{again}"
    if failed:
        return f"{said}sources that failed: {failed}; mend what is said of each, and build again (`failed_only` takes only those)"
    if pending_chunks:
        return f"{said}build again: {waiting(pending_chunks)}"
    if left:
        return f"{said}build to bring in what is pending: {left}"
    return f"{said}nothing to do; build again to bring in what has changed since"
