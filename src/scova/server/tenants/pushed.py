"""Pushed contents as a Source: what a request brought, judged by the same rules as the files of a folder.

A mark is made from the content itself, so that what was left out once is known again without being read, and a manifest of hashes is
enough to tell what is missing. Knows nothing of requests, and opens nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scova.build.memory import ReadSkip
from scova.parse.language import language_of
from scova.sources.content import Left, text_of
from scova.sources.names import file_reason, is_internal
from scova.sources.secrets import NO_SECRETS, SecretRules
from scova.types import Document, Item, Mark, Skip

_DIGITS = (
    15  # of a hash, in hexadecimal: a number below any time of the clock, so that a mark is never taken for a fresh one
)


def mark_of(digest: str, size: int) -> Mark:
    """The mark of content with this hash."""
    return Mark(size, changed_of(digest))


def changed_of(digest: str) -> int:
    """What of a mark follows from the hash alone."""
    return int(digest[:_DIGITS], 16)


def is_left_out_again(entry: ReadSkip, digest: str, *, max_file_bytes: int) -> bool:
    """Whether content with this hash is what was left out then, and would be now."""
    if entry.changed_ns == -changed_of(digest):
        return entry.size > max_file_bytes
    return entry.changed_ns == changed_of(digest)


def skip_by_name(path: str, secrets: SecretRules) -> Skip | None:
    """Why a file is left out whatever it holds; None when it is not. Which folders are worth sending is the client's business."""
    *folders, name = path.split("/")
    if any(map(is_internal, folders)):
        return Skip(path, "internal", "the bookkeeping of a tool, not part of the project")
    if words := secrets.by_name(path):
        return Skip(path, "secret", words.partition(";")[0])
    reason = file_reason(name)
    return Skip(path, reason.word, reason.detail.partition(";")[0]) if reason else None


@dataclass(frozen=True, slots=True)
class PushedSource:
    """The files of one request. Safe to send to another process."""

    contents: Mapping[str, bytes]
    digests: Mapping[str, str]
    max_file_bytes: int
    secrets: SecretRules = NO_SECRETS

    def items(self) -> Iterator[Item | Skip]:
        """Every file that was brought, and those left out by their names."""
        for path, data in sorted(self.contents.items()):
            yield skip_by_name(path, self.secrets) or Item(path, self._mark(path, len(data)))

    def _mark(self, path: str, size: int) -> Mark:
        """The mark of a file. One over the limit has another, so that it is read when it comes again under a higher one."""
        mark = mark_of(self.digests[path], size)
        return mark._replace(changed_ns=-mark.changed_ns) if size > self.max_file_bytes else mark

    def read(self, item: Item) -> Document | Skip:
        """The text of a file, or why it has none."""
        data = self.contents[item.path]
        if len(data) > self.max_file_bytes:
            return Skip(item.path, "too-large", f"{len(data):,} bytes; the limit is {self.max_file_bytes:,}")
        try:
            text = text_of(item.path, data, self.secrets)
        except Left as left:
            return Skip(item.path, left.reason, left.detail.partition(";")[0])
        language = language_of(item.path, text)
        return Document(item.path, text, self.digests[item.path], language, item.mark)


NOTHING = PushedSource({}, {}, 0)
