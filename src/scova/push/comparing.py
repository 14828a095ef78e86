"""Finds out what a project on a server lacks of a folder, and what it has beside it; makes the project if it is not there.

The hashes go to /sync in parts that fit into a request, none of which deletes anything. Which files of a part are missing does not depend
on the other parts; what the server has beside *every* part is gone from the folder. So a folder of any size is compared soundly.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scova.errors import PushError, UsageError
from scova.push.manifest import Manifest, encoded
from scova.push.memory import Memory
from scova.push.result import Failure
from scova.push.sending import REFUSED, seq_of, unexpected
from scova.push.server import Reply, Server


@dataclass(frozen=True, slots=True)
class Difference:
    """What a server lacks, and what it has that is gone; both in order."""

    missing: list[str]
    extra: list[str]
    change_seq: int


class Comparing:
    """Compares one project. `created` tells whether it was made for that, `is_absent` that it is not there and was not made."""

    def __init__(
        self, server: Server, project: str, *, create: bool, dry_run: bool = False, replaces: bool = True
    ) -> None:
        """Unless it `replaces`, a project that has nothing in common with the folder is taken for another's."""
        self.created = False
        self.is_absent = False
        self._takes_requests = False
        self._server = server
        self._project = project
        self._create = create
        self._dry_run = dry_run
        self._replaces = replaces

    def compare(self, manifest: Manifest) -> Difference:
        """UsageError rather than a difference that would empty the project: it was most likely not meant."""
        lacking: set[str] = set()
        beside: set[str] | None = None
        change_seq: int | None = None  # as of the first part: what came in between is not denied
        for part in manifest.parts():
            for reply in self._asked(manifest, part):
                lacking.update(self._paths(reply, "missing"))
                extra = set(self._paths(reply, "extra"))
                beside = extra if beside is None else beside & extra
                change_seq = seq_of(reply) if change_seq is None else change_seq
        gone = self._checked(manifest, beside or ())
        # Only what was offered is ever sent, whatever the server asks for.
        missing = [path for path in manifest.hashes if path in lacking]
        if gone and len(missing) == len(manifest.hashes) and not self._replaces:
            raise UsageError(
                f"`{self._project}` on the server holds {len(gone):,} file{'s' * (len(gone) != 1)}, and none of them is in this folder; nothing was pushed",
                "name the project of this folder, or ask without pushing (--no-push); if the folder is to replace it, `scova push` it once",
            )
        return Difference(missing, gone, change_seq or 0)

    def remembered(self, manifest: Manifest, memory: Memory) -> Difference | None:
        """The same without asking, as far as nobody else has written to the project; None when another has."""
        held = memory.held
        if held is None:
            return None
        hashes, refused = manifest.hashes, memory.refused
        missing = [path for path, digest in hashes.items() if digest not in (held.get(path), refused.get(path))]
        gone = self._checked(manifest, held)
        if missing or gone:
            shown = self._server.get(f"/projects/{self._project}")
            if not shown.is_ok or seq_of(shown) != memory.change_seq:
                return None
        return Difference(missing, gone, memory.change_seq)

    def _checked(self, manifest: Manifest, beside: Iterable[str]) -> list[str]:
        """What the server has that is gone from here."""
        gone = sorted(path for path in beside if not manifest.may_hold(path))
        if gone and not manifest.hashes:
            raise UsageError(
                f"there is nothing to push here, but `{self._project}` on the server holds {len(gone):,} file{'s' * (len(gone) != 1)}; they are left there",
                "check the folder; a project that is to go is deleted on the server: DELETE /projects/ID",
            )
        return gone

    def _asked(self, manifest: Manifest, part: Sequence[str]) -> list[Reply]:
        """What the server says of a part; in halves where it is too large for it."""
        reply = self._server.post("/sync", manifest.body(self._project, part))
        if reply.status == 404 and self._is_made():
            reply = self._server.post("/sync", manifest.body(self._project, part))
        if reply.status in REFUSED and self._is_content_at_fault(reply, part):
            return self._halved(manifest, part, reply)
        if self.is_absent:
            return [Reply(200, {"missing": list(part), "extra": []}, "")]
        if not reply.is_ok:
            raise unexpected(self._server, reply)
        return [reply]

    def _is_content_at_fault(self, reply: Reply, part: Sequence[str]) -> bool:
        """Whether it is the files that are refused, and not the request for any of them; asked with a request for none."""
        if reply.status == 413 or not part or self._takes_requests:
            return bool(part)
        nothing = encoded({"project_id": self._project, "files": {}, "prune": False})
        answered = self._server.post("/sync", nothing)
        if answered.status == 404 and self._is_made():  # what is in a request is looked at before its project is
            answered = self._server.post("/sync", nothing)
        self._takes_requests = answered.is_ok or self.is_absent
        return self._takes_requests

    def _halved(self, manifest: Manifest, part: Sequence[str], reply: Reply) -> list[Reply]:
        if len(part) == 1:
            why = f"the server refuses it ({reply.status}): {reply.said}"
            manifest.failed.append(Failure(part[0], why, reply.hint))
            return []
        middle = len(part) // 2
        return self._asked(manifest, part[:middle]) + self._asked(manifest, part[middle:])

    def _is_made(self) -> bool:
        """Make the project, where that is wanted; PushError where it is not, and cannot be done without."""
        if self._dry_run and self._create:
            self.is_absent = True
            return False
        if not self._create:
            raise PushError(
                f"there is no project `{self._project}` on {self._server.address.url}",
                "leave out --no-create to have it made, or check the name",
            )
        reply = self._server.post("/projects", encoded({"project_id": self._project}))
        if not reply.is_ok and reply.status != 409:  # another may just have made it
            raise unexpected(self._server, reply)
        self.created = self.created or reply.is_ok
        return True

    def _paths(self, reply: Reply, name: str) -> list[str]:
        found = reply.body.get(name)
        if not isinstance(found, list) or not all(isinstance(path, str) for path in found):
            raise unexpected(self._server, reply)
        return found
