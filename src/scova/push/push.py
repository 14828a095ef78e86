"""Makes a project on a server hold what a folder holds. The server's state is the checkpoint: nothing is remembered here.

    hash     one pass over the folder; no text is kept
    compare  which files does the server lack, and which does it have that are gone?
    send     what is missing, read again batch by batch
    delete   what is gone, in the end: so a renamed file is never missing in between

Where another has written to the project meanwhile, all of it is done once more: what they took away may be what was not sent.
Killed at any moment, the next push sends what was not acknowledged and nothing else.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scova.push.address import Address
from scova.push.batches import batches
from scova.push.comparing import Comparing, Difference
from scova.push.manifest import Manifest, encoded, folder, read_manifest
from scova.push.memory import Memory
from scova.push.pace import BRIEF, PATIENT, RATE, Interrupted, Patience, TokenBucket, pausing
from scova.push.result import Failure, Pushed
from scova.push.sending import FAILED, SKIPPED, Outcome, Sending, Stopped, unexpected
from scova.push.server import Server
from scova.sources.folder import FolderSource
from scova.types import Progress, Skip

MOST_DELETED = 1000  # paths in one request
ROUNDS = 2  # comparisons, where others write to the project at the same time

_GO_ON = "what the server acknowledged is kept; push again to go on"
_OVERTAKEN = "others are writing to the project; push again to be sure that it has what is here"

Tell = Callable[[Progress], None]
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class PushOptions:
    """How a push is done."""

    rate: float = RATE  # requests in a second
    create: bool = True  # make the project if it is not there
    dry_run: bool = False
    yes: bool = False  # though the folder is a home, a whole disk, or holds several repositories
    replaces: bool = True  # what a project holds that has nothing in common with the folder; else it is left alone
    patience: Patience = PATIENT
    alone: Patience = BRIEF  # for a file after a batch with it has failed


@dataclass(slots=True)
class _Tally:
    """What has been done so far."""

    files: int = 0
    unchanged: int = 0
    sent: int = 0
    deleted: int = 0
    left: int = 0
    ended_early: bool = False
    change_seq: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    skipped: list[Failure] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)


def _untold(progress: Progress) -> None:
    """The ear of a caller who does not want to know."""


def _never() -> bool:
    """The answer of a caller who does not stop."""
    return False


class Push:
    """One push of a folder into a project, to be run once."""

    def __init__(
        self,
        address: Address,
        project: str,
        options: PushOptions | None = None,
        *,
        tell: Tell | None = None,
        stop: Stop = _never,
    ) -> None:
        """Ends early, in good order, once `stop` is true."""
        self._options = options or PushOptions()
        self._project = project
        self._tell = tell or _untold
        self._pause = pausing(stop)
        bucket = TokenBucket(self._options.rate, self._pause)
        self._server = Server(address, bucket, patience=self._options.patience)
        self._comparing = Comparing(
            self._server,
            project,
            create=self._options.create,
            dry_run=self._options.dry_run,
            replaces=self._options.replaces,
        )
        self._sending = Sending(self._server, project, alone=self._options.alone)
        self._tally = _Tally()
        self._memory: Memory | None = None

    def run(self, path: Path, memory: Memory | None = None) -> Pushed:
        """Do it, and say what was done and what could not be. PushError when the server cannot be reached, or refuses everything.

        With a memory of earlier pushes of this folder to this project, only what is not known from them is read and asked.
        """
        self._memory = memory
        began = time.monotonic()
        message = ""
        with self._server:
            try:
                message = self._rounds(path)
            except Interrupted:
                self._tally.ended_early = True
                message = f"interrupted; {_GO_ON}"
            except Stopped as reason:
                self._tally.ended_early = True
                message = f"{reason}; {_GO_ON}"
        return self._pushed(message, time.monotonic() - began)

    def _rounds(self, path: Path) -> str:
        """Push until nobody has written meanwhile, or for as long as that helps; what there is to say of it."""
        for _ in range(ROUNDS):
            self._sending.is_overtaken = False
            self._steps(path)
            if not self._sending.is_overtaken:
                return ""
            if self._memory is not None:
                self._memory.doubt()
        return _OVERTAKEN

    def _steps(self, path: Path) -> None:
        tally = self._tally
        source = folder(path, yes=self._options.yes)
        manifest = read_manifest(source, self._hashed, self._memory)
        tally.files, tally.failed, tally.left_out = len(manifest.hashes), manifest.failed, manifest.left_out
        unread = len(manifest.failed)
        found = self._compared(manifest)
        refused = len(manifest.failed) - unread
        # What an earlier round has sent was not there before.
        tally.unchanged = max(0, tally.files - len(found.missing) - refused - tally.sent - len(tally.skipped))
        tally.change_seq = self._sending.change_seq = found.change_seq
        del manifest
        if self._options.dry_run:
            tally.missing, tally.extra, tally.left = found.missing, found.extra, 0
            return
        tally.left = len(found.missing) + len(found.extra)
        gone = self._send(source, found.missing)
        self._delete(sorted({*found.extra, *gone}))

    def _compared(self, manifest: Manifest) -> Difference:
        memory = self._memory
        if memory is None:
            return self._comparing.compare(manifest)
        found = self._comparing.remembered(manifest, memory)
        if found is None:
            found = self._comparing.compare(manifest)
            failed = {one.path for one in manifest.failed}
            memory.compared(manifest.hashes, missing={*found.missing, *failed}, extra=found.extra)
            memory.change_seq = found.change_seq
        return found

    def _hashed(self, number: int) -> None:
        self._pause(0.0)
        if number % 100 == 0:
            self._tell(Progress("hash", number, 0))

    def _send(self, source: FolderSource, paths: Sequence[str]) -> list[str]:
        """Send these files; returns those that have gone meanwhile, or are not to be indexed any more."""
        tally, gone = self._tally, list[str]()

        def left_out(skip: Skip) -> None:
            if skip.reason == "unreadable":
                self._note(
                    Outcome(skip.path, FAILED, f"{skip.reason}: {skip.detail}", "make it readable, and push again")
                )
            else:
                gone.append(skip.path)

        before = tally.left
        for batch in batches(source, paths, left_out):
            digests = {content.path: content.digest for content in batch}
            for outcome in self._sending.send(batch):
                self._note(outcome)
                self._remember(outcome, digests.get(outcome.path, b""))
            self._heard()
            self._tell(Progress("send", before - tally.left, len(paths)))
        return gone

    def _note(self, outcome: Outcome) -> None:
        tally = self._tally
        tally.left -= 1
        if outcome.status == FAILED:
            tally.failed.append(Failure(outcome.path, outcome.error, outcome.hint))
        elif outcome.status == SKIPPED:
            tally.skipped.append(Failure(outcome.path, outcome.error, outcome.hint))
        else:
            tally.sent += 1

    def _remember(self, outcome: Outcome, digest: bytes) -> None:
        if self._memory is not None and outcome.status == FAILED:
            self._memory.gave_up(outcome.path, digest)
        elif self._memory is not None:
            self._memory.took(outcome.path, digest)

    def _heard(self) -> None:
        """The server has told at which change the project is."""
        self._tally.change_seq = self._sending.change_seq
        if self._memory is not None:
            self._memory.change_seq = self._tally.change_seq

    def _delete(self, paths: Sequence[str]) -> None:
        tally = self._tally
        tally.left = len(paths)
        for start in range(0, len(paths), MOST_DELETED):
            part = paths[start : start + MOST_DELETED]
            reply = self._server.post("/delete", encoded({"project_id": self._project, "paths": part}))
            deleted = reply.body.get("deleted")
            if reply.is_busy or reply.is_fault:
                raise Stopped(f"{self._server.address.url} does not delete what is gone: {reply.said}")
            if not reply.is_ok or not isinstance(deleted, list):
                raise unexpected(self._server, reply)
            tally.deleted += len(deleted)
            tally.left -= len(part)
            self._sending.heard(reply)
            self._heard()
            if self._memory is not None:
                self._memory.dropped(part)
            self._tell(Progress("delete", start + len(part), len(paths)))

    def _pushed(self, message: str, seconds: float) -> Pushed:
        tally, server = self._tally, self._server
        if not message and self._comparing.is_absent:
            message = f"the project `{self._project}` is not there yet; it would be made"
        return Pushed(
            project_id=self._project,
            server=server.address.url,
            files=tally.files,
            unchanged=tally.unchanged,
            sent=tally.sent,
            left_out=dict(sorted(tally.left_out.items())),
            skipped=tuple(tally.skipped),
            deleted=tally.deleted,
            failed=tuple(tally.failed),
            ended_early=tally.ended_early,
            left=tally.left,
            message=message,
            created=self._comparing.created,
            dry_run=self._options.dry_run,
            missing=tuple(tally.missing),
            extra=tuple(tally.extra),
            bytes_sent=self._sending.bytes_sent,
            requests=server.requests,
            retries=server.retries,
            change_seq=tally.change_seq,
            seconds=seconds,
        )
