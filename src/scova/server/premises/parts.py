"""What a server expects of what it serves. Two are built: `served.py` (projects that are pushed to, in a folder or a database), and
`scova.desk` (what one user has on this machine).
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from scova.jobs.engine import Runner
from scova.projects.building.options import BuildOptions
from scova.projects.building.result import BuildResult
from scova.projects.spec import SourceSpec
from scova.projects.status import BuildStatus
from scova.protocols import JobLedger
from scova.server.tenants.asked import Asked
from scova.server.tokens import Tokens


class Projects(Protocol):
    """The projects that are served. Safe from any thread."""

    def names(self) -> list[str]:
        """Every project, in order."""
        ...

    def create(self, project_id: str) -> None:
        """Make an empty project; an error when there is one."""
        ...

    def remove(self, project_id: str) -> None:
        """Remove a project with all it holds."""
        ...

    def lease(self, project_id: str) -> AbstractContextManager[Asked]:
        """A project to work with; IndexMissing when there is none of that name."""
        ...

    def close(self) -> None:
        """Close every project nobody works with any more."""
        ...


class Works(Protocol):
    """Sources of projects, and builds from them. A project is one of those that the same server serves."""

    def add_sources(self, tenant: Any, specs: Iterable[SourceSpec], /) -> tuple[list[SourceSpec], list[SourceSpec]]:
        """Add sources; those added, and those that were there already."""
        ...

    def remove_source(self, tenant: Any, source_id: str, /) -> None:
        """Remove a source with all it brought."""
        ...

    def planned(self, tenant: Any, options: BuildOptions, /) -> BuildResult:
        """What a build would do. Touches nothing."""
        ...

    def status_of(self, tenant: Any, builder: str, /) -> BuildStatus:
        """How the build of a project stands."""
        ...

    def wished(self, tenant: Any, given: Mapping[str, object], /, *, whole: bool) -> Mapping[str, object]:
        """The options of a build as a job keeps them; UsageError for what cannot be wished for."""
        ...


class Upkeep(Protocol):
    """Whoever looks after the projects while they are served."""

    def start(self) -> None:
        """Begin."""
        ...

    def stop(self) -> None:
        """End."""
        ...


class Idle:
    """Nobody, where nothing is to be looked after."""

    def start(self) -> None:
        """There is nothing to do."""

    def stop(self) -> None:
        """There never was."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What one server is made of."""

    tenants: Projects
    tokens: Tokens
    jobs: JobLedger
    runners: Mapping[str, Runner]
    works: Works
    words: str  # how a command is told to use the same, without any secret
    close: Callable[[], None]  # once nothing of it is used any more
    upkeep: Upkeep = field(default_factory=Idle)
    home: str = ""  # the project that a page begins with, where everything is one user's and on this machine
