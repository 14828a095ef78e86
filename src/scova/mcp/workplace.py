"""What the tools expect of where they work: the folders and projects of this machine (desk.py), or a server (remote_desk.py)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack

from scova.config import load
from scova.types import Answer, Filters, Job, Query, Status

if TYPE_CHECKING:  # loaded with the first question: the handshake does not wait for what it does not need
    from scova.answers import CallTree, Context, Definitions, Matches, Outlines, Usages
    from scova.jobs import Jobs
    from scova.mcp.arguments import Arguments
    from scova.projects import Manifest

QUESTION_SECONDS = 10.0  # for one question of an agent, unless the setting says otherwise
PATIENCE = 5.0  # seconds that the first question waits for a first build, before it is answered from what there is

Report = Callable[[int, int, str], None]  # done, total, in words


class GrepOptions(TypedDict, total=False):
    """How a pattern is looked for, and where."""

    fixed: bool
    ignore_case: bool
    word: bool
    before: int
    after: int
    filters: Filters
    limit: int


def question_seconds(root: Path) -> float:
    """How long one question may take by the settings for this folder."""
    return load(root).deadline_ms / 1000 or QUESTION_SECONDS


class Answering(Protocol):
    """Someone who answers questions about one project. Each answer is of one moment, and says how fresh it is."""

    def search(self, query: Query, /) -> Answer:
        """Ranked results."""
        ...

    def grep(self, pattern: str, /, **options: Unpack[GrepOptions]) -> "Matches":
        """Every match of a pattern."""
        ...

    def definitions(
        self, name: str = "", *, at: str = "", body: bool = False, limit: int = 50, filters: Filters = ...
    ) -> "Definitions":
        """Where something is defined."""
        ...

    def outline(self, path: str = "", *, depth: int = 0) -> "Outlines":
        """What a file, or every file below a folder, defines."""
        ...

    def callers(self, name: str, *, depth: int = 3) -> "CallTree":
        """Who calls a definition."""
        ...

    def callees(self, name: str, *, depth: int = 3) -> "CallTree":
        """Whom a definition calls."""
        ...

    def usages(self, name: str, *, limit: int = 200, filters: Filters = ...) -> "Usages":
        """Every use of a name."""
        ...

    def context(self, subject: str, *, budget: int = 2000) -> "Context":
        """What explains a symbol or a place."""
        ...

    def files(self, filters: Filters = ..., /) -> Mapping[str, str]:
        """The language of every file by path."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom to ask, the build under way there, if any, and how many changed paths are not in it yet."""

    index: Answering
    job: Job | None = None
    pending: int = 0
    manifest: "Callable[[], Manifest | None]" = lambda: None  # of a project with sources, as of the answer or later
    note: str = ""  # why what has changed is not in it, and will not be


@dataclass(frozen=True, slots=True)
class State:
    """How a project stands, whether it is kept fresh from here, and what else there is to say of it."""

    status: Status
    is_followed: bool
    beside: Mapping[str, object] = field(default_factory=dict)


class Building(Protocol):
    """Builds of projects that are made of sources."""

    def exist(self) -> bool:
        """Whether there is any project to be built."""
        ...

    def build(self, given: "Arguments", report: Report, stop: Callable[[], bool]) -> dict[str, Any]:
        """One slice, telling how far it is."""
        ...

    def status(self, given: "Arguments") -> dict[str, Any]:
        """How a build stands."""
        ...


class Workplace(Protocol):
    """Where the tools of one MCP server work."""

    @property
    def jobs(self) -> "Jobs":
        """The engine of background jobs."""
        ...

    @property
    def builds(self) -> Building:
        """Builds of projects."""
        ...

    @property
    def question_seconds(self) -> float:
        """How long one question may take."""
        ...

    def ask(self, project: str = "") -> Asked:
        """Whom to ask about a project, as fresh as can be had in a moment."""
        ...

    def begin(self, project: str, *, force: bool) -> Job:
        """Have a project brought up to date in the background."""
        ...

    def state(self, project: str) -> State:
        """How a project stands."""
        ...

    def close(self) -> None:
        """Let everything go."""
        ...
