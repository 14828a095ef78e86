"""The two tools that are there when there are projects: `project_build` builds a slice, `project_build_status` tells how it stands."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scova.config import cache_folder
from scova.mcp.arguments import Arguments, Parameter
from scova.mcp.workplace import Report
from scova.stores.project_layout import project_names

if TYPE_CHECKING:
    from scova.projects import Manifest

P = Parameter

BUILD_ABOUT = "Build the next slice of a named project (documentation and code from folders, pages, sitemaps, PDFs). Call again while `has_more`."
STATUS_ABOUT = "How the build of a named project stands, and what to do next."

_NAME = P("project_id", "string", "name of the project", required=True)
_CHUNK_OPTIONS = (
    P("max_sources_per_build", "integer", "", 10, least=1, most=50),
    P("fetch_concurrency", "integer", "", 3, least=1, most=10),
    P("embedding_batch_size", "integer", "", 50, least=10, most=100),
    P("enable_checkpointing", "boolean", "", True),
    P("build_timeout_ms", "integer", "", 300_000, least=60_000, most=1_800_000),
    P(
        "timeout_strategy",
        "string",
        "",
        "checkpoint",
        choices=("checkpoint", "skip", "split"),
    ),
)
STATUS = (_NAME,)
BUILD = (
    _NAME,
    P("dry_run", "boolean", "only say what would be done", False),
    P("force", "boolean", "fetch and parse everything again", False),
    P("chunk_options", "object", "", {}, fields=_CHUNK_OPTIONS),
    P("resume_from_checkpoint", "boolean", "false begins anew; left out: go on if there is a checkpoint", None),
    P("checkpoint_id", "string", "go on from this one", ""),
    P("failed_only", "boolean", "only sources that failed", False),
)


def exist() -> bool:
    """Whether there is any project to be built."""
    return bool(project_names(cache_folder()))


def placed(manifest: "Manifest", item: Any) -> Any:
    """What is told of a place in a project, with where it is in the world: a URL, a file, a page."""
    if not isinstance(item, dict) or not manifest.holds(item.get("path", "")):
        return item
    from scova.projects.provenance import provenance

    found = provenance(manifest, item["path"])
    return {**item, "place": found.place, **({"page": found.page} if found.page else {})}


def build(given: Arguments, report: Report, stop: Callable[[], bool]) -> dict[str, Any]:
    """One slice, telling how far it is."""
    from scova.projects import project_build
    from scova.projects.building.options import build_options
    from scova.projects.building.watching import Told

    said: tuple[str, int, int] | None = None

    def tell(told: Told) -> None:
        nonlocal said
        before, said = said, (told.source_id, told.done, told.chunks)
        if said != before:  # not each step of a batch: whoever listens pays for every word
            sources = f"source {told.sources_done + 1} of {told.sources_total}"
            report(told.done, told.total, f"{sources}, {told.step.stage}: {told.chunks} chunks, {told.vectors} vectors")

    options = build_options({name: value for name, value in given.items() if name != "project_id"})
    return project_build(given["project_id"], options, tell=tell, stop=stop).to_json()


def status(given: Arguments) -> dict[str, Any]:
    """How a build stands."""
    from scova.projects import project_build_status

    return project_build_status(given["project_id"]).to_json()
