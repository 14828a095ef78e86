"""How a project is, for people: how much there is of what, what was left out, how fresh it is, how it grew, how long builds took."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scova.types import Census, Freshness, Job, Skip, Tally, Watching

MOST_SKIPS = 1000  # named in one answer; all are counted
MOST_BUILDS = 50
# Of what a build tells in its result, by what a person calls it.
_PHASES = {"fetch_time_ms": "fetch", "chunk_time_ms": "chunk", "embed_time_ms": "embed"}


@dataclass(frozen=True, slots=True)
class Standing:
    """How a project stands."""

    tally: Tally
    skipped: list[Skip]
    freshness: Freshness
    bytes_on_disk: int
    behind: Mapping[str, str]
    reloads: Mapping[str, float]
    watcher: Watching | None = None  # who keeps it fresh, where there is something to watch
    grammar_faults: Mapping[str, str] = field(
        default_factory=dict
    )  # languages whose definitions are incomplete, and why
    is_ready: bool = True  # whether all that is derived from it is at hand; else most questions have to wait


def told(standing: Standing, census: Census, builds: Sequence[Job]) -> dict[str, object]:
    """All of it but what only the process knows."""
    tally, skipped = standing.tally, standing.skipped
    return {
        "bytes_on_disk": standing.bytes_on_disk,
        "files": tally.files,
        "chunks": tally.chunks,
        "symbols": tally.symbols,
        "calls": tally.calls,
        "languages": dict(tally.languages),
        "chunk_types": dict(tally.chunk_types),
        "kinds": dict(census.kinds),
        "tags": dict(census.tags),
        "skipped": dict(Counter(skip.reason for skip in skipped).most_common()),
        "skipped_files": [_skip(one) for one in skipped[:MOST_SKIPS]],
        "skipped_truncated": len(skipped) > MOST_SKIPS,
        "indexed_at": tally.indexed_at,
        "reloads": dict(standing.reloads),
        "growth": [{"at": at, "files": files, "chunks": chunks} for at, files, chunks in census.growth],
        "builds": [_build(job) for job in builds[:MOST_BUILDS]],
    }


def _skip(skip: Skip) -> dict[str, str]:
    return {"path": skip.path, "reason": skip.reason, "detail": skip.detail}


def _build(job: Job) -> dict[str, object]:
    """A build as a bar on a timeline: when it began and ended, and how long each part of it took where that is known."""
    return {
        "job_id": job.job_id,
        "kind": job.kind,
        "state": job.status,
        "created_at": job.created_at,
        "began": job.started_at,
        "ended": job.finished_at,
        "stage": job.stage,
        "attempts": job.attempts,
        "message": job.message,
        "phases": _phases(job.result),
    }


def _phases(result: Mapping[str, Any]) -> dict[str, float]:
    """Milliseconds by part, of a build that has ended."""
    metrics, report = result.get("metrics"), result.get("report")
    if isinstance(metrics, Mapping):
        known = {word: float(metrics[name]) for name, word in _PHASES.items() if name in metrics}
        rest = float(metrics.get("duration_ms", 0)) - sum(known.values())
        return {**known, "other": rest} if rest > 0 else known
    if isinstance(report, Mapping):
        graph = float(report.get("hnsw_rebuild_ms", 0.0))
        return {"index": round(1000 * float(report.get("seconds", 0.0)), 1), **({"graph": graph} if graph else {})}
    return {}
