"""What is answered, field by field, as the API describes it. The answers themselves are made in `shapes`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Said(BaseModel):
    """An answer: what is listed is there, and nothing else."""

    model_config = ConfigDict(extra="forbid")


class Error(Said):
    """What went wrong, and what to do."""

    error: str
    hint: str
    request_id: str


class Health(Said):
    """Whether the server is up, or ready."""

    status: str


class Project(Said):
    """A project, and how much is in it."""

    project_id: str
    files: int
    chunks: int
    change_seq: int


class Projects(Said):
    """The projects that a token may see."""

    projects: list[str]


class Removed(Said):
    """A project that is gone."""

    deleted: str


class FileResult(Said):
    """What became of one file."""

    path: str
    status: Literal["indexed", "unchanged", "skipped", "failed"]
    chunks: int
    error: str | None = None
    hint: str | None = None


class Indexed(Said):
    """What became of each file of a batch, in its order."""

    status: Literal["ok", "partial"]
    project_id: str
    change_seq: int
    change_seq_before: int
    results: list[FileResult]


class NotIndexed(Error):
    """Every file of a batch failed."""

    results: list[FileResult] = []


class Deleted(Said):
    """Which files are gone, which were not there, and which are not the client's to delete, with the reason."""

    deleted: list[str]
    unknown: list[str]
    refused: dict[str, str]
    change_seq: int
    change_seq_before: int


class Synced(Said):
    """What is missing here, and what is here beside the manifest."""

    missing: list[str]
    extra: list[str]
    deleted: int
    change_seq: int


class Freshness(Said):
    """How current an answer is."""

    change_seq: int
    pending_files: int
    pending_embeddings: int
    tiers: dict[str, bool]
    verified: int
    moved: int
    dropped: int


class Provenance(Said):
    """Where a chunk comes from that a source brought."""

    source_id: str
    type: str
    place: str
    heading: str
    page: int | None


class Result(Said):
    """A chunk that was found."""

    path: str
    start_line: int
    end_line: int
    score: float
    chunk_type: str
    symbol: str
    kind: str
    language: str
    title: str
    tags: list[str]
    id: str
    revision_id: str
    text: str
    provenance: Provenance | None = None
    shares: dict[str, float] | None = None


class Literally(Said):
    """Exact occurrences."""

    text: str
    count: int
    files: int
    by_file: dict[str, int]


class Found(Said):
    """Ranked results and exact counts."""

    query: str
    mode: str
    results: list[Result]
    total: int
    truncated: bool
    next: str
    relevance: float
    nothing_relevant: bool
    judged_by: dict[str, float] | None = None
    spelled: dict[str, dict[str, float]] | None = None
    literal: Literally
    skipped_files: int
    tokens: int
    cut: list[str]
    freshness: Freshness
    timings: dict[str, float | bool]


class Dated(BaseModel):
    """An exact answer; docs/reference/json.md lists the fields of each."""

    model_config = ConfigDict(extra="allow")

    cut: list[str]
    freshness: Freshness


class Definitions(Dated):
    """Where something is defined."""

    definitions: list[dict[str, Any]]
    total: int
    truncated: bool
    suggestions: list[str]


class Outlines(Dated):
    """What files define."""

    files: list[dict[str, Any]]
    total: int
    truncated: bool
    caps: dict[str, int]


class CallTree(Dated):
    """Who calls whom."""

    direction: str
    roots: list[dict[str, Any]]
    depth: int
    total: int
    caps: dict[str, int]
    left_out: dict[str, int]
    suggestions: list[str]


class Usages(Dated):
    """Where a name is used."""

    name: str
    usages: list[dict[str, Any]]
    counts: dict[str, int]
    truncated: bool
    suggestions: list[str]


class Context(Dated):
    """What explains something."""

    subject: str
    parts: list[dict[str, Any]]
    tokens: int
    budget: int
    left_out: int
    suggestions: list[str]


class Matches(Dated):
    """Lines that match."""

    pattern: str
    files: list[dict[str, Any]]
    count: int
    matches: int
    searched: int
    scanned: int
    truncated: bool


class File(Said):
    """A file that is indexed."""

    path: str
    language: str


class Files(Said):
    """Files by path, in order."""

    files: list[File]
    total: int
    truncated: bool
    change_seq: int


class Status(Project):
    """How a project stands."""

    indexed_at: str
    embedder: str
    pending_embeddings: int
    bytes_on_disk: int
    behind: dict[str, str]
    grammar_faults: dict[str, str]
    freshness: Freshness
    ready: bool


class Stats(Said):
    """What is in a project, counted."""

    project_id: str
    files: int
    chunks: int
    symbols: int
    calls: int
    languages: dict[str, int]
    chunk_types: dict[str, int]
    skipped: dict[str, int]
    reloads: dict[str, float]
