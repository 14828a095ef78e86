"""Which projects there are on a server; each is opened when it is first asked for, and closed when many others were since.

Who works with one keeps it open: it is closed when the last has gone. Other processes may serve the same projects.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scova.errors import IndexMissing, ScovaError, StoreAway
from scova.server.housing.house import House
from scova.server.tenants.parser import Parser
from scova.server.tenants.tenant import Tenant

if TYPE_CHECKING:
    from scova.config import Config

MOST_OPEN = 32

_log = logging.getLogger("scova.server")


class _Open:
    """A tenant, and how many work with it."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.users = 0
        self.is_out = False  # nobody gets it any more
        self.trouble = ""  # why its derived files do not follow


class Tenants:
    """The projects of one house."""

    def __init__(self, house: House, config: "Config", *, most_open: int = MOST_OPEN) -> None:
        self._house = house
        self._config = config
        self._most_open = most_open
        self._parser = Parser()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """Every project, in order."""
        return self._house.names()

    def create(self, project_id: str) -> None:
        """Make an empty project; IndexExists when there is one."""
        self._house.create(project_id)

    def remove(self, project_id: str) -> None:
        """Remove a project with all it holds, once whoever is writing to it has finished."""
        with self.lease(project_id) as tenant:
            tenant.remove()
            self._take_out(project_id)

    @contextmanager
    def lease(self, project_id: str) -> Iterator[Tenant]:
        """A project to work with; IndexMissing when there is none of that name."""
        entry = self._taken(project_id)
        try:
            yield entry.tenant
        finally:
            self._give_back(entry)

    def attend(self) -> None:
        """What is done from time to time in a house that others write to: derived files of open projects follow. What one of them meets
        is logged when it is something else than before, and the others go on."""
        with self._lock:
            entries = list(self._open.items())
        for project_id, entry in entries:
            with self._lock:
                if entry.is_out:
                    continue
                entry.users += 1
            try:
                entry.tenant.follow()
                entry.trouble = ""
            except IndexMissing:  # others have removed it
                self._take_out(project_id)
            except StoreAway:
                raise  # it is so for all of them
            except (ScovaError, OSError) as error:
                if str(error) != entry.trouble:
                    entry.trouble = str(error)
                    _log.warning("derived files of `%s` do not follow: %s", project_id, error)
            finally:
                self._give_back(entry)

    def close(self) -> None:
        """Close every project nobody works with any more."""
        for project_id in list(self._open):
            self._take_out(project_id)
        self._parser.close()

    def _taken(self, project_id: str) -> _Open:
        with self._lock:
            entry = self._open.get(project_id)
        if entry is not None and not entry.tenant.is_there:
            self._take_out(project_id)
            entry = None
        opened = Tenant(self._house.open(project_id), self._config, self._parser) if entry is None else None
        with self._lock:
            entry = self._open.get(project_id)
            if entry is None and opened is not None:
                entry, opened = _Open(opened), None
                self._open[project_id] = entry
            if entry is not None:
                entry.users += 1
                self._open.move_to_end(project_id)
            idle = [name for name, other in self._open.items() if not other.users]
            too_many = idle[: max(0, len(self._open) - self._most_open)]
        if opened is not None:
            opened.close()  # another thread was faster
        for name in too_many:
            self._take_out(name)
        return entry or self._taken(project_id)  # it was taken out meanwhile

    def _give_back(self, entry: _Open) -> None:
        with self._lock:
            entry.users -= 1
            closing = entry.is_out and not entry.users
        if closing:
            entry.tenant.close()

    def _take_out(self, project_id: str) -> None:
        with self._lock:
            entry = self._open.pop(project_id, None)
            if entry is None:
                return
            entry.is_out = True
            closing = not entry.users
        if closing:
            entry.tenant.close()
