"""ChunkFolder: a folder of chunk files that is served as it is, by a ChunkManager of its own. No index, no database.

    folder = ChunkFolder("chunks")
    folder.reload()                    reads the files, once however many searchers there are
    folder.manager.current             the chunks, as one immutable set
    if folder.changed(): …             tells by a stat per file whether another reload is due

A damaged file is an error that names it, and the set that was current stays so. A chunk that is the same in two readings keeps
its row, so what changed between them is exact and small. Who notices that files change is somebody else (`scova.watch.folders`).
"""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from scova.chunks.exchange import names
from scova.chunks.exchange.listing import read_chunks
from scova.chunks.listed import ListedReader
from scova.chunks.manager import ChunkManager
from scova.errors import ExchangeError, NotAFolder
from scova.types import CLOCK_GRAIN_NS, Changes, Chunk, Row

Look = tuple[int, int, int, int]  # inode, size, and when content and anything else last changed


class ChunkFolder:
    """The chunks of one folder, whenever it is asked for them. Threads may share it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.manager = ChunkManager(self._reader)
        self.reads = 0  # how often the files were read from beginning to end
        self._store_id = uuid4().hex
        self._looks: Mapping[str, Look] | None = None  # of the last reading, from before it began
        self._chunks: dict[str, Chunk] = {}
        self._change_seq = 0
        self._last_row = 0
        self._reloading = threading.Lock()

    def changed(self) -> bool:
        """Whether the files may say something else than when they were last read. A file that was damaged then, and has not been
        touched since, is no reason to read it again."""
        looks = self._looks
        return looks is None or looks != _looks(self.path)

    def reload(self) -> Changes:
        """Read the files and make what they say the current set; tells what is different.

        Raises ExchangeError, naming the file, or NotAFolder; then the current set stays.
        """
        with (
            self._reloading
        ):  # else who read first may be the last to swap, and nothing would tell that it is to be read again
            chunk_set = self.manager.load()
            changes = self.manager.detect_changes(chunk_set)
            self.manager.update(chunk_set, time.time())
            return changes

    def _reader(self) -> ListedReader:
        """What the files say now. The manager lets only one thread in at a time."""
        looks = _looks(self.path)  # before reading, so that nothing written meanwhile is missed
        try:
            arrived = read_chunks(self.path, self._chunks)
        except (ExchangeError, NotAFolder):
            self._looks = looks
            raise
        self.reads += 1
        chunks = {str(chunk.id): chunk for chunk in self._numbered(arrived)}
        if chunks.keys() != self._chunks.keys() or any(
            self._chunks[name] is not chunk for name, chunk in chunks.items()
        ):
            self._change_seq += 1
        self._chunks, self._looks = chunks, looks
        return ListedReader(chunks.values(), self._change_seq, self._store_id)

    def _numbered(self, arrived: list[Chunk]) -> Iterator[Chunk]:
        """The chunks with their rows: those of the reading before for what is as it was, new ones for the rest."""
        for chunk in arrived:
            known = self._chunks.get(chunk.id)
            if known is not None and (chunk is known or replace(chunk, change_seq=known.change_seq) == known):
                yield known
            else:
                self._last_row += 1
                yield replace(chunk, row=Row(self._last_row), change_seq=self._change_seq + 1)


def _looks(folder: Path) -> dict[str, Look] | None:
    """What a stat tells of each file there is; None while one is so young that it may yet change without showing it."""
    found: dict[str, Look] = {}
    now = time.time_ns()
    for name in sorted(names.ALL):
        try:
            status = (folder / name).stat()
        except OSError:
            continue
        found[name] = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if abs(now - status.st_ctime_ns) < CLOCK_GRAIN_NS:
            return None
    return found
