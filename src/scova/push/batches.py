"""Contents on their way to a server: files are read again, one batch at a time, so that memory does not grow with the folder.

A file is sent as it is when it is read here, with the hash of that. Knows nothing of servers.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from scova.push.manifest import encoded
from scova.sources.folder import FolderSource
from scova.types import Item, Mark, Skip

MOST_FILES = 10
MOST_BYTES = 1_000_000  # of one request; a file that is larger goes alone

_ANY = Mark(0, 0)  # reading asks for none


class Content(NamedTuple):
    """One file, ready to be sent."""

    path: str
    body: bytes  # as JSON
    digest: bytes = b""


def read_content(source: FolderSource, path: str) -> Content | Skip:
    """A file as it is now, or why there is nothing to be sent."""
    read = source.read(Item(path, _ANY), keep_line_ends=True)  # a pattern means there what it means here
    if isinstance(read, Skip):
        return read
    digest = hashlib.sha256(read.text.encode("utf-8"))
    return Content(path, encoded({"path": path, "content": read.text, "hash": digest.hexdigest()}), digest.digest())


def batches(source: FolderSource, paths: Iterable[str], left_out: Callable[[Skip], None]) -> Iterator[list[Content]]:
    """These files, at most MOST_FILES and MOST_BYTES at a time; what cannot be sent any more is told to `left_out`."""
    batch: list[Content] = []
    size = 0
    for path in paths:
        content = read_content(source, path)
        if isinstance(content, Skip):
            left_out(content)
            continue
        if batch and (len(batch) >= MOST_FILES or size + len(content.body) > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(content)
        size += len(content.body) + 1
    if batch:
        yield batch


def request(project: str, batch: Sequence[Content]) -> bytes:
    """The request that brings a batch."""
    head = encoded({"project_id": project})[:-1]
    return head + b',"files":[' + b",".join(content.body for content in batch) + b"]}"
