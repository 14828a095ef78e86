"""Builds of a server's projects, as whoever asks for one waits for it: begun there, looked at until it is over, stopped if it is not wanted.

What a build says and takes is the business of both ends; it is passed on as it is.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from scova.errors import Cancelled, PushError, ScovaError
from scova.push.address import project_name
from scova.push.pace import Patience
from scova.remote.afar import Afar

BRIEF = Patience(attempts=1, answered=1, seconds=1.0, total=1.0)  # for a list of tools, which nobody waits for
MOST_LOOKED_AT = 10  # projects

_LOOK_EVERY = 0.3  # seconds
_UNDER_WAY = ("queued", "running")

Told = Callable[[int, int, str], None]  # done, total, in words
Stop = Callable[[], bool]


class Builds:
    """Builds on one server."""

    def __init__(self, afar: Afar) -> None:
        self._afar = afar

    def exist(self) -> bool:
        """Whether there is a project with sources; not when the server does not say so at once."""
        deadline = time.monotonic() + 2 * BRIEF.total
        try:
            names = self._afar.get("/projects", patience=BRIEF).get("projects")
            for name in names[:MOST_LOOKED_AT] if isinstance(names, list) else ():
                if self._sources(str(name), BRIEF):
                    return True
                if time.monotonic() > deadline:
                    break
        except ScovaError:
            return False
        return False

    def sources(self, project_id: str) -> list[Mapping[str, Any]]:
        """The sources of a project."""
        return self._sources(project_id, None)

    def status(self, project_id: str) -> dict[str, Any]:
        """How a build stands, and what to do next."""
        return dict(self._afar.get(f"/projects/{project_name(project_id)}/build"))

    def build(self, project_id: str, options: Mapping[str, object], tell: Told, stop: Stop) -> dict[str, Any]:
        """One slice, waited for; Cancelled when it is not wanted any more: how far it came is kept there."""
        said = self._afar.post(f"/projects/{project_name(project_id)}/build", options)
        if "job_id" not in said:
            return dict(said)  # of a dry run, which is over at once
        while said.get("status") in _UNDER_WAY:
            route = f"/jobs/{said['job_id']}"
            if stop():
                self._afar.remove(route)
                raise Cancelled(
                    f"the build of `{project_id}` was stopped", "what it brought is kept; build again to go on"
                )
            time.sleep(_LOOK_EVERY)
            said = self._afar.get(route)
            done, total = (int(said.get(name) or 0) for name in ("files_processed", "files_total"))
            tell(done, total, f"{said.get('stage') or said.get('status')}: {said.get('chunks_processed') or 0} chunks")
        result = said.get("result")
        if said.get("status") not in ("done", "partial") or not isinstance(result, Mapping):
            raise PushError(
                f"the build of `{project_id}` is {said.get('status')}: {said.get('message') or 'without a word'}",
                "`project_build_status` tells how it stands",
            )
        return {name: value for name, value in result.items() if name != "failed"}

    def _sources(self, project_id: str, patience: Patience | None) -> list[Mapping[str, Any]]:
        found = self._afar.get(f"/projects/{project_name(project_id)}/sources", patience=patience).get("sources")
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
