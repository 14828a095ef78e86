"""What an agent works at: the projects it may ask about, each opened when it is first asked for, and kept fresh from then on.

A project is named by the call, else by SCOVA_PROJECT, else it is the working folder. An agent may ask about that one, about those
the server was started with, about folders that someone has indexed on this machine, and about projects that someone has made; it
cannot make the server read others.
"""

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scova.config import cache_folder
from scova.core.path_text import native, stored
from scova.errors import UsageError
from scova.mcp import projects
from scova.mcp.workplace import PATIENCE, Asked, Building, State, question_seconds
from scova.stores.layout import jobs_db, layouts
from scova.stores.project_layout import project_names
from scova.types import Job

if TYPE_CHECKING:  # loaded with the first question: the handshake does not wait for what it does not need
    from scova.index import Index
    from scova.jobs import Jobs, Runner
    from scova.live import Live
    from scova.projects import Library

ENVIRONMENT = "SCOVA_PROJECT"


class Desk:
    """One server's projects and jobs."""

    def __init__(self, roots: Sequence[Path], *, environment: Mapping[str, str] = os.environ) -> None:
        """`roots` are the projects the server was started with; the first is the default."""
        named = environment.get(ENVIRONMENT)
        self._roots = [*roots] or [Path(named) if named else Path.cwd()]
        self._opened: dict[Path, Index] = {}
        self._live: dict[Path, Live] = {}
        self._libraries: dict[str, Library] = {}
        self._lock = threading.Lock()
        self._jobs: Jobs | None = None
        self._open = ExitStack()

    @property
    def jobs(self) -> "Jobs":
        """The engine of background jobs, started with the first use."""
        from scova.jobs import Jobs, index_runner
        from scova.stores.jobs import SqliteJobs

        with self._lock:
            if self._jobs is None:
                runners: dict[str, Runner] = {"index": index_runner()}
                self._jobs = self._open.enter_context(Jobs(SqliteJobs(jobs_db(cache_folder())), runners))
            return self._jobs

    @property
    def builds(self) -> Building:
        """Builds of named projects."""
        return projects

    @cached_property
    def question_seconds(self) -> float:
        """How long one question may take."""
        return question_seconds(self._root(""))

    def ask(self, project: str = "") -> Asked:
        """The index of a project, ready to be asked; a first build is begun if there is none, and waited for a moment."""
        if project in project_names(cache_folder()):
            library = self._library(project)
            return Asked(library, manifest=lambda: library.manifest)
        index = self.index(project)
        if index.is_complete:
            return Asked(index, pending=self._keep_fresh(index).settle(index.config.wait_ms / 1000))
        _require_consent(index)
        job = self.jobs.submit("index", stored(index.root))
        job = self.jobs.wait(job.job_id, PATIENCE)
        if job.status in ("queued", "running"):
            return Asked(index, job)
        if job.status == "failed":
            raise UsageError(f"indexing failed: {job.message}", "`status` has the job; `index` tries again")
        self._keep_fresh(index)
        return Asked(index)

    def index(self, project: str = "") -> "Index":
        """The handle of a project, whether it is indexed or not."""
        from scova.index import Index

        root = self._root(project)
        with self._lock:
            if root not in self._opened:
                self._opened[root] = self._open.enter_context(Index.open(root))
            return self._opened[root]

    def begin(self, project: str, *, force: bool) -> Job:
        """Have a folder indexed in the background."""
        index = self.index(project)
        _require_consent(index)
        return self.jobs.submit("index", stored(index.root), options={"force": force})

    def state(self, project: str) -> State:
        """How the index of a folder stands."""
        index = self.index(project)
        status = index.status()
        live = self._live.get(index.root)
        return State(status, is_followed=bool(live and live.leads))

    def close(self) -> None:
        """Stop watching and working, and let everything go."""
        with self._lock:
            live, self._live = self._live, {}
        for one in live.values():
            one.stop()
        self._open.close()

    def _keep_fresh(self, index: "Index") -> "Live":
        from scova.live import Live

        with self._lock:
            if index.root not in self._live:
                self._live[index.root] = Live(index).start()
            return self._live[index.root]

    def _library(self, name: str) -> "Library":
        """A named project, with the sources it has now."""
        from scova.projects import Catalog, Library

        manifest = Catalog(cache_folder()).get(name)
        with self._lock:
            known = self._libraries.get(name)
            if known is None:
                known = self._libraries[name] = self._open.enter_context(Library.open(name))
            elif known.manifest != manifest:
                known.manifest = manifest
            return known

    def _root(self, project: str) -> Path:
        """The folder that is meant; UsageError when an agent may not ask about it."""
        if not project:
            return self._roots[0].resolve()
        wanted = (self._roots[0] / _at_home(project)).resolve()
        own = [root.resolve() for root in self._roots]
        if wanted in own or any(layout.owner() == stored(wanted) for layout in layouts(cache_folder())):
            return wanted
        if project in project_names(cache_folder()):
            raise UsageError(
                f"`{project}` is a named project, and no folder", "use project_build and project_build_status for it"
            )
        raise UsageError(
            f"`{project}` is not a project of this server",
            f"leave `project` out for `{own[0]}`, or have the user run `scova index {project}` once",
        )


def _require_consent(index: "Index") -> None:
    from scova.index.consent import (
        require_consent,  # with the index it loads, which a server that only starts does without
    )

    require_consent(index)


def _at_home(project: str) -> Path:
    """The path, with `~` for the user's own home; another's is not looked up, as the list of users is none of an agent's business."""
    path = native(project)  # an agent writes UTF-8, whatever the locale
    return path.expanduser() if project == "~" or project.startswith("~/") else path
