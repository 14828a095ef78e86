"""Jobs, and who works at each."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from scova.types import Advance, Hold, Job


class JobLedger(Protocol):
    """Jobs, shared by processes: each call is one short transaction, and safe from any thread.

    Whoever works at a job holds it by a name of its own choosing, used once, and keeps it by beating. A hold that was not beaten
    for some seconds is open to others: its process is taken for dead, and finds the hold lost if it was not.
    """

    @property
    def folder(self) -> Path:
        """Where files about these jobs lie."""
        ...

    def submit(self, job: Job) -> Job:
        """Keep a new job; where one of the same kind, path and options is queued or running, that one is returned instead."""
        ...

    def get(self, job_id: str) -> Job | None: ...

    def list(self, limit: int, *, status: Collection[str] = (), project_id: str = "") -> Sequence[Job]:
        """The newest jobs first; only those in one of these states, and of this project, when given."""
        ...

    def claim(self, owner: str, kinds: Collection[str]) -> Job | None:
        """Hold the oldest job of these kinds that waits or whose hold has lapsed; None when there is none.

        A job that lost its process too often in a row is not given out again, but failed.
        """
        ...

    def beat(self, job_id: str, owner: str, advance: Advance | None = None) -> Hold:
        """Keep the hold for some more seconds, and say how far the job is."""
        ...

    def release(self, job_id: str, owner: str, message: str, *, pause_seconds: float = 0.0, begun: bool = True) -> None:
        """Give the job back to the queue, to be given out again after this pause; an attempt that was not `begun` does not count."""
        ...

    def finish(self, job: Job, owner: str) -> bool:
        """Keep how a job ended: its status, message and result; False when the hold was lost, and nothing is changed."""
        ...

    def cancel(self, job_id: str) -> Job | None:
        """Cancel a job: one nobody works at is cancelled at once, another when whoever holds it beats next."""
        ...

    def sync(self) -> None:
        """Make what was kept so far survive a power cut. The death of a process it survives at once."""
        ...

    def close(self) -> None:
        """Let go of what is open; the next call opens it again."""
        ...
