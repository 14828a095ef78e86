"""What a folder of exchange files holds: where each chunk stands, and whether everything fits together.

Keeps places and names, never texts. Knows no file and no JSON.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from scova.chunks.exchange.graph import Described, Head
from scova.chunks.exchange.objects import NO_ORDINAL, Embedded
from scova.chunks.exchange.values import Wrong
from scova.errors import ExchangeError
from scova.types import Chunk


class Where(NamedTuple):
    """A value in a file: the file's name, the first byte, how many."""

    name: str
    start: int
    size: int


@dataclass(slots=True)
class Place:
    """A file of the tree: where its chunks stand, and what parsing learned of it."""

    generation: int
    chunks: list[Where] = field(default_factory=list)
    ordinals: list[int] = field(default_factory=list)
    described: Where | None = None


@dataclass(slots=True)
class Contents:
    """Everything found so far."""

    by_path: dict[str, Place] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    keys: dict[bytes, Where] = field(
        default_factory=dict
    )  # chunks by the hash of what is embedded, where vectors need it
    embedding: list[Where] = field(default_factory=list)  # chunks with a vector inside
    widths: dict[str, int] = field(default_factory=dict)  # of the vectors of each model
    project: str = ""
    head: Head | None = None  # of the graph; None where there is none

    def add(self, chunk: Chunk, where: Where) -> None:
        """Take a chunk in. Wrong if it cannot be there together with those before."""
        if chunk.id in self.ids:
            raise Wrong(f"id `{chunk.id[:80]}` is that of another chunk, too")
        if chunk.project and self.project and chunk.project != self.project:
            raise Wrong(
                f"project is `{chunk.project[:80]}`, and `{self.project[:80]}` before; one index holds one project"
            )
        place = self.by_path.setdefault(chunk.file_path, Place(chunk.generation))
        if chunk.generation != place.generation:
            raise Wrong(f"generation is {chunk.generation}, and {place.generation} in another chunk of its file")
        self.project = self.project or chunk.project
        self.ids.add(chunk.id)
        place.chunks.append(where)
        place.ordinals.append(chunk.ordinal)

    def describe(self, described: Described, where: Where) -> None:
        """Take in what parsing learned of a file. Wrong if that was known, or speaks of another generation."""
        file = described.file
        place = self.by_path.setdefault(file.path, Place(file.generation))
        if place.described:
            raise Wrong(f"path `{file.path}` is that of another file, too")
        if place.generation != file.generation:
            raise Wrong(f"generation is {file.generation}, and {place.generation} in the chunks of `{file.path}`")
        if described.chunks != len(place.chunks):
            raise Wrong(f"`{file.path}` has {described.chunks} chunks by this, and {len(place.chunks)} are there")
        place.described = where

    def measure(self, embedded: Embedded) -> None:
        """Take note of a vector. Wrong if others of its model have another width."""
        width = self.widths.setdefault(embedded.model, len(embedded.vector))
        if width != len(embedded.vector):
            raise Wrong(f"the vector has {len(embedded.vector)} components, others of `{embedded.model}` have {width}")

    def check(self, folder: Path) -> None:
        """An ExchangeError if something does not fit together, now that everything is known."""
        if wrong := next(self._misfits(), ""):
            raise ExchangeError(
                f"the files in `{folder}` do not belong together: {wrong}",
                "nothing was changed; export them anew, all of them at once",
            )

    def _misfits(self) -> Iterator[str]:
        for path, place in self.by_path.items():
            given = [ordinal for ordinal in place.ordinals if ordinal != NO_ORDINAL]
            if len(set(given)) != len(given) or 0 < len(given) < len(place.ordinals):
                yield f"chunks of `{path}` have the same ordinal, or only some of them have one"
            if self.head and not place.described:
                yield f"there are chunks of `{path}`, and the graph does not have it"
        if self.head and self.head.count != len(self.by_path):
            yield f"the graph is of {self.head.count} files, and there are {len(self.by_path)}"


def in_order(chunks: list[Chunk]) -> Iterator[Chunk]:
    """The chunks of one file by their ordinals; numbered by their lines where they have none."""
    if all(chunk.ordinal != NO_ORDINAL for chunk in chunks):
        yield from sorted(chunks, key=lambda chunk: chunk.ordinal)
        return
    for ordinal, chunk in enumerate(sorted(chunks, key=lambda chunk: chunk.start_line)):
        yield replace(chunk, ordinal=ordinal)
