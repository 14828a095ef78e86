"""Where things lie in a server's data folder.

    tenants/ID/         one project: an index (stores/layout.py) and the vectors of what was pushed to it
    tenants/.new-*      a project that is being made; .gone-* one that is being removed; .lock is held while one gets its place
    tokens.json         who may do what; .tokens.lock is held while it is replaced
    jobs.db             background jobs
    cache/              derived files, where everything else is in a database (housing/database.py); may be deleted at any time

Knows names, and which names a project may have; not what is in any of them.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from scova.errors import UsageError
from scova.stores.layout import Layout

PROJECT_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
_PROJECT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class ServerLayout:
    """The names inside one server's data folder."""

    root: Path

    @property
    def tenants(self) -> Path:
        return self.root / "tenants"

    @property
    def tenants_lock(self) -> Path:
        return self.tenants / ".lock"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    @property
    def tokens(self) -> Path:
        return self.root / "tokens.json"

    @property
    def tokens_lock(self) -> Path:
        return self.root / ".tokens.lock"

    def tenant(self, project_id: str) -> Layout:
        """The index of one project; UsageError for what cannot be the name of one."""
        return Layout(self.tenants / checked_id(project_id))


def checked_id(project_id: str) -> str:
    """The name of a project, if it can be one."""
    if not _PROJECT_ID.fullmatch(project_id):
        raise UsageError(
            f"`{project_id[:80]}` cannot be the id of a project",
            "use 1 to 64 letters, digits, `.`, `_` or `-`, the first a letter or digit",
        )
    return project_id
