"""The vectors on disk: one immutable int8 matrix, memory-mapped, with the rows its lines belong to.

Responsible for the format and for writing it in bounded memory. It refuses to compare vectors and to embed.

The format, kind `scovavec` in the frame of `sections`, version 1:

    facts     n vectors, width, model (identity of the weights), applied_seq, store_id
    vectors   int8[n][width]   one line per vector, no padding
    rows      int64[n]         the store's row of each line, ascending

A chunk whose embedding was not ready has no line; it is added by the next merge. A file of another model is of no use
to anyone, so it counts as damaged and is rebuilt.

History: 1 (scova 0.1) the first.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from scova.record import record
from scova.stores.sections import Kind, Sections, SectionWriter, damaged
from scova.types import Row, Vector

KIND = Kind(b"scovavec", 1)
_PIECE = 4096  # lines copied at once


@record(eq=False)
class Matrix:
    """An open vector file. It stays readable when the file is deleted."""

    rows: memoryview  # int64, ascending
    vectors: memoryview  # int8, line after line
    model: str
    width: int
    applied_seq: int
    store_id: str
    sections: Sections

    @classmethod
    def open(cls, path: Path, model: str, store_id: str | None = None) -> Self:
        """Map a written matrix; raises DerivedDamaged, naming the file, when it is not whole, or of another model or store."""
        sections = Sections.open(path, KIND, store_id)
        facts = sections.facts
        if facts["model"] != model:
            raise damaged(path, f"holds vectors of {facts['model']}, not of {model}")
        rows, vectors = sections.section("rows", "q"), sections.section("vectors", "b")
        if len(rows) != facts["n"] or len(vectors) != facts["n"] * facts["width"]:
            raise damaged(path, "sections disagree about their length")
        return cls(rows, vectors, model, facts["width"], facts["applied_seq"], facts["store_id"], sections)

    def __len__(self) -> int:
        return len(self.rows)

    def line_of(self, row: Row) -> int:
        """The line of a row, or -1."""
        line = bisect_left(self.rows, row)
        return line if line < len(self.rows) and self.rows[line] == row else -1

    def vector(self, line: int) -> Vector:
        """One line."""
        return bytes(self.vectors[line * self.width : (line + 1) * self.width])

    def verify(self) -> None:
        """Read everything; raise DerivedDamaged when something is not as written or rows do not ascend."""
        self.sections.verify()
        if any(a >= b for a, b in pairwise(self.rows)):
            raise damaged(self.sections.path, "rows do not ascend")


def write_matrix(
    path: Path, vectors: Iterable[tuple[Row, Vector]], *, width: int, model: str, applied_seq: int, store_id: str = ""
) -> None:
    """Write vectors, given in ascending order of row, as a durable file. Holds a piece of them at a time."""
    facts = {"applied_seq": applied_seq, "model": model, "store_id": store_id, "width": width}
    _write(path, ((array("q", [row]), vector) for row, vector in vectors), facts)


def merge_matrix(
    path: Path,
    old: Matrix,
    new: Iterable[tuple[Row, Vector]],
    *,
    dead: AbstractSet[Row] = frozenset(),
    applied_seq: int,
) -> None:
    """Write the old matrix without the dead rows and with the new vectors. A row that both have is taken once.

    Holds the new vectors in memory; the old ones are copied as they lie.
    """
    fresh = {row: vector for row, vector in new if row not in dead and old.line_of(row) < 0}
    facts = {"applied_seq": applied_seq, "model": old.model, "store_id": old.store_id, "width": old.width}
    _write(path, _runs(old, fresh, {old.line_of(row) for row in dead} - {-1}), facts)


def _runs(old: Matrix, fresh: dict[Row, Vector], dead: AbstractSet[int]) -> Iterator[tuple["array[int]", bytes]]:
    """Lines in ascending order of row, unchanged ones together."""
    width = old.width
    stops: dict[int, list[Row]] = {line: [] for line in dead}  # old line -> new rows that go before it
    for row in sorted(fresh):
        stops.setdefault(bisect_left(old.rows, row), []).append(row)
    start = 0
    for stop in sorted({*stops, len(old)}):
        for first in range(start, stop, _PIECE):
            last = min(first + _PIECE, stop)
            yield array("q", old.rows[first:last]), bytes(old.vectors[first * width : last * width])
        for row in stops.get(stop, ()):
            yield array("q", [row]), fresh[row]
        start = stop + 1 if stop in dead else stop


def _write(path: Path, runs: Iterable[tuple["array[int]", bytes]], facts: dict[str, Any]) -> None:
    width = facts["width"]
    rows, waiting = array("q"), bytearray()
    with SectionWriter(path, KIND) as writer:
        writer.begin("vectors")
        for run, lines in runs:
            if len(lines) != len(run) * width:
                raise ValueError(f"a vector of {len(lines) // len(run)} components, where {width} are needed")
            if rows and run[0] <= rows[-1]:
                raise ValueError("vectors must come in ascending order of row")
            rows.extend(run)
            waiting += lines
            if len(waiting) >= _PIECE * width:
                writer.write("vectors", waiting)
                waiting = bytearray()
        writer.write("vectors", waiting)
        writer.begin("rows")
        writer.write("rows", rows)
        writer.finish({**facts, "n": len(rows)})
