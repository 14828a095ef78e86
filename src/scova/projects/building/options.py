"""How a build goes about its work: every option, its default and its range, in one table. Out of range is an error."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from scova.errors import UsageError

STRATEGIES = ("checkpoint", "skip", "split")
RANGES = {
    "max_sources_per_build": (1, 50),
    "fetch_concurrency": (1, 10),
    "embedding_batch_size": (10, 100),
    "build_timeout_ms": (60_000, 1_800_000),
}


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """How one slice of a build is done."""

    max_sources_per_build: int = 10  # sources taken up in one slice
    fetch_concurrency: int = 3  # pages fetched at the same time
    embedding_batch_size: int = 50  # texts in one call of the embedder
    enable_checkpointing: bool = True  # whether what was done is written down after every batch
    build_timeout_ms: int = 300_000  # after which a slice ends, within one batch
    timeout_strategy: str = "checkpoint"  # what becomes of a source that does not fit: see `slice`


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """One call of a build."""

    dry_run: bool = False
    force: bool = False  # fetch and parse everything again
    chunk_options: ChunkOptions = ChunkOptions()
    resume_from_checkpoint: bool | None = None  # None: if there is one
    checkpoint_id: str = ""
    failed_only: bool = (
        False  # take only sources that failed; those tried as often as may be are tried as often once more
    )

    def __post_init__(self) -> None:
        """UsageError for what contradicts itself."""
        if self.failed_only and self.resume_from_checkpoint is False:
            raise UsageError(
                "a build that begins anew knows of no source that failed",
                "leave out either failed_only or what begins anew",
            )


def build_options(given: Mapping[str, object]) -> BuildOptions:
    """The options of a build as a request or a job has them; UsageError for what is out of range or unknown."""
    known = [one.name for one in fields(BuildOptions)]
    if unknown := given.keys() - known:
        raise UsageError(f"unknown option `{min(unknown)}` of a build", f"there are {', '.join(sorted(known))}")
    chosen = given.get("chunk_options") or {}
    if not isinstance(chosen, Mapping):
        raise UsageError("chunk_options is no object", f"it has {', '.join(one.name for one in fields(ChunkOptions))}")
    return BuildOptions(**{**given, "chunk_options": chunk_options(chosen)})  # type: ignore[arg-type]  # the form was checked


def chunk_options(given: Mapping[str, object]) -> ChunkOptions:
    """The options of this mapping, each checked; unknown ones are refused."""
    known = {one.name: one for one in fields(ChunkOptions)}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"unknown option `{name[:80]}`", f"there are {', '.join(known)}")
        _check(name, value)
    return ChunkOptions(**given)  # type: ignore[arg-type]  # each was checked


def _check(name: str, value: object) -> None:
    if name == "enable_checkpointing":
        if not isinstance(value, bool):
            raise UsageError(f"{name} is {value!r}", "it must be true or false")
    elif name == "timeout_strategy":
        if value not in STRATEGIES:
            raise UsageError(f"{name} is {value!r}", f"it must be one of {', '.join(STRATEGIES)}")
    else:
        low, high = RANGES[name]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise UsageError(f"{name} is {value!r}", f"it must be a number between {low} and {high}")
