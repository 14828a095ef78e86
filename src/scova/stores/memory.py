"""The Store as plain dictionaries: the fake for tests, and the shortest description of what a Store does.

A reader keeps the state of its moment, which no later `put` touches, since every change makes new dictionaries.
"""

import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self
from uuid import uuid4

from scova.filters import chunk_passes
from scova.stores.audit import compare_rows
from scova.stores.columns.ties import packed_ties, unpacked_ties
from scova.types import (
    Binding,
    Call,
    Chunk,
    Filters,
    Finding,
    IndexedFile,
    Light,
    Mark,
    Move,
    Outline,
    OutlinedFile,
    ParsedFile,
    Row,
    Skip,
    Symbol,
    Ties,
)


@dataclass(frozen=True, slots=True)
class _State:
    """Everything at one moment. `removed` holds row, id, and the changes between which the chunk was there."""

    files: Mapping[str, IndexedFile]
    parsed: Mapping[str, ParsedFile]
    chunks: Mapping[Row, Chunk]
    removed: tuple[tuple[Row, str, int, int], ...]
    change_seq: int
    last_row: int


class _Outlines:
    """What parsing learned, at one moment."""

    def __init__(self, state: _State) -> None:
        self._state = state

    def hold(self) -> bool:
        """It is in memory, and stays."""
        return True

    def release(self) -> None:
        """Nothing to let go of."""

    def symbols(self, name: str) -> list[tuple[str, Symbol]]:
        files = sorted(self._state.parsed.items())
        return [(path, s) for path, file in files for s in file.outline.symbols if _is_called(s, name)]

    def calls(self, name: str = "", *, path: str = "") -> list[tuple[str, Call]]:
        files = sorted(self._state.parsed.items())
        return [
            (where, call)
            for where, file in files
            for call in file.outline.calls
            if (where == path if path else call.name == name)
        ]

    def aliases(self, name: str) -> list[tuple[str, Binding]]:
        files = sorted(self._state.parsed.items())
        bindings = [(path, binding) for path, file in files for binding in file.outline.bindings]
        return [pair for pair in bindings if pair[1].how == "import" and pair[1].member == name != pair[1].name]

    def heirs(self, name: str) -> list[tuple[str, Symbol]]:
        files = sorted(self._state.parsed.items())
        symbols = [(path, symbol) for path, file in files for symbol in file.outline.symbols]
        return [pair for pair in symbols if any(_last_component(base) == name for base in pair[1].bases)]

    def outline(self, path: str) -> OutlinedFile | None:
        file = self._state.parsed.get(path)
        if file is None:
            return None
        lines = max((chunk.end_line for chunk in file.chunks), default=0)
        return OutlinedFile(path, file.language, lines, replace(file.outline, calls=(), has_errors=False))

    def ties(self, paths: Collection[str]) -> dict[str, Ties]:
        return {path: _ties(self._state.parsed[path].outline) for path in paths if path in self._state.parsed}

    def names(self) -> list[str]:
        return sorted({symbol.name for file in self._state.parsed.values() for symbol in file.outline.symbols})

    def files(self) -> dict[str, str]:
        return {path: file.language for path, file in sorted(self._state.parsed.items())}


def _ties(outline: Outline) -> Ties:
    defined, called = (one.name for one in outline.symbols), (one.name for one in outline.calls)
    return unpacked_ties(*packed_ties(defined, called, outline.bindings))


def _is_called(symbol: Symbol, name: str) -> bool:
    return name == symbol.name or f".{symbol.qualified}".endswith(f".{name}")


def _last_component(base: str) -> str:
    components = re.findall(r"[\w$]+", re.split(r"[<\[(]", base, maxsplit=1)[0])
    return str(components[-1]) if components else ""


class MemoryReader(_Outlines):
    """One moment of a MemoryStore."""

    def __init__(self, state: _State, store_id: str) -> None:
        super().__init__(state)
        self.store_id = store_id
        self.change_seq = state.change_seq

    def count(self) -> int:
        return len(self._state.chunks)

    def chunks(self, rows: Sequence[Row]) -> list[Chunk]:
        return [self._state.chunks[row] for row in rows if row in self._state.chunks]

    def first(self, rows: Sequence[Row], count: int) -> list[Row]:
        ordered = sorted(self.chunks(rows), key=lambda chunk: (chunk.file_path, chunk.start_line, chunk.row))
        return [chunk.row for chunk in ordered[:count]]

    def lights(self, rows: Sequence[Row]) -> list[Light]:
        return [chunk.light for chunk in self.chunks(rows)]

    def chunk_by_id(self, chunk_id: str) -> Chunk | None:
        return next((chunk for chunk in self._state.chunks.values() if chunk.id == chunk_id), None)

    def file(self, path: str) -> IndexedFile | None:
        return self._state.files.get(path)

    def chunks_of(self, path: str) -> list[Chunk]:
        found = [chunk for chunk in self._state.chunks.values() if chunk.file_path == path]
        return sorted(found, key=lambda chunk: chunk.ordinal)

    def rows(self, filters: Filters = Filters(), *, since: int = 0) -> list[Row]:  # noqa: B008 - a frozen value
        passes = chunk_passes(filters)
        return sorted(row for row, chunk in self._state.chunks.items() if chunk.change_seq > since and passes(chunk))

    def removed(self, since: int) -> list[tuple[Row, str]]:
        return sorted((row, chunk_id) for row, chunk_id, born, gone in self._state.removed if born <= since < gone)

    def close(self) -> None:
        """Nothing to let go of."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class MemoryStore:
    """Keeps everything until the process ends."""

    def __init__(self, project: str) -> None:
        self.project = project
        self._state = _State({}, {}, {}, (), 0, 0)
        self._skips: list[Skip] = []
        self._store_id = uuid4().hex

    def files(self) -> dict[str, IndexedFile]:
        return dict(self._state.files)

    def put(self, files: Sequence[ParsedFile], *, removed: Iterable[str] = (), moves: Iterable[Move] = ()) -> list[Row]:
        before, origins = self._state, {move.new_path: move.old_path for move in moves}
        written = {file.path: file for file in files}
        if len(written) != len(files):
            raise ValueError("a file can be put only once at a time")
        leaving = ({*removed, *origins.values()} | written.keys()) & before.files.keys()
        if not leaving and not written:
            return []
        seq, now = before.change_seq + 1, datetime.now(UTC).isoformat(timespec="milliseconds")
        old = [chunk for chunk in before.chunks.values() if chunk.file_path in leaving]
        made = [self._stored(chunk, old, origins.get(file.path, ""), now) for file in files for chunk in file.chunks]
        earlier = {path: before.files[path].generation if path in before.files else 0 for path in written}
        generations = {path: max(earlier[path] + 1, file.generation) for path, file in written.items()}
        rows = [Row(before.last_row + 1 + n) for n in range(len(made))]
        chunks = {row: chunk for row, chunk in before.chunks.items() if chunk.file_path not in leaving}
        for row, chunk in zip(rows, made, strict=True):
            chunks[row] = replace(chunk, row=row, change_seq=seq, generation=generations[chunk.file_path])
        indexed = {path: file for path, file in before.files.items() if path not in leaving}
        for path, file in written.items():
            indexed[path] = IndexedFile(path, file.digest, file.mark, generations[path], file.read_ns or time.time_ns())
        parsed = {path: file for path, file in before.parsed.items() if path not in leaving} | written
        log = (*before.removed, *((chunk.row, str(chunk.id), chunk.change_seq, seq) for chunk in old))
        self._state = _State(indexed, parsed, chunks, log, seq, before.last_row + len(rows))
        return rows

    def _stored(self, chunk: Chunk, old: Sequence[Chunk], origin: str, now: str) -> Chunk:
        """The chunk with the times it keeps: its own, or both when it moved or stayed the same, the first while its id lives."""
        if chunk.created_at and chunk.updated_at:
            return replace(chunk, project=self.project)
        for was in old:
            if was.file_path == origin and (was.ordinal, was.content_hash) == (chunk.ordinal, chunk.content_hash):
                return replace(chunk, project=self.project, created_at=was.created_at, updated_at=was.updated_at)
        known = next((was for was in old if was.id == chunk.id), None)
        unchanged = known is not None and known.content_hash == chunk.content_hash
        created, updated = known.created_at if known else now, known.updated_at if known and unchanged else now
        return replace(chunk, project=self.project, created_at=created, updated_at=updated)

    def touch(self, marks: Mapping[str, Mark], *, read_ns: int = 0) -> None:
        when, files = read_ns or time.time_ns(), self._state.files
        fresh = {
            path: files[path]._replace(mark=mark, indexed_ns=when) for path, mark in marks.items() if path in files
        }
        self._state = replace(self._state, files={**files, **fresh})

    def put_skips(self, skips: Iterable[Skip]) -> None:
        self._skips = list(skips)

    def skips(self) -> list[Skip]:
        return list(self._skips)

    def reader(self) -> MemoryReader:
        return MemoryReader(self._state, self._store_id)

    def audit(self) -> list[Finding]:
        held = [row for row, chunk in self._state.chunks.items() if chunk.file_path in self._state.files]
        return compare_rows("chunks", self._state.chunks.keys(), held)

    def repair(self) -> list[Finding]:
        return self.audit()

    def close(self) -> None:
        """Nothing to let go of."""
