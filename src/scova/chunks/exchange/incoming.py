"""A folder of exchange files, read: everything is checked when it is opened, and given file by file of the tree afterwards.

The files may be in any order. What is kept in memory is where each chunk stands and what it is called, some 300 bytes; its
text is read again when its turn comes.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scova.chunks.exchange import names
from scova.chunks.exchange.contents import Contents, Place, Where, in_order
from scova.chunks.exchange.graph import UNKNOWN_NS, file_of, head_of
from scova.chunks.exchange.names import Format
from scova.chunks.exchange.objects import Embedded, chunk_of, embedded_of, vector_of
from scova.chunks.exchange.opened import OpenedFolder
from scova.chunks.exchange.stream import damaged, decoded, lines, naming
from scova.chunks.exchange.values import Fields, Wrong
from scova.errors import ExchangeError
from scova.types import Chunk, ChunkType, Mark, Outline, ParsedFile


class Incoming(OpenedFolder):
    """What a folder holds. To be closed."""

    def __init__(self, folder: Path) -> None:
        """Opens and checks everything. An ExchangeError names the file, and where in it something is wrong."""
        super().__init__(folder)
        self._contents = Contents()
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    @property
    def project(self) -> str:
        """What the project of the chunks is called; empty where they do not say."""
        return self._contents.project

    @property
    def engine(self) -> int | None:
        """The version of the program that made the chunks; None where they do not say."""
        return self._contents.head.engine if self._contents.head else None

    @property
    def widths(self) -> dict[str, int]:
        """How many components the vectors of each model have."""
        return dict(self._contents.widths)

    def paths(self) -> list[str]:
        """Every file of the tree that the folder speaks of, in order."""
        return sorted(self._contents.by_path)

    def files(self) -> Iterator[ParsedFile]:
        """Every file of the tree with its chunks and what parsing learned of it, in the order of paths."""
        for path in self.paths():
            try:
                yield self._file(self._contents.by_path[path])
            except Wrong as wrong:
                raise ExchangeError(f"`{self.folder}` changed while it was read: {wrong}", "try again") from None

    def vectors(self) -> Iterator[tuple[Embedded, Where]]:
        """Every vector that belongs to one of the chunks, with where that chunk stands."""
        for where in self._contents.embedding:
            fields = Fields(self._value(where))
            if embedded := embedded_of(fields, chunk_of(fields)):
                yield embedded, where
        if file := self.sheets.get(names.VECTORS_LINES):
            for found in lines(file, self.folder / names.VECTORS_LINES):
                embedded = vector_of(Fields(found.value))
                if embedded.key in self._contents.keys:
                    yield embedded, self._contents.keys[embedded.key]

    def chunk(self, where: Where) -> Chunk:
        """The chunk that stands there."""
        return chunk_of(Fields(self._value(where)))

    # --- everything once, to check it and to note where it stands

    def _read(self) -> None:
        for name in self.chunk_files():
            self._read_chunks(name)
        graph = names.GRAPH_JSON if self.format is Format.JSON else names.GRAPH_LINES
        if graph in self.sheets:
            self._read_graph(graph)
        if names.VECTORS_LINES in self.sheets:
            self._read_vectors()
        self._contents.check(self.folder)

    def _read_chunks(self, name: str) -> None:
        path = self.folder / name
        with_keys = names.VECTORS_LINES in self.sheets
        for found in self.values(name, "chunks"):
            with naming(path, found, "chunk"):
                fields = Fields(found.value)
                chunk = chunk_of(fields, of_type=names.TYPE_OF.get(name))
                where = Where(name, found.start, found.size)
                self._contents.add(chunk, where)
                if embedded := embedded_of(fields, chunk):
                    self._contents.measure(embedded)
                    self._contents.embedding.append(where)
                if with_keys:
                    self._contents.keys.setdefault(chunk.embed_key, where)

    def _read_graph(self, name: str) -> None:
        path = self.folder / name
        head: dict[str, object] = {}
        for found in self.values(name, "files", head):
            with naming(path, found, "file"):
                self._contents.describe(file_of(Fields(found.value)), Where(name, found.start, found.size))
        try:
            self._contents.head = head_of(Fields(head))
        except Wrong as wrong:
            raise damaged(path, "what it says of itself", str(wrong)) from None

    def _read_vectors(self) -> None:
        path = self.folder / names.VECTORS_LINES
        for found in lines(self.sheets[names.VECTORS_LINES], path):
            with naming(path, found, "vector"):
                self._contents.measure(vector_of(Fields(found.value)))

    # --- and again, one file of the tree at a time

    def _value(self, where: Where) -> object:
        try:
            return decoded(os.pread(self.sheets[where.name].fileno(), where.size, where.start))
        except (OSError, ValueError):
            path = self.folder / where.name
            raise damaged(path, f"byte {where.start + 1}", "it changed while it was read") from None

    def _file(self, place: Place) -> ParsedFile:
        chunks = tuple(in_order([chunk_of(Fields(self._value(where))) for where in place.chunks]))
        if place.described:
            return replace(file_of(Fields(self._value(place.described))).file, chunks=chunks)
        texts = [chunk.text for chunk in chunks if chunk.chunk_type is not ChunkType.SYMBOLS]
        return ParsedFile(
            path=chunks[0].file_path,
            digest="",  # nobody said what the file holds: the next refresh reads it
            language=chunks[0].language,
            mark=Mark(sum(len(text.encode()) for text in texts), UNKNOWN_NS),
            chunks=chunks,
            outline=Outline(),
            generation=place.generation,
        )
