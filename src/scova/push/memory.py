"""What a process remembers of a folder that it keeps pushing: hashes by mark, and what the server has by its own word.

So a file that has not changed is neither read nor compared again, and a look at a folder in which nothing has changed asks nobody
anything. It is a memory, and no truth: whoever doubts it forgets, and compares again. Knows nothing of servers.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from scova.types import Mark, Skip, is_racy


class Seen(NamedTuple):
    """A file as it was read: the hash of its text, or why it is left out."""

    mark: Mark
    read_ns: int
    digest: bytes = b""
    skip: Skip | None = None

    def is_of(self, mark: Mark) -> bool:
        """Whether a file with this mark is still the one that was read."""
        return self.mark == mark and not is_racy(self.mark.changed_ns, self.read_ns)


@dataclass(slots=True)
class Memory:
    """Of one folder and one project."""

    seen: dict[str, Seen] = field(default_factory=dict)
    left_out: tuple[Skip, ...] = ()  # as of the last look
    held: dict[str, bytes] | None = None  # what the server has, by path and hash; None before it was asked
    refused: dict[str, bytes] = field(default_factory=dict)  # what it does not take, as it is
    change_seq: int = 0  # of the project, as last heard

    def compared(self, hashes: Mapping[str, bytes], *, missing: Collection[str], extra: Collection[str]) -> None:
        """The server has said which of these it lacks, and what it has beside them."""
        lacking = frozenset(missing)
        self.held = {path: digest for path, digest in hashes.items() if path not in lacking} | dict.fromkeys(extra, b"")
        self.refused = {}

    def took(self, path: str, digest: bytes) -> None:
        """The server has this now, or has left it out for good."""
        held = self.held  # once: whoever doubts it does so at any time
        if held is not None:
            held[path] = digest
        self.refused.pop(path, None)

    def gave_up(self, path: str, digest: bytes) -> None:
        """The server does not take this; it is not asked again before the file is another."""
        self.refused[path] = digest

    def dropped(self, paths: Collection[str]) -> None:
        """The server does not have these any more."""
        held = self.held or {}
        for path in paths:
            held.pop(path, None)

    def doubt(self) -> None:
        """Compare with the server again: another may have written to the project."""
        self.held = None
