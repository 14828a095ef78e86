"""Building the graph over a matrix, and writing it as a durable file.

The graph itself must be in memory while it grows, about 400 bytes a vector; the vectors are taken piece by piece from where
they are mapped. It refuses to know when that is worth its time.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scova.stores.ann.graph import KIND
from scova.stores.ann.neighbours import CONNECTIVITY, EXPANSION_ADD, empty_index
from scova.stores.matrix import Matrix
from scova.stores.sections import SectionWriter
from scova.whole import Unfinished

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EXPANSION = 64  # that a vector is asked for with; wider searches find it the more
_PIECE = 4096  # vectors added, or bytes of 256 of them copied, at once

Tell = Callable[[int, int], None]  # steps done, of how many: each vector is added, and asked for


def write_graph(path: Path, matrix: Matrix, *, threads: int = 0, tell: Tell = lambda done, total: None) -> None:
    """Write the graph over this matrix, with as many threads (0: one per core)."""
    import numpy as np

    lines = np.frombuffer(matrix.vectors, np.int8).reshape(len(matrix), matrix.width)
    rows = np.frombuffer(matrix.rows, np.int64)
    heads = heads_of(lines)
    distinct = np.flatnonzero(heads == np.arange(len(heads)))
    index = empty_index(matrix.width)
    for start in range(0, len(distinct), _PIECE):
        piece = distinct[start : start + _PIECE]
        index.add(rows[piece].astype(np.uint64), lines[piece], threads=threads)
        tell(start + len(piece), 2 * len(distinct))
    found = np.zeros(len(rows), bool)
    index.expansion_search = _EXPANSION
    for start in range(0, len(distinct), _PIECE):
        piece = distinct[start : start + _PIECE]
        found[piece] = finds(index, rows[piece], lines[piece], threads)
        tell(len(distinct) + start + len(piece), 2 * len(distinct))
    known = np.flatnonzero(found[heads])
    twins = known[heads[known] != known]
    twins = twins[np.argsort(heads[twins], kind="stable")]
    sections = {"rows": rows[known], "heads": rows[heads[twins]], "twins": rows[twins]}
    facts = {
        "n": len(known),
        "d": len(distinct),
        "t": len(twins),
        "vectors": len(rows),
        "last_row": int(rows[-1]) if len(rows) else 0,
        "width": matrix.width,
        "model": matrix.model,
        "applied_seq": matrix.applied_seq,
        "store_id": matrix.store_id,
        "connectivity": CONNECTIVITY,
        "expansion_add": EXPANSION_ADD,
    }
    _write(path, index, sections, facts)


def finds(index: Any, rows: "NDArray[np.int64]", lines: "NDArray[np.int8]", threads: int) -> "NDArray[np.bool_]":
    """Which of these vectors, that are all in the index, a search for the very vector leads to."""
    import numpy as np

    keys = np.asarray(index.search(lines, 1, threads=threads).keys).astype(np.int64)
    found: NDArray[np.bool_] = keys.reshape(len(rows), -1)[:, 0] == rows
    return found


def heads_of(lines: "NDArray[np.int8]") -> "NDArray[np.int64]":
    """For every line, the first that equals it: itself where it is the only or the first one."""
    import numpy as np

    weights = np.random.default_rng(1).integers(1, 1 << 63, lines.shape[1], np.uint64) | np.uint64(1)
    hashes = np.zeros(len(lines), np.uint64)
    for start in range(0, len(lines), _PIECE):
        hashes[start : start + _PIECE] = lines[start : start + _PIECE].view(np.uint8).astype(np.uint64) @ weights
    order = np.argsort(hashes, kind="stable")
    begins = np.ones(len(lines), bool)
    begins[1:] = hashes[order[1:]] != hashes[order[:-1]]
    heads = np.empty(len(lines), np.int64)
    heads[order] = order[np.maximum.accumulate(np.where(begins, np.arange(len(lines)), 0))]
    others = np.flatnonzero(heads != np.arange(len(lines)))
    for start in range(0, len(others), _PIECE):  # equal hashes do not make equal vectors
        piece = others[start : start + _PIECE]
        differ = piece[(lines[piece] != lines[heads[piece]]).any(axis=1)]
        heads[differ] = differ
    return heads


def _write(path: Path, index: Any, sections: dict[str, Any], facts: dict[str, Any]) -> None:
    """The frame around what usearch writes. It can write only to a file of its own, which is then copied in."""
    raw = Unfinished(path.with_name(f"{path.name}.raw"), durable=False, within=2)
    try:
        index.save(str(raw.beside))
        index.reset()
        with SectionWriter(path, KIND) as writer, raw.beside.open("rb") as written:
            for name, values in sections.items():
                writer.begin(name)
                writer.write(name, values)
            writer.begin("graph")
            while piece := written.read(_PIECE << 8):
                writer.write("graph", piece)
            writer.finish(facts)
    finally:
        raw.discard()
