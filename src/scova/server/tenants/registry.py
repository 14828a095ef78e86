"""Which projects there are on a server; each is opened when it is first asked for, and closed when many others were since.

A project is made and removed by renaming its folder, so that it is there whole or not at all. Who works with one keeps it open: it is
closed when the last has gone. Other processes may serve the same folder.
"""

import secrets
import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scova.errors import IndexExists, IndexMissing
from scova.server.layout import ServerLayout
from scova.server.tenants.parser import Parser
from scova.server.tenants.tenant import Tenant
from scova.stores.layout import Layout
from scova.stores.sqlite import SqliteStore
from scova.whole import sync_folder

if TYPE_CHECKING:
    from scova.config import Config

MOST_OPEN = 32


class _Open:
    """A tenant, and how many work with it."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.users = 0
        self.is_out = False  # nobody gets it any more


class Tenants:
    """The projects of one data folder."""

    def __init__(self, place: ServerLayout, config: "Config", *, most_open: int = MOST_OPEN) -> None:
        self._place = place
        self._config = config
        self._most_open = most_open
        self._parser = Parser()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = threading.Lock()
        place.tenants.mkdir(parents=True, exist_ok=True)
        for left in place.tenants.glob(".gone-*"):  # by who was killed while removing it
            shutil.rmtree(left, ignore_errors=True)

    def names(self) -> list[str]:
        """Every project, in order."""
        return sorted(path.parent.name for path in self._place.tenants.glob("*/store.db") if path.parent.name[0] != ".")

    def create(self, project_id: str) -> None:
        """Make an empty project; IndexExists when there is one."""
        wanted = self._place.tenant(project_id).root
        if wanted.exists():
            raise _there(project_id)
        beside = self._place.tenants / f".new-{secrets.token_hex(8)}"
        beside.mkdir()
        try:
            SqliteStore.open(Layout(beside).store_db, project_id).close()
            beside.rename(wanted)
        except OSError as error:
            if wanted.exists():
                raise _there(project_id) from error
            raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        sync_folder(self._place.tenants)

    def remove(self, project_id: str) -> None:
        """Remove a project with all it holds, once whoever is writing to it has finished."""
        with self.lease(project_id) as tenant, tenant.held():
            aside = self._place.tenants / f".gone-{secrets.token_hex(8)}"
            tenant.layout.root.rename(aside)
            sync_folder(self._place.tenants)
            self._take_out(project_id)
        shutil.rmtree(aside, ignore_errors=True)

    @contextmanager
    def lease(self, project_id: str) -> Iterator[Tenant]:
        """A project to work with; IndexMissing when there is none of that name."""
        entry = self._taken(project_id)
        try:
            yield entry.tenant
        finally:
            with self._lock:
                entry.users -= 1
                closing = entry.is_out and not entry.users
            if closing:
                entry.tenant.close()

    def close(self) -> None:
        """Close every project nobody works with any more."""
        for project_id in list(self._open):
            self._take_out(project_id)
        self._parser.close()

    def _taken(self, project_id: str) -> _Open:
        layout = self._place.tenant(project_id)
        with self._lock:
            entry = self._open.get(project_id)
        if entry is not None and not entry.tenant.is_there:
            self._take_out(project_id)
        with self._lock:
            entry = self._open.get(project_id)
            if entry is None:
                if not layout.store_db.exists():
                    raise IndexMissing(f"there is no project `{project_id}`", "`POST /projects` makes it")
                entry = self._open[project_id] = _Open(Tenant(layout, self._config, self._parser))
            entry.users += 1
            self._open.move_to_end(project_id)
            idle = [name for name, other in self._open.items() if not other.users]
            too_many = idle[: max(0, len(self._open) - self._most_open)]
        for name in too_many:
            self._take_out(name)
        return entry

    def _take_out(self, project_id: str) -> None:
        with self._lock:
            entry = self._open.pop(project_id, None)
            if entry is None:
                return
            entry.is_out = True
            closing = not entry.users
        if closing:
            entry.tenant.close()


def _there(project_id: str) -> IndexExists:
    return IndexExists(f"there is a project `{project_id}` already", "use it, or choose another id")
