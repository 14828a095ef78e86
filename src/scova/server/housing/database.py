"""Everything in one PostgreSQL database: projects, what was pushed to them, vectors, tokens, jobs. Any number of processes serve it.

Here is only what can be made again: derived files of each project, in the data folder of this process. Processes may share a data
folder; then they share these files, which only the holder of the lock beside them writes.

    DATA/cache/DATABASE/STORE_ID/     one project, as stores/layout.py has it
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scova.core import own_folder
from scova.core.own_files import remove_own
from scova.errors import IndexMissing
from scova.lock import writer_lock
from scova.server.housing.house import gone, taken
from scova.server.layout import ServerLayout, checked_id
from scova.stores.layout import Layout, seq_of
from scova.stores.names import INDEX
from scova.stores.postgres import (
    Connections,
    PostgresEmbeddings,
    PostgresJobs,
    PostgresStore,
    PostgresTokens,
    create_project,
    migrate,
    project_names,
    remove_project,
)
from scova.stores.postgres.catalog import store_ids

if TYPE_CHECKING:
    from scova.protocols import Embedder
    from scova.protocols.vectors import VectorIndex


class DatabaseHome:
    """One project of a database, and what is derived from it here."""

    def __init__(self, connections: Connections, project_id: str, folder: Path) -> None:
        self.project_id = project_id
        self._connections = connections
        try:
            self.store = PostgresStore.open("", project_id, connections=connections, create=False)
        except IndexMissing:
            raise gone(project_id) from None
        self.asked = self.store  # whoever reads has a connection of its own
        self.cache = PostgresEmbeddings(connections)
        self.address = f"/projects/{project_id}/{self.store.store_id}"
        self.layout = Layout(folder / self.store.store_id)
        own_folder.make(self.layout.root)
        self._drop_what_is_ahead()

    @property
    def is_there(self) -> bool:
        """Whether the database still has it."""
        try:
            self.store.pulse()
        except IndexMissing:
            return False
        return True

    def vectors(self, url: str, embedder: "Embedder") -> "VectorIndex":
        """The index at this address that holds its vectors; `pgvector:` is this very database."""
        from scova.stores.vectors import open_vectors

        store_id, model = self.store.store_id, embedder.model
        return open_vectors(url, store_id=store_id, model=model, width=embedder.width, connections=self._connections)

    @contextmanager
    def exclusive(self, *, wait_seconds: float) -> Iterator[None]:
        """Hold the lock in the folder, for the derived files, and then the one in the database."""
        deadline = time.monotonic() + wait_seconds
        own_folder.make(self.layout.root)  # a cache may be deleted at any time
        with writer_lock(self.layout.lock, wait_seconds=wait_seconds):
            left = max(0.0, deadline - time.monotonic())
            with self.store.exclusive(wait_seconds=left):
                yield

    def building(self) -> AbstractContextManager[None]:
        """Hold a second lock in the database."""
        return self.store.exclusive(purpose="sources")

    def remove(self) -> None:
        """Remove it from the database, in one step; then what is derived from it here."""
        if not remove_project(self._connections, self.project_id):
            raise gone(self.project_id)
        remove_own(self.layout.root, INDEX)

    def close(self) -> None:
        """Let go of it; connections are shared, and stay."""
        self.store.close()
        self.cache.close()

    def _drop_what_is_ahead(self) -> None:
        """Derived files of changes that the database does not know: it was put back from an older copy, and numbers mean other things."""
        # In this order: a file is named after a change that was committed before.
        files = [*self.layout.segments(), *self.layout.vectors(), *self.layout.grams()]
        newest = self.store.change_seq()
        if any((seq_of(path) or 0) > newest for path in files):
            with writer_lock(self.layout.lock, wait_seconds=0.0):
                self.layout.remove_derived()


class DatabaseHouse:
    """The projects, tokens and jobs of one database."""

    is_shared = True
    words = "--store URL"

    def __init__(self, url: str, place: ServerLayout) -> None:
        """IndexState when the database does not answer."""
        self._connections = Connections(url)
        try:
            migrate(self._connections)
            self.tokens = PostgresTokens(self._connections)
            self.jobs = PostgresJobs(self._connections, place.root)
            key = hashlib.sha256(self._connections.where.encode()).hexdigest()[:12]
            self._folder = place.cache / key
            self._clear_up()
        except BaseException:
            self._connections.close()
            raise

    def names(self) -> list[str]:
        """Every project, in order."""
        return project_names(self._connections)

    def create(self, project_id: str) -> None:
        """Make an empty project; IndexExists when there is one."""
        if not create_project(self._connections, checked_id(project_id)):
            raise taken(project_id)

    def open(self, project_id: str) -> DatabaseHome:
        """A project; IndexMissing when there is none of that name."""
        return DatabaseHome(self._connections, checked_id(project_id), self._folder)

    def tidy(self) -> None:
        """Forget vectors that nobody has needed for long, and what was derived from projects that others have removed."""
        self._clear_up()
        PostgresEmbeddings(self._connections).forget_unused()

    def close(self) -> None:
        """Let go of every connection."""
        self._connections.close()

    def _clear_up(self) -> None:
        """Remove what was derived from projects that others have removed since."""
        # In this order: whatever has a folder by now is in the database, unless it was removed.
        folders = list(self._folder.glob("*"))
        known = store_ids(self._connections)
        for folder in folders:
            if folder.name not in known:
                remove_own(folder, INDEX)
