"""What one slice of a build brought, as it is told to whoever asked for it."""

from dataclasses import asdict, dataclass, field


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

    def to_json(self) -> dict[str, object]:
        """As it is told."""
        return asdict(self)
