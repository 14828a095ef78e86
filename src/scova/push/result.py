"""What a push has done, as it is told to whoever asked for it. Knows nothing of how it was done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Failure(NamedTuple):
    """A file that the server does not have as it is here, and why."""

    path: str
    error: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What one push did. Counts are of files, unless they say otherwise."""

    project_id: str
    server: str
    files: int = 0  # in the folder, that can be indexed
    unchanged: int = 0  # that the server had already
    sent: int = 0  # that it has taken
    left_out: Mapping[str, int] = field(default_factory=dict)  # of the folder, that were not to be sent, by reason
    skipped: tuple[Failure, ...] = ()  # that it has left out, and why
    deleted: int = 0  # that are gone from the folder
    failed: tuple[Failure, ...] = ()
    ended_early: bool = False  # interrupted, or the server was not there any more; `message` says why
    left: int = 0  # that were not tried any more then, as far as it was known
    message: str = ""  # why it ended early, or what else is out of the ordinary
    created: bool = False  # whether the project was made
    dry_run: bool = False
    missing: tuple[str, ...] = ()  # in a dry run: what would be sent
    extra: tuple[str, ...] = ()  # in a dry run: what would be deleted
    bytes_sent: int = 0  # of contents, as they went over the wire
    requests: int = 0
    retries: int = 0
    change_seq: int = 0  # of the project, as last heard
    seconds: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether the server now has what the folder has."""
        return not self.failed and not self.ended_early

    @property
    def status(self) -> str:
        """The same in one word."""
        return "ok" if self.is_complete else "partial"
