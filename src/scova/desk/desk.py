"""Which projects the page of a user has: the folder it was opened on, first, and every named project. Kept fresh while the page is served.

The folder is watched as `scova watch` and agents watch it: of all processes that want to one does, and the others follow.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scova.config import cache_folder
from scova.core.path_text import stored
from scova.desk.places import LocalFolder, LocalProject
from scova.errors import ProjectError
from scova.live import Live
from scova.projects.catalog import Catalog
from scova.server.housing.house import gone, taken

if TYPE_CHECKING:
    from pathlib import Path

SETTLE_SECONDS = 0.2  # that a question waits for what was saved before it: people type, and ask again


class Desk:
    """The projects of one user. Safe from any thread."""

    def __init__(self, folder: LocalFolder) -> None:
        self._catalog = Catalog(cache_folder())
        self.home = _free_name(folder.root, self._catalog.names())
        self.folder = folder.named(self.home)
        self._projects: dict[str, LocalProject] = {}
        self._given_up: list[LocalProject] = []  # gone or replaced while someone still asks them
        self._users: Counter[LocalProject] = Counter()
        self._live: Live | None = None
        self._is_over = False
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The folder, then every named project in order."""
        return [self.home, *(name for name in self._catalog.names() if name != self.home)]

    def create(self, project_id: str) -> None:
        """Make a named project; IndexExists when there is one, or when the folder is called so."""
        if project_id == self.home or project_id in self._catalog:
            raise taken(project_id)
        self._catalog.create(project_id)

    def remove(self, project_id: str) -> None:
        """Remove a named project with all that was built of it. The folder cannot be: it is a user's own."""
        if project_id == self.home:
            raise ProjectError(
                f"`{project_id}` is a folder of yours", "`scova gc` removes indexes of folders that are gone"
            )
        if project_id not in self._catalog:
            raise gone(project_id)
        self._catalog.delete(project_id)
        with self._lock:
            self._give_up(project_id)

    @contextmanager
    def lease(self, project_id: str) -> Iterator[LocalFolder | LocalProject]:
        """A project to work with, as fresh as can be had in a moment; IndexMissing when there is none of that name."""
        if project_id != self.home:
            project = self._taken(project_id)
            try:
                yield project
            finally:
                self._give_back(project)
            return
        self.keep_fresh()
        if self._live is not None:
            self.folder.waiting = self._live.settle(min(SETTLE_SECONDS, self.folder.config.wait_ms / 1000))
        yield self.folder

    def keep_fresh(self) -> None:
        """Watch the folder, once it has been built: until then whoever builds it does all there is to do."""
        if self._live is None and self.folder.is_complete:
            with self._lock:
                if self._live is None and not self._is_over:
                    self._live = Live(self.folder).start()

    def start(self) -> None:
        """Begin to look after the folder."""
        self.keep_fresh()

    def stop(self) -> None:
        """Look after it no more."""
        with self._lock:
            live, self._is_over = self._live, True
        if live is not None:
            live.stop()

    def close(self) -> None:
        """Let go of everything."""
        self.stop()
        for project in (*self._projects.values(), *self._given_up):
            project.close()
        self.folder.close()

    def _taken(self, name: str) -> LocalProject:
        """A named project, with the sources it has now; whoever takes it gives it back."""
        with self._lock:
            if name not in self._catalog:
                self._give_up(name)
                raise gone(name)
            known = self._projects.get(name)
            if known is not None and known.is_replaced:
                self._give_up(name)
                known = None
            if known is None:
                known = self._projects[name] = LocalProject.of(name)
            elif known.manifest != (manifest := self._catalog.get(name)):
                known.manifest = manifest
            self._users[known] += 1
            return known

    def _give_back(self, project: LocalProject) -> None:
        with self._lock:
            self._users[project] -= 1
            is_last = not self._users[project]
            if is_last:
                del self._users[project]
            closing = is_last and project in self._given_up
            if closing:
                self._given_up.remove(project)
        if closing:
            project.close()

    def _give_up(self, name: str) -> None:
        """Nobody gets it any more; it is closed once nobody asks it. The lock is held."""
        if (project := self._projects.pop(name, None)) is None:
            return
        if self._users[project]:
            self._given_up.append(project)
        else:
            project.close()


def _free_name(root: "Path", names: list[str]) -> str:
    """What the page calls a folder: its name as far as a project may have it, and one that no named project has."""
    wanted = re.sub(r"[^A-Za-z0-9._-]+", "-", stored(root.name)).strip("-._")[:56] or "folder"
    taken_names = {name.casefold() for name in names}
    number, found = 1, wanted
    while found.casefold() in taken_names:
        number += 1
        found = f"{wanted}-{number}"
    return found
