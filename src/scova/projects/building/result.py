"""What one slice of a build brought, as it is told to whoever asked for it."""

from dataclasses import asdict, dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Progressed:
    """How far the whole build is."""

    total_sources: int
    processed_this_run: int
    remaining: int  # sources that are not completed
    has_more: bool  # whether another slice has something to do
    checkpoint_id: str = ""
    estimated_remaining_ms: int | None = None  # None: nothing to go by yet


@dataclass(frozen=True, slots=True)
class Metrics:
    """Where the time and the money went, in this slice."""

    duration_ms: int = 0
    fetch_time_ms: int = 0
    chunk_time_ms: int = 0
    embed_time_ms: int = 0
    tokens_used: int = 0
    estimated_cost_usd: float = 0.0
    avg_source_time_ms: int = 0


@dataclass(frozen=True, slots=True)
class BuildResult:
    """One slice. `success` is false when nothing could be done at all."""

    success: bool
    sources_processed: int
    chunks_added: int
    vectors_added: int
    message: str
    progress: Progressed
    metrics: Metrics = field(default_factory=Metrics)
    errors: tuple[dict[str, str], ...] = ()  # source_id, error
    not_read: int = 0  # documents of the project that could not be read; `message` names the first few
    failing: frozenset[str] = frozenset()  # sources that failed, in this slice or before, and were not built since

    def to_json(self) -> dict[str, object]:
        """As it is told."""
        return {name: value for name, value in asdict(self).items() if name != "failing"}


def together(before: BuildResult, after: BuildResult) -> BuildResult:
    """Two slices as one: how far it is, as of the second; what was done and what it took, of both; errors that still stand."""
    first, second = before.metrics, after.metrics
    sources = before.sources_processed + after.sources_processed
    duration = first.duration_ms + second.duration_ms
    standing = after.failing - {one["source_id"] for one in after.errors}
    return replace(
        after,
        success=before.success or after.success,
        sources_processed=sources,
        chunks_added=before.chunks_added + after.chunks_added,
        vectors_added=before.vectors_added + after.vectors_added,
        progress=replace(
            after.progress, processed_this_run=before.progress.processed_this_run + after.progress.processed_this_run
        ),
        metrics=replace(
            second,
            duration_ms=duration,
            fetch_time_ms=first.fetch_time_ms + second.fetch_time_ms,
            chunk_time_ms=first.chunk_time_ms + second.chunk_time_ms,
            embed_time_ms=first.embed_time_ms + second.embed_time_ms,
            tokens_used=first.tokens_used + second.tokens_used,
            estimated_cost_usd=round(first.estimated_cost_usd + second.estimated_cost_usd, 6),
            avg_source_time_ms=round(duration / sources) if sources else 0,
        ),
        errors=(*(one for one in before.errors if one["source_id"] in standing), *after.errors),
    )
