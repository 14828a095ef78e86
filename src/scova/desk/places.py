"""A folder and a named project of this user as a server's projects are asked. Both answer from the index that commands and agents use;
there is no second copy of anything. Knows nothing of requests.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from scova.core.path_text import stored
from scova.index import Index, keeping
from scova.projects.library import Library
from scova.projects.manifest import Manifest
from scova.search.coordinator import Metrics
from scova.search.similar import Request
from scova.search.verify.answers import Answered
from scova.server.reading.health import Standing
from scova.server.reading.remembered import Remembered
from scova.server.tenants.asked import Asked
from scova.stores.layout import inode_of
from scova.types import Answer, Census, Finding, Freshness, Query, Tally
from scova.watch.state import watcher_of

if TYPE_CHECKING:
    from scova.answers import Matches
    from scova.search.regex.grep import Asked as Pattern
    from scova.search.regex.grep import Tell
    from scova.search.view import View

_NOTHING = Standing(Tally(0, 0, 0, 0, {}, {}, ""), [], Freshness(0, 0, 0, {}), 0, {}, asdict(Metrics()))


class LocalFolder(Index, Asked):
    """The folder that the page was opened on."""

    waiting: int = 0  # files that are known not to be in the index yet, as whoever keeps it fresh said last

    def named(self, project_id: str) -> Self:
        """The same under the name that the page knows it by. There is an empty store from now on, if there was none."""
        self.project_id = project_id
        self.address = stored(self.root)  # what jobs know it by, whoever began them
        keeping.prepare(self.layout, self.root, self.config)
        self._opened(create=True)
        return self

    @property
    def job_options(self) -> dict[str, object]:
        """Where its index lies, if that was chosen."""
        return {"data": stored(self.layout.root)} if self.config.data else {}

    @property
    def sources(self) -> Manifest:
        """None: it is a folder."""
        return Manifest(self.project_id, "")

    def standing(self) -> Standing:
        """How it stands, and who keeps it fresh."""
        watcher = watcher_of(self.layout)
        pending = watcher.queue if watcher is not None else self._changed.get(self._look)
        found = super().standing()
        return replace(found, freshness=found.freshness._replace(pending_files=pending), watcher=watcher)

    def search(self, query: str | Query, **options: object) -> Answer:
        """The answer to a question; as every answer here, it tells of what is not in the index yet."""
        return self._told(super().search(query, **options))

    def similar(self, request: Request) -> Answer:
        """Chunks nearest in meaning."""
        return self._told(super().similar(request))

    def grep(
        self, asked: "Pattern | str | Sequence[str]", *, tell: "Tell | None" = None, **options: object
    ) -> "Matches":
        """Every match of a pattern."""
        return self._told(super().grep(asked, tell=tell, **options))

    def _ask(self, question: "Callable[[View], Answered]") -> Answered:
        return self._told(super()._ask(question))

    def _told(self, found: Answered) -> Answered:
        freshness = found.freshness
        return replace(found, freshness=freshness._replace(pending_files=max(freshness.pending_files, self.waiting)))

    def _look(self) -> int:
        """How many files differ from the index: all of them are looked at."""
        found = self.pending_files()
        self._pending = ()  # whoever brings it in need not be this process, and answers would tell of it for ever
        return found

    @cached_property
    def _changed(self) -> Remembered[int]:
        return Remembered()


class LocalProject(Library, Asked):
    """A named project. Before its first build there is nothing in it."""

    @classmethod
    def of(cls, name: str) -> Self:
        """The project of this name; UsageError when there is none."""
        project = cls.open(name)
        project.project_id = name
        project.address = stored(project.place.root)
        project._inode = inode_of(project.layout.store_db)
        return project

    _inode: int = 0

    @property
    def is_replaced(self) -> bool:
        """Whether another index lies in its place than the one that was opened."""
        return self._store is not None and inode_of(self.layout.store_db) != self._inode

    @property
    def sources(self) -> Manifest:
        """What it is built from."""
        return self.manifest

    @property
    def size(self) -> tuple[int, int, int]:
        """How many files and chunks there are, and at which change."""
        return super().size if self.indexed else (0, 0, 0)

    def standing(self) -> Standing:
        """How it stands."""
        return super().standing() if self.indexed else _NOTHING

    def census(self) -> Census:
        """What there is, looked at closely."""
        return super().census() if self.indexed else Census({}, ())

    def tidy(self) -> None:
        """Bring what is derived up to date with the store."""
        from scova.build.build import Build

        self._opened()  # says so where nothing was built: what a build works with would be made
        with self.writing():
            Build(self.tools(), known={}).tidy()

    def audit(self) -> list[Finding]:
        """Everything in any part of the index that does not agree with the rest."""
        from scova.build.inspect import inspect

        store = self._opened()
        with self.writing():
            return inspect(store, self.layout, self._cache, self.embedder)
