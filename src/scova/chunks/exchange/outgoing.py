"""Exchange files, written: each whole beside its place, and all put in place together, when everything is on the disk.

One value a line, in the order they come, always with the same members in the same order: equal chunks give equal files, byte
for byte. Nothing is kept in memory. Until the last moment the files that were there before are not touched.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scova.chunks.exchange import names
from scova.chunks.exchange.graph import Head, file_object, head_object
from scova.chunks.exchange.names import Format
from scova.chunks.exchange.objects import Embedded, chunk_object, vector_object
from scova.chunks.exchange.turns import turn
from scova.errors import NotAFolder, UsageError
from scova.types import Chunk, ParsedFile
from scova.whole import Unfinished

_SHOWN = 3  # foreign files that are named


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    folder: str
    format: str
    files: int
    chunks: int
    symbols: int
    calls: int
    vectors: int
    bytes: int


def prepare(folder: Path) -> None:
    """Make the folder if there is none; it may hold nothing but exchange files, since those are replaced."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = names.foreign(folder)
    except (FileExistsError, NotADirectoryError):
        raise NotAFolder(f"`{folder}` is not a folder", "choose another one to write to") from None
    except OSError as error:
        raise UsageError(f"`{folder}` cannot be written: {error.strerror}", "choose another folder") from None
    if strangers:
        shown = ", ".join(f"`{name}`" for name in strangers[:_SHOWN]) + (" …" if len(strangers) > _SHOWN else "")
        raise UsageError(
            f"`{folder}` holds other files: {shown}", "choose an empty folder, or one of an earlier export"
        )


class Outgoing:
    """An export under way: nothing shows before `finish`, and closing it leaves nothing behind that was not finished."""

    def __init__(self, folder: Path, head: Head, *, form: Format, vectors: bool) -> None:
        """`folder` is prepared. With `vectors`, those that come with a file are written, too."""
        self._folder = folder
        self._form = form
        self._counts: Counter[str] = Counter()
        self._stack = ExitStack()
        self._sheets: dict[str, _Sheet] = {}
        try:
            self._begin(head, vectors=vectors)
        except BaseException:
            self._stack.close()
            raise

    def _begin(self, head: Head, *, vectors: bool) -> None:
        if self._form is Format.JSON:
            for name in names.CHUNKS_JSON.values():
                self._sheet(name, "chunks")
            self._graph = self._sheet(names.GRAPH_JSON, "files", head_object(head))
        else:
            self._sheet(names.CHUNKS_LINES)
            self._graph = self._sheet(names.GRAPH_LINES)
            self._graph.put(head_object(head))
            if vectors:
                self._sheet(names.VECTORS_LINES)

    def add(self, file: ParsedFile, vectors: Iterable[Embedded] = ()) -> None:
        """Write one file of the tree."""
        by_key = {embedded.key: embedded for embedded in vectors}
        for chunk in file.chunks:
            embedded = by_key.get(chunk.embed_key) if by_key else None
            self._put(chunk, embedded)
            self._counts["vectors"] += embedded is not None
        self._graph.put(file_object(file))
        symbols, calls = len(file.outline.symbols), len(file.outline.calls)
        self._counts.update(files=1, chunks=len(file.chunks), symbols=symbols, calls=calls)

    def finish(self) -> Exported:
        """Put everything in place; what an earlier export wrote and this one did not, goes."""
        size = sum(sheet.end() for sheet in self._sheets.values())
        with turn(self._folder, alone=True):
            for sheet in self._sheets.values():
                sheet.finish()
            for path in list(self._folder.iterdir()):
                if path.name in names.ALL - self._sheets.keys() or _is_abandoned(path.name):
                    path.unlink(missing_ok=True)
        counts = {name: self._counts[name] for name in ("files", "chunks", "symbols", "calls", "vectors")}
        return Exported(folder=str(self._folder), format=self._form.value, bytes=size, **counts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def _sheet(self, name: str, listed: str = "", head: Mapping[str, object] | None = None) -> "_Sheet":
        sheet = self._sheets[name] = _Sheet(self._folder / name, listed, head or {})
        self._stack.callback(sheet.discard)
        return sheet

    def _put(self, chunk: Chunk, embedded: Embedded | None) -> None:
        if self._form is Format.JSON:
            self._sheets[names.CHUNKS_JSON[chunk.chunk_type]].put(chunk_object(chunk, embedded))
            return
        self._sheets[names.CHUNKS_LINES].put(chunk_object(chunk))
        if embedded is not None:
            self._sheets[names.VECTORS_LINES].put(vector_object(chunk, embedded))


class _Sheet(Unfinished):
    """A file being written: one value a line, alone or as the elements of a list."""

    def __init__(self, path: Path, listed: str, head: Mapping[str, object]) -> None:
        super().__init__(path, private=False)
        self._listed = listed
        self._separator = b"\n"
        if listed:
            members = "".join(f"{_json(name)}:{_json(value)}," for name, value in head.items())
            self.file.write(f"{{{members}{_json(listed)}:[".encode())

    def put(self, value: object) -> None:
        """One value more."""
        data = _json(value).encode()
        if not self._listed:
            self.file.write(data + b"\n")
            return
        self.file.write(self._separator + data)
        self._separator = b",\n"

    def end(self) -> int:
        """Everything was written: bring it to the disk. Says how many bytes."""
        if self._listed:
            self.file.write(b"\n]}\n")
        self.sync()
        return self.file.tell()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_abandoned(name: str) -> bool:
    """Whether an export that is no longer running has left this behind."""
    if not names.is_leftover(name):
        return False
    try:
        os.kill(int(name.split(".")[-2]), 0)
    except (ProcessLookupError, ValueError):
        return True
    except PermissionError:
        return False
    return False
