"""The same work at a server: questions go there, and what is saved in the folder is pushed before they do.

The default project follows the folder. Others of the server are asked as they stand: which, the token decides. A first push is a job
in the background, as a first build is here.
"""

import hashlib
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scova.config import cache_folder
from scova.core.path_text import stored
from scova.counted import counted
from scova.errors import ScovaError, UsageError
from scova.mcp.arguments import Arguments
from scova.mcp.workplace import PATIENCE, Asked, Report, State, question_seconds
from scova.push.address import Address, project_name
from scova.remote import Afar, Builds, Project
from scova.stores.layout import jobs_db, server_folder
from scova.types import Job, Progress, Status

if TYPE_CHECKING:
    from scova.jobs import Jobs, Runner
    from scova.projects import Manifest
    from scova.push import Following

MOST_FAILED = 1000  # files named in the result of a job


def default_project(folder: Path) -> str:
    """The name of a folder's project on a server, unless another is chosen; UsageError for a folder that is no project."""
    if folder in (Path.home(), Path(folder.anchor)):
        raise UsageError(
            f"`{folder}` is not the folder of a project", "start in it, or name the project with --project"
        )
    return project_name(re.sub(r"[^A-Za-z0-9._-]+", "-", stored(folder.name)).lstrip("._-")[:64])


class RemoteDesk:
    """One server's projects, and a folder that one of them follows."""

    def __init__(self, address: Address, folder: Path, project: str, *, pushes: bool = True) -> None:
        """Unless it `pushes`, the project is asked as it stands, too."""
        from scova.push import Following

        self._folder = folder.resolve()
        self._project = project
        self._address = address
        self._afar = Afar(address)
        self._builds = Builds(self._afar)
        self._following: Following | None = Following(address, project, self._folder) if pushes else None
        self._manifests: dict[str, tuple[int, Manifest | None]] = {}  # by project, and the change they are of
        self._lock = threading.Lock()
        self._jobs: Jobs | None = None
        self._open = ExitStack()

    @property
    def jobs(self) -> "Jobs":
        """The engine of background jobs, started with the first use; shared with whoever pushes the same to the same, as the same."""
        from scova.jobs import Jobs
        from scova.stores.jobs import SqliteJobs

        with self._lock:
            if self._jobs is None:
                parts = (self._address.url, self._address.token, self._project, stored(self._folder))
                key = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
                runners: dict[str, Runner] = {"index": self._pushed}
                ledger = SqliteJobs(jobs_db(server_folder(cache_folder(), key)))
                self._jobs = self._open.enter_context(Jobs(ledger, runners))
            return self._jobs

    @property
    def builds(self) -> "RemoteBuilds":
        """Builds of the server's projects."""
        return RemoteBuilds(self._builds)

    @cached_property
    def question_seconds(self) -> float:
        """How long one question may take; the server has a time of its own."""
        return question_seconds(self._folder)

    def ask(self, project: str = "") -> Asked:
        """A project, ready to be asked; a first push is begun where there was none, and waited for a moment."""
        name, following = self._named(project)
        if following is None:
            asked = Project(self._afar, name)
            return Asked(asked, manifest=partial(self._manifest, asked))
        asked = Project(self._afar, name, self._settle)
        manifest = partial(self._manifest, asked)
        if not following.is_known and not following.is_forbidden:
            job = self.jobs.wait(self.begin(project, force=False).job_id, PATIENCE)
            if not job.is_over:
                return Asked(asked, job, manifest=manifest)
            if job.status == "failed" and not following.is_forbidden:
                raise following.problem or UsageError(f"pushing failed: {job.message}", "`index` tries again")
        if (refusal := following.problem) is not None and following.is_forbidden:
            note = f"changes are not pushed: {refusal.message}"
            return Asked(asked, manifest=manifest, note=note)
        settled = following.settle(PATIENCE)
        return Asked(asked, pending=settled.pending, manifest=manifest, note=settled.problem)

    def begin(self, project: str, *, force: bool) -> Job:
        """Have the folder pushed in the background."""
        name, following = self._named(project)
        if following is None:
            raise UsageError(
                f"`{name}` is not pushed from here", "it is asked as it stands; whoever has its folder pushes it"
            )
        return self.jobs.submit("index", str(self._folder), project_id=name, options={"force": force})

    def state(self, project: str) -> State:
        """How a project stands on the server."""
        from collections import Counter

        from scova.sources.git.branch import branch_of

        name, following = self._named(project)
        beside = {"server": self._address.url, "project": name}
        if following is None:
            return State(Project(self._afar, name).status(Status(name, "", "", "")), is_followed=False, beside=beside)
        settled = following.settle(PATIENCE) if following.is_known else None
        known = Status(str(self._folder), "", branch_of(self._folder), "", watcher_alive=not following.is_forbidden)
        status = Project(self._afar, name).status(
            _with(known, Counter(skip.reason for skip in following.left_out), settled.pending if settled else 0)
        )
        if following.problem is not None:
            beside["problem"] = f"{following.problem.message}; {following.problem.hint}"
        return State(status, is_followed=not following.is_forbidden, beside=beside)

    def close(self) -> None:
        """Stop pushing, and let everything go."""
        if self._following is not None:
            self._following.stop()
        self._open.close()
        self._afar.close()

    def _named(self, project: str) -> "tuple[str, Following | None]":
        """The project that is meant, and what follows it from here."""
        if project in ("", self._project, str(self._folder), "."):
            return self._project, self._following
        try:
            return project_name(project), None
        except UsageError:
            raise UsageError(
                f"`{project[:200]}` is not a project of this server", f"leave `project` out for `{self._project}`"
            ) from None

    def _settle(self, change_seq: int) -> bool:
        """Whether an answer of this change is to be asked for again: another has written to the project, and what is here went first."""
        following = self._following
        if following is None or not following.is_known or following.change_seq == change_seq:
            return False
        following.doubt()
        following.settle(PATIENCE)
        return following.is_known

    def _manifest(self, asked: Project) -> "Manifest | None":
        """The sources of a project, where it has any, for what it has answered; looked up once for each change of it."""
        name, change_seq = asked.project_id, asked.change_seq  # what a source brings comes with a change
        known = self._manifests.get(name)
        if known is None or known[0] != change_seq:
            try:
                known = self._manifests[name] = (change_seq, _manifest(name, self._builds.sources(name)))
            except ScovaError:
                return None
        return known[1]

    def _pushed(self, job: Job, tell: Callable[[Progress], None]) -> Mapping[str, object]:
        """The runner of a job: push the folder."""
        assert self._following is not None
        done = self._following.push(tell, force=bool(job.options.get("force")))
        if done.ended_early:
            raise ScovaError(done.message, "`index` goes on")
        report = asdict(done) | {"failed": len(done.failed), "skipped": len(done.skipped)}
        failed = [one._asdict() for one in done.failed[:MOST_FAILED]]
        message = f"{counted(len(done.failed), 'file')} could not be pushed" if failed else done.message
        return {"report": report, "failed": failed, "message": message}


class RemoteBuilds:
    """Builds of a server's projects, for the tools."""

    def __init__(self, builds: Builds) -> None:
        self._builds = builds

    def exist(self) -> bool:
        """Whether there is any project to be built."""
        return self._builds.exist()

    def build(self, given: Arguments, report: Report, stop: Callable[[], bool]) -> dict[str, Any]:
        """One slice, telling how far it is."""
        options = {name: value for name, value in given.items() if name != "project_id" and value not in (None, "", {})}
        return self._builds.build(given["project_id"], options, report, stop)

    def status(self, given: Arguments) -> dict[str, Any]:
        """How a build stands."""
        return self._builds.status(given["project_id"])


def _with(known: Status, skipped: Mapping[str, int], pending: int) -> Status:
    from dataclasses import replace

    return replace(known, skipped=skipped, freshness=known.freshness._replace(pending_files=pending))


def _manifest(name: str, sources: list[Mapping[str, Any]]) -> "Manifest | None":
    from scova.projects.manifest import Manifest
    from scova.projects.spec import from_json

    return Manifest(name, "", tuple(from_json(one) for one in sources)) if sources else None
