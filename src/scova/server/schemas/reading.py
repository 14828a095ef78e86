"""What people look at: who they are here, files, and how a project is. As it is asked, and as it is answered."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from scova.server.reading.file import MOST_LINES
from scova.server.schemas.answers import Freshness, Provenance, Said
from scova.server.schemas.requests import FilePath

_MOST = 100_000_000


class FileParameters(BaseModel):
    """Which lines of which file."""

    model_config = ConfigDict(extra="forbid")

    path: FilePath
    start: Annotated[int, Field(ge=1, le=_MOST)] = 1
    end: Annotated[int, Field(ge=1, le=_MOST)] | None = Field(
        None, description=f"the last line; at most {MOST_LINES} are answered at once"
    )
    outline: bool = Field(True, description="what the file defines beside its lines")


class Token(Said):
    """The token that a request brought."""

    id: str
    name: str
    scopes: list[Literal["read", "write", "admin"]]
    projects: list[str]


class Session(Said):
    """Who asks, and whom."""

    auth: bool
    token: Token | None
    version: str
    local: bool
    home: str


class Defined(Said):
    """A definition of a file."""

    name: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    depth: int
    signature: str


class Part(Said):
    """A chunk of a file, without its text."""

    chunk_type: str
    symbol: str
    kind: str
    start_line: int
    end_line: int


class File(Said):
    """Lines of a file as it is kept."""

    path: str
    language: str
    total_lines: int
    start_line: int
    end_line: int
    lines: list[str]
    truncated: bool
    outline: list[Defined]
    total_definitions: int
    chunks: list[Part]
    total_chunks: int
    chunk_types: dict[str, int]
    tags: list[str]
    generation: int
    digest: str
    size: int
    change_seq: int
    provenance: Provenance | None = None


class Skipped(Said):
    """A file that was left out, and why."""

    path: str
    reason: str
    detail: str


class Growth(Said):
    """How much of what is there now was there by then."""

    at: str
    files: int
    chunks: int


class Latency(Said):
    """How long searches took in this process: how many up to each bound, and above the last."""

    bounds_ms: list[int]
    counts: list[int]


class Build(Said):
    """A build, on a timeline."""

    job_id: str
    kind: str
    state: str
    created_at: str
    began: str
    ended: str
    stage: str
    attempts: int
    message: str
    phases: dict[str, float]


class Health(Said):
    """How a project is."""

    project_id: str
    change_seq: int
    bytes_on_disk: int
    files: int
    chunks: int
    symbols: int
    calls: int
    languages: dict[str, int]
    chunk_types: dict[str, int]
    kinds: dict[str, int]
    tags: dict[str, int]
    skipped: dict[str, int]
    skipped_files: list[Skipped]
    skipped_truncated: bool
    indexed_at: str
    embedder: str
    freshness: Freshness
    ready: bool
    behind: dict[str, str]
    watcher: dict[str, Any] | None
    reloads: dict[str, float]
    growth: list[Growth]
    latency: Latency
    builds: list[Build]
