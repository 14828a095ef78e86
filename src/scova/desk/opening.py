"""A server over what a user has: the only place where the desk and the HTTP side are put together."""

from collections.abc import Sequence
from pathlib import Path

from scova.config import cache_folder
from scova.desk.desk import Desk
from scova.desk.places import LocalFolder
from scova.desk.works import DeskWorks, runners
from scova.errors import UsageError
from scova.index.consent import require_consent
from scova.server.hall import Hall
from scova.server.layout import ServerLayout
from scova.server.limits import Limits
from scova.server.premises.parts import Parts
from scova.server.tokens import Tokens
from scova.stores.jobs import SqliteJobs
from scova.stores.layout import jobs_db
from scova.types import KeptToken

PAGE_SECONDS = 2.0  # for a question of the page, unless the setting says otherwise: someone looks at it


class _Nobody:
    """No tokens: whoever is on this machine is let in, and no page but the server's own (middleware/guard.py)."""

    def version(self) -> int:
        """It never changes."""
        return 0

    def all(self) -> Sequence[KeptToken]:
        """None."""
        return ()

    def add(self, token: KeptToken) -> None:
        """There are none here."""
        raise UsageError("`scova ui` has no tokens", "`scova serve` has them")

    def revoke(self, token_id: str, when: str) -> bool:
        """There is none to revoke."""
        return False


def opened(path: str | Path, *, data: str | None = None) -> Hall:
    """A server over the index of this folder, wherever it lies, and the user's named projects. A first build is begun if there was none;
    NotAFolder when there is no such folder."""
    folder = LocalFolder.open(path, data=data)
    require_consent(folder)
    desk = Desk(folder)
    config = desk.folder.config
    parts = Parts(
        tenants=desk,
        tokens=Tokens(_Nobody()),
        jobs=SqliteJobs(jobs_db(cache_folder())),
        runners=runners(desk),
        works=DeskWorks(),
        words="",
        close=lambda: None,
        upkeep=desk,
        home=desk.home,
    )
    # One person types, and a page asks for several things at once: nobody is to be held back.
    seconds = config.deadline_ms / 1000 or PAGE_SECONDS
    limits = Limits(config.serve_max_body_bytes, rate=0, question_seconds=seconds)
    hall = Hall(ServerLayout(cache_folder()), config, limits, parts=parts)
    if not desk.folder.is_complete:
        hall.jobs.submit("index", desk.folder.address, options=desk.folder.job_options)
    return hall
