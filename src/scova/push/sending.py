"""Sends batches, and finds out what became of every single file in them.

A batch that is refused for its size goes in halves; one at which the server fails goes file by file, so that one bad file costs only
itself; a file that the server reports as failed is tried once more, alone. When it is not the content that is at fault (the server is
gone, or too busy for too long, or fails at everything), Stopped is raised: going on would only take longer.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scova.errors import PushError
from scova.push.batches import Content, request
from scova.push.pace import Patience
from scova.push.server import SILENT, Reply, Server

INDEXED, UNCHANGED, SKIPPED, FAILED = "indexed", "unchanged", "skipped", "failed"

HOPELESS = 3  # so many batches in a row at which the server failed, every file of them: it is not the files

FULL = 507  # whatever is sent: there is no room for it

REFUSED = (400, 413, 422)  # for what is in the request


class Stopped(Exception):
    """There is no point in going on now. Says why, in words."""


class Outcome(NamedTuple):
    """What became of one file."""

    path: str
    status: str
    error: str = ""
    hint: str = ""
    is_fault: bool = False  # the server failed at it, without a word about the file


class Sending:
    """Brings contents to one project. `change_seq` and `bytes_sent` are as of the last request that was answered; `is_overtaken` tells
    whether another has written to the project since the change that was set before the first."""

    def __init__(self, server: Server, project: str, *, alone: Patience) -> None:
        """`alone` is how much is done for a file after a batch with it has failed."""
        self.change_seq = 0
        self.is_overtaken = False
        self.bytes_sent = 0
        self._server = server
        self._project = project
        self._alone = alone
        self._faults = 0

    def send(self, batch: Sequence[Content]) -> Iterator[Outcome]:
        """What became of each file, as soon as it is known.

        Stopped when the rest is better left for later, PushError when all of it would be refused.
        """
        faults, said = 0, ""
        for outcome in self._sent(batch, self._server.patience):
            faults, said = faults + outcome.is_fault, outcome.error
            yield outcome
        self._faults = self._faults + 1 if faults == len(batch) else 0
        if self._faults >= HOPELESS:
            raise Stopped(f"the server failed at everything lately ({said})")

    def heard(self, reply: Reply) -> None:
        """Take in between which changes something was done."""
        before = reply.body.get("change_seq_before")  # nothing, where the server is older than this
        if isinstance(before, int) and before != self.change_seq:
            self.is_overtaken = True
        self.change_seq = seq_of(reply) or self.change_seq

    def _sent(self, batch: Sequence[Content], patience: Patience, *, is_last: bool = False) -> Iterator[Outcome]:
        reply = self._server.post("/index", request(self._project, batch), patience=patience)
        results = self._results(batch, reply)
        if results is not None:
            self.bytes_sent += sum(len(content.body) for content in batch)
            self.heard(reply)
            yield from self._tried_again(batch, results, is_last=is_last)
        elif reply.status in REFUSED:
            yield from self._halved(batch, reply)
        else:
            self._check(reply)
            yield from self._one_by_one(batch, reply)

    def _tried_again(
        self, batch: Sequence[Content], results: dict[str, Outcome], *, is_last: bool
    ) -> Iterator[Outcome]:
        for content in batch:
            outcome = results.get(content.path) or Outcome(
                content.path, FAILED, "the server said nothing about it", "push again"
            )
            if outcome.status == FAILED and not is_last:
                yield from self._sent([content], self._alone, is_last=True)
            else:
                yield outcome

    def _results(self, batch: Sequence[Content], reply: Reply) -> dict[str, Outcome] | None:
        """What the server says of each file; None when it says nothing about files."""
        listed = reply.body.get("results")
        if not isinstance(listed, list):
            return None
        found: dict[str, Outcome] = {}
        ours = {content.path for content in batch}
        for number, one in enumerate(listed):
            if isinstance(one, dict) and one.get("status") in (INDEXED, UNCHANGED, SKIPPED, FAILED):
                path = str(one.get("path"))
                if path not in ours and len(listed) == len(batch):
                    path = batch[number].path  # a name that is too long, or no name, is not told as it is
                error, hint = (self._server.words(one.get(name) or "") for name in ("error", "hint"))
                found.setdefault(path, Outcome(path, one["status"], error, hint))
        return found

    def _halved(self, batch: Sequence[Content], reply: Reply) -> Iterator[Outcome]:
        if len(batch) == 1:
            yield Outcome(batch[0].path, FAILED, *_why(reply, len(batch[0].body)))
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            yield from self._sent(half, self._alone)

    def _check(self, reply: Reply) -> None:
        """Stop where the content cannot be the reason."""
        url = self._server.address.url
        if reply.is_busy:
            asked = f", and asks to wait {reply.wait:,.0f} s" if reply.wait else ""
            raise Stopped(f"{url} is too busy ({reply.status}){asked}: {reply.said}")
        if reply.status == FULL:
            raise Stopped(f"{url} takes no more ({reply.status}): {reply.said}")
        if reply.status == SILENT and not self._server.is_there():
            raise Stopped(f"{url} {reply.said}")
        if not reply.is_fault:
            raise unexpected(self._server, reply)

    def _one_by_one(self, batch: Sequence[Content], reply: Reply) -> Iterator[Outcome]:
        if len(batch) == 1:
            said = f"the server failed at it ({reply.status})" if reply.status else "the server"
            yield Outcome(batch[0].path, FAILED, f"{said} {reply.said}".strip(), "see the server's log", is_fault=True)
            return
        for content in batch:
            yield from self._sent([content], self._alone)


def unexpected(server: Server, reply: Reply) -> PushError:
    """A reply that nobody can make sense of, or that ends everything."""
    url = server.address.url
    if reply.status == 404:
        return PushError(f"{url} does not know the project any more: {reply.said}", reply.hint or "push again")
    if reply.is_busy or reply.is_fault:
        what = f"failed ({reply.status}): {reply.said}" if reply.status else reply.said
        if reply.status == FULL:
            return PushError(f"{url} {what}", reply.hint or "have room made there, and push again")
        return PushError(f"{url} {what}", "see that the server is running, and try again")
    return PushError(
        f"{url} answered {reply.status} with something else than expected: {reply.said}",
        reply.hint or "see that it is a scova server, of a version that knows this request",
    )


def seq_of(reply: Reply) -> int:
    """The change sequence that a reply tells; 0 when it tells none."""
    seq = reply.body.get("change_seq")
    return seq if isinstance(seq, int) else 0


def _why(reply: Reply, size: int) -> tuple[str, str]:
    """Why the server refuses a single file, and what to do."""
    if reply.status == 413:
        hint = "raise `serve_max_body_bytes` on the server, or leave the file out with `.scovaignore`"
        return f"larger than the server takes ({size:,} bytes as JSON)", hint
    return f"the server refuses it ({reply.status}): {reply.said}", reply.hint
