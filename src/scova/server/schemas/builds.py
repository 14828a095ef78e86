"""Sources and builds of a project: what may be asked, and what is answered."""

from typing import Annotated, Any, Literal

from pydantic import FailFast, Field, StringConstraints

from scova.projects.building.options import RANGES, STRATEGIES
from scova.projects.manifest import MOST_AT_ONCE
from scova.projects.spec import MOST_PAGES
from scova.server.schemas.answers import Said
from scova.server.schemas.requests import Globs, Strict

URL = r"^https?://"
TAG = r"^[^\s,\x00-\x1f]{1,64}$"

Url = Annotated[str, StringConstraints(min_length=8, max_length=2048, pattern=URL)]
Tags = Annotated[list[Annotated[str, StringConstraints(pattern=TAG, max_length=64)]], Field(max_length=50), FailFast()]
assert STRATEGIES == ("checkpoint", "skip", "split")


def _within(name: str) -> Any:
    low, high = RANGES[name]
    return Field(ge=low, le=high)


class NewSource(Strict):
    """A source to be added: a page, all pages of a sitemap, or a PDF."""

    type: Literal["url", "sitemap", "pdf"]
    uri: Url
    tags: Tags = Field([])
    include: Globs = Field([], description="of a sitemap: globs over the URL")
    exclude: Globs = Field([], description="of a sitemap: globs over the URL")
    max_pages: Annotated[int, Field(ge=0, le=MOST_PAGES)] = Field(
        0, description="of a sitemap or a PDF; 0: all of them"
    )


class NewSources(Strict):
    """Sources to be added, together or not at all."""

    sources: Annotated[list[NewSource], Field(min_length=1, max_length=MOST_AT_ONCE), FailFast()]


class ChunkOptions(Strict):
    """How a slice is done; what is left out is as it always is."""

    max_sources_per_build: Annotated[int, _within("max_sources_per_build")] = 10
    fetch_concurrency: Annotated[int, _within("fetch_concurrency")] = 3
    embedding_batch_size: Annotated[int, _within("embedding_batch_size")] = 50
    enable_checkpointing: bool = True
    build_timeout_ms: Annotated[int, _within("build_timeout_ms")] = 300_000
    timeout_strategy: Literal["checkpoint", "skip", "split"] = "checkpoint"


class BuildRequest(Strict):
    """A build: the next slice, or with `whole` all that is left."""

    dry_run: bool = Field(False, description="only say what would be done")
    force: bool = Field(False, description="fetch and parse everything again")
    chunk_options: ChunkOptions = ChunkOptions()
    resume_from_checkpoint: bool | None = Field(
        None, description="false begins anew; left out: go on if there is a checkpoint"
    )
    checkpoint_id: Annotated[str, StringConstraints(max_length=100)] = Field("", description="go on from this one")
    failed_only: bool = Field(False, description="take only sources that failed")
    whole: bool = Field(False, description="slice after slice until nothing is left")


class Source(Said):
    """A source of a project."""

    source_id: str
    type: str
    uri: str
    tags: list[str]
    include: list[str]
    exclude: list[str]
    max_pages: int


class Sources(Said):
    """The sources of a project."""

    sources: list[Source]


class Added(Said):
    """What became of new sources, by id."""

    added: list[str]
    there: list[str]


class Progressed(Said):
    """How far the whole build is."""

    total_sources: int
    processed_this_run: int
    remaining: int
    has_more: bool
    checkpoint_id: str
    estimated_remaining_ms: int | None


class Metrics(Said):
    """Where the time and the money went."""

    duration_ms: int
    fetch_time_ms: int
    chunk_time_ms: int
    embed_time_ms: int
    tokens_used: int
    estimated_cost_usd: float
    avg_source_time_ms: int


class Failed(Said):
    """A source that could not be built."""

    source_id: str
    error: str


class Built(Said):
    """What a slice brought, or would bring; the `result` of a `build` job."""

    success: bool
    sources_processed: int
    chunks_added: int
    vectors_added: int
    message: str
    progress: Progressed
    metrics: Metrics
    errors: list[Failed]
    not_read: int


class Checkpoint(Said):
    """How far a build came."""

    checkpoint_id: str
    created_at: str
    sources_completed: int
    sources_remaining: int
    chunks_so_far: int
    vectors_so_far: int


class Failure(Failed):
    """A source that failed, and how often it was tried."""

    attempts: int


class BuildStatus(Said):
    """How the build of a project stands, and what to do next."""

    success: bool
    project_id: str
    state: Literal["idle", "in_progress", "checkpoint_available"]
    checkpoint: Checkpoint | None
    pending_sources: int
    failed_sources: int
    recommendation: str
    failures: list[Failure]
    pending_chunks: int
    builder: str
