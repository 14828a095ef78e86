"""Everything in the data folder: each project a folder with a SQLite store, tokens and jobs a file each. Nothing to set up.

A project is made and removed by renaming its folder, so that it is there whole or not at all. Several processes may serve the same
folder; they see the same derived files, which only the holder of a project's lock writes.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from scova.core import own_folder
from scova.core.own_files import remove_own
from scova.errors import IndexState
from scova.lock import writer_lock
from scova.server.housing.house import folder_away, gone, taken
from scova.server.housing.tokenfile import TokenFile
from scova.server.layout import ServerLayout
from scova.stores.embeddings import EmbeddingCache
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import Layout, embeddings_db, inode_of, jobs_db
from scova.stores.names import INDEX
from scova.stores.sqlite import SqliteStore
from scova.whole import sync_folder

if TYPE_CHECKING:
    from scova.protocols import Embedder
    from scova.protocols.vectors import VectorIndex


_LOCK_SECONDS = 10.0


class FolderHome:
    """One project in a folder of its own."""

    def __init__(self, place: ServerLayout, project_id: str) -> None:
        self.project_id = project_id
        self.layout: Layout = place.tenant(project_id)
        self._place = place
        self._inode = inode_of(self.layout.store_db)
        if not self._inode:
            raise gone(project_id) if place.tenants.is_dir() else folder_away(place.tenants)
        self.store = SqliteStore.open(self.layout.store_db, project_id)
        # With its identity: another project may get its name, and so its folder.
        self.address = str(self.layout.root.resolve() / self.store.store_id)
        # Questions have a connection of their own: in one process they would wait for the transaction of whoever writes.
        self.asked = SqliteStore.open(self.layout.store_db, project_id)
        self.cache = EmbeddingCache(embeddings_db(self.layout.root))

    @property
    def is_there(self) -> bool:
        """Whether its folder still holds the store that was opened."""
        return inode_of(self.layout.store_db) == self._inode

    def vectors(self, url: str, embedder: "Embedder") -> "VectorIndex":
        """The index at this address that holds its vectors."""
        from scova.stores.vectors import open_vectors

        return open_vectors(url, store_id=self.store.store_id, model=embedder.model, width=embedder.width)

    @contextmanager
    def exclusive(self, *, wait_seconds: float) -> Iterator[None]:
        """Hold the lock in its folder."""
        with writer_lock(self.layout.lock, wait_seconds=wait_seconds):
            yield

    def building(self) -> nullcontext[None]:
        """Whoever builds it has this folder too."""
        return nullcontext()

    def remove(self) -> None:
        """Rename its folder, then delete it."""
        _put_away(self._place, self.layout)

    def close(self) -> None:
        """Let go of it."""
        self.asked.close()
        self.store.close()
        self.cache.close()


class FolderHouse:
    """The projects, tokens and jobs of one data folder."""

    is_shared = False

    def __init__(self, place: ServerLayout) -> None:
        self._place = place
        self.words = f"--data {place.root}"
        self.tokens = TokenFile(place, is_served=True)
        own_folder.make(place.tenants)
        for left in place.tenants.glob(".gone-*"):  # by who was killed while removing it
            remove_own(left, INDEX)

    @cached_property
    def jobs(self) -> SqliteJobs:
        """Jobs, in a file of their own."""
        return SqliteJobs(jobs_db(self._place.root), makes_folder=False)

    def names(self) -> list[str]:
        """Every project, in order."""
        try:
            with os.scandir(
                self._place.tenants
            ) as found:  # unlike a glob, it tells a folder that is not there from an empty one
                names = sorted(one.name for one in found if one.name[0] != ".")
        except OSError as error:
            raise folder_away(self._place.tenants) from error
        return [name for name in names if (self._place.tenants / name / "store.db").exists()]

    def create(self, project_id: str) -> None:
        """Make an empty project beside its place, and put it there."""
        wanted = self._place.tenant(project_id)
        if wanted.store_db.exists():
            raise taken(project_id)
        beside = self._place.tenants / f".new-{secrets.token_hex(8)}"
        try:
            beside.mkdir(0o700)
        except FileNotFoundError as error:
            raise folder_away(self._place.tenants) from error
        try:
            SqliteStore.open(Layout(beside).store_db, project_id).close()
            with writer_lock(self._place.tenants_lock, wait_seconds=_LOCK_SECONDS):
                if wanted.store_db.exists():
                    raise taken(project_id)
                # What is left there without a store is no project, and is in the way of this one.
                if not remove_own(wanted.root, INDEX):
                    raise IndexState(
                        f"the folder for `{project_id}` holds other files",
                        "choose another name, or another data folder",
                    )
                beside.rename(wanted.root)
                sync_folder(self._place.tenants)
        finally:
            remove_own(beside, INDEX)

    def open(self, project_id: str) -> FolderHome:
        """A project; IndexMissing when there is none of that name."""
        return FolderHome(self._place, project_id)

    def tidy(self) -> None:
        """Nothing here outlives the project it belongs to."""

    def close(self) -> None:
        """There is nothing to let go of."""


def _put_away(place: ServerLayout, project: Layout) -> None:
    """Rename the folder of a project, then delete it."""
    aside = place.tenants / f".gone-{secrets.token_hex(8)}"
    project.root.rename(aside)
    sync_folder(place.tenants)
    remove_own(aside, INDEX)
