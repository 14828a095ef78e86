"""What a folder holds, by path and hash: one pass over its files, which keeps no text.

A hash is the SHA-256 of the UTF-8 bytes of the text that would be sent, so that the server can check it. Files are chosen and read
exactly as `scova index` does it; one whose mark is remembered is not read again. Knows nothing of servers.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scova.index import Index
from scova.index.choosing import source_of
from scova.index.consent import require_consent
from scova.push.memory import Memory, Seen
from scova.push.result import Failure
from scova.sources.folder import FolderSource
from scova.types import Item, Skip

PART_BYTES = 4_000_000  # of one request with hashes; some 35,000 files

_BESIDE_PATH = 68  # bytes: the hash, two quotes, a colon and a comma

# Why a file is not sent although a reader would expect it: it may be there, so nothing is concluded from not having read it.
_NOT_HAD = frozenset(("unreadable", "name"))


@dataclass(slots=True)
class Manifest:
    """The files of a folder with their hashes, what could not be read, and how much is not to be."""

    hashes: dict[str, bytes] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    left_out: Counter[str] = field(
        default_factory=Counter
    )  # on purpose, by reason: files, and folders that were not looked into

    def may_hold(self, path: str) -> bool:
        """Whether this path may be in the folder: it is, or it lies where nothing could be read."""
        return path in self.hashes or any(path == one.path or path.startswith(f"{one.path}/") for one in self.failed)

    def parts(self) -> Iterator[list[str]]:
        """All paths in order, cut so that each part fits into one request."""
        part: list[str] = []
        size = 0
        for path in self.hashes:
            cost = len(encoded(path)) + _BESIDE_PATH
            if part and size + cost > PART_BYTES:
                yield part
                part, size = [], 0
            part.append(path)
            size += cost
        yield part

    def body(self, project: str, paths: Sequence[str]) -> bytes:
        """A request that names these files with their hashes."""
        files = {path: self.hashes[path].hex() for path in paths}
        return encoded({"project_id": project, "files": files, "prune": False})


def folder(path: Path, *, yes: bool = False) -> FolderSource:
    """The files of a folder, chosen as `scova index` chooses them, with the settings that hold there; FolderTooBroad, unless `yes`, for
    what is more than a project."""
    with Index.open(path) as index:
        require_consent(index, yes=yes)
        return source_of(index.root, index.config, index.layout.root)


def read_manifest(source: FolderSource, look: Callable[[int], None], memory: Memory | None = None) -> Manifest:
    """Hash everything; `look` is called after each file with how many there were, and may raise.

    With a memory, only what has another mark than it remembers is read, and it remembers that.
    """
    found = Manifest()
    known = memory.seen if memory else {}
    seen: dict[str, Seen] = {}
    left_out: list[Skip] = []
    for number, item in enumerate(source.items()):
        skip = item if isinstance(item, Skip) else None
        if not isinstance(item, Skip):
            before = known.get(item.path)
            one = before if before and before.is_of(item.mark) else _read(source, item)
            skip = one.skip
            if skip is None:
                found.hashes[item.path] = one.digest
            if memory is not None and (skip is None or skip.reason not in _NOT_HAD):
                seen[item.path] = one
        if skip is not None and skip.reason in _NOT_HAD:
            found.failed.append(Failure(skip.path, f"{skip.reason}: {skip.detail}", "make it readable, and push again"))
        elif skip is not None:
            found.left_out[skip.reason] += 1
        if skip is not None and memory is not None:
            left_out.append(skip)
        look(number + 1)
    if memory is not None:
        memory.seen, memory.left_out = seen, tuple(left_out)
    return found


def _read(source: FolderSource, item: Item) -> Seen:
    began = time.time_ns()
    read = source.read(item, keep_line_ends=True)
    if isinstance(read, Skip):
        return Seen(item.mark, began, skip=read)
    return Seen(item.mark, began, hashlib.sha256(read.text.encode("utf-8")).digest())


def encoded(value: object) -> bytes:
    """JSON as it is sent."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
