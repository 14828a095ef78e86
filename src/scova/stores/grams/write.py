"""Writing the n-gram index: texts in, one file out, in memory that does not grow with the texts.

Two passes. The first notes for every block which grams it has: marks in a table of all grams, read off in order, so that
nothing is sorted. The second walks the grams in ranges, and puts the number of each block where it belongs. Bytes are a
function of the texts and their order alone.
"""

import os
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scova.core.own_files import open_own
from scova.stores.grams.alphabet import BITS, CODES, SYMBOLS, WIDTH, folded
from scova.stores.grams.reader import KIND
from scova.stores.sections import SectionWriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

BLOCK_BYTES = 4000  # a block is closed once it has this much text
_RANGE = 4_000_000  # postings put in order at a time: some 150 MB
_LIMITS = (1 << 7, 1 << 14, 1 << 21)  # gaps from here on take one byte more


class Indexed(NamedTuple):
    """A file to be indexed; None for the text of one of which nothing is to be assumed."""

    file_id: int
    text: str | None


class _Blocks:
    """Gathers texts, and notes what each block has."""

    def __init__(self, spill: Path) -> None:
        import numpy as np

        self.files = array("q")
        self.starts = array("I", [0])
        self.loose = array("q")
        self.frequencies: Array = np.zeros(CODES, np.int64)
        self.sizes: list[int] = []  # grams of each block
        self._symbols = np.frombuffer(SYMBOLS, np.uint8).astype(np.uint32)
        self._marks: Array = np.zeros(CODES, bool)
        self._kept = _without_line_feeds()
        self._waiting: list[bytes] = []
        self._size = 0
        spill.unlink(missing_ok=True)
        self._spill = os.fdopen(open_own(spill, os.O_WRONLY | os.O_CREAT | os.O_EXCL, within=2), "wb")

    def add(self, file: Indexed) -> None:
        if file.text is None:
            self.loose.append(file.file_id)
            return
        self.files.append(file.file_id)
        self._waiting.append(folded(file.text))
        self._size += len(self._waiting[-1])
        if self._size >= BLOCK_BYTES:
            self._close_block()

    def finish(self) -> None:
        if self._waiting:
            self._close_block()
        self._spill.close()

    def _close_block(self) -> None:
        import numpy as np

        symbols = self._symbols[np.frombuffer(b"\n".join([*self._waiting, b"\n\n"]), np.uint8)]
        codes = symbols[:-2] << BITS
        codes |= symbols[1:-1]
        codes <<= BITS
        codes |= symbols[2:]
        self._marks[codes] = True
        found = np.flatnonzero(self._marks)
        self._marks[found] = False
        found = found[self._kept[found]]
        self.frequencies[found] += 1
        self.sizes.append(len(found))
        self._spill.write(found.astype(np.uint32).tobytes())
        self.starts.append(len(self.files))
        self._waiting, self._size = [], 0


def write_grams(path: Path, texts: Iterable[Indexed], *, spill: Path, applied_seq: int, store_id: str) -> None:
    """Write the index of these files as a durable file; texts of neighbours should come together. `spill` is a name to use."""
    import numpy as np

    blocks = _Blocks(spill)
    try:
        for file in texts:
            blocks.add(file)
        blocks.finish()
        codes = np.flatnonzero(blocks.frequencies).astype(np.uint32)
        with SectionWriter(path, KIND) as writer:
            for name, data in (("files", blocks.files), ("blocks", blocks.starts), ("loose", blocks.loose)):
                writer.begin(name)
                writer.write(name, data)
            writer.begin("codes")
            writer.write("codes", codes)
            writer.begin("postings")
            lengths = _write_postings(writer, blocks, spill)
            writer.begin("offsets")
            writer.write("offsets", np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64))
            sizes = {"n": len(blocks.sizes), "f": len(blocks.files), "c": len(codes)}
            writer.finish({**sizes, "applied_seq": applied_seq, "store_id": store_id})
    finally:
        spill.unlink(missing_ok=True)


def _without_line_feeds() -> "Array":
    """For every gram, whether it is kept: symbol 0 is no part of it."""
    import numpy as np

    codes = np.arange(CODES)
    kept: Array = np.ones(CODES, bool)
    for place in range(WIDTH):
        kept &= (codes >> place * BITS) & ((1 << BITS) - 1) != 0
    return kept


def _write_postings(writer: SectionWriter, blocks: _Blocks, spill: Path) -> "Array":
    """The blocks of each gram; returns how many bytes each took."""
    import numpy as np

    lengths: list[Array] = [np.zeros(0, np.int64)]
    if not spill.stat().st_size:
        return lengths[0]
    noted = np.memmap(spill, np.uint32, "r")
    totals = np.cumsum(blocks.frequencies)
    first = 0
    while first < CODES:
        before = totals[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(totals, before + _RANGE, side="right")))
        frequencies = blocks.frequencies[first:last]
        numbers = _ordered(noted, blocks.sizes, frequencies, first)
        encoded, taken = _encoded(numbers, frequencies[frequencies > 0], len(blocks.sizes))
        writer.write("postings", encoded)
        lengths.append(taken)
        first = last
    return np.concatenate(lengths)


def _ordered(noted: "Array", sizes: list[int], frequencies: "Array", first: int) -> "Array":
    """Block numbers of a range of grams, gram after gram, ascending within each."""
    import numpy as np

    free = np.cumsum(frequencies) - frequencies
    numbers = np.empty(int(frequencies.sum()), np.uint32)
    start = 0
    for number, size in enumerate(sizes):
        codes = noted[start : start + size]
        start += size
        if first or len(frequencies) < CODES:
            low, high = np.searchsorted(codes, (first, first + len(frequencies)))
            codes = codes[low:high] - first
        places = free[codes]
        numbers[places] = number
        free[codes] = places + 1
    return numbers


def _encoded(numbers: "Array", frequencies: "Array", blocks: int) -> "tuple[bytes, Array]":
    """Gaps or bitmap of each gram, whichever is shorter, and how many bytes that is."""
    import numpy as np

    if not len(numbers):
        return b"", np.zeros(0, np.int64)
    starts = np.cumsum(frequencies) - frequencies
    gaps: Array = np.diff(numbers.astype(np.int32), prepend=np.int32(-1)) - np.int32(1)
    gaps[starts] = numbers[starts]
    widths = np.ones(len(gaps), np.uint8)
    for limit in _LIMITS:
        widths += gaps >= limit
    taken = np.add.reduceat(widths, starts, dtype=np.int64)
    ends = np.cumsum(widths, dtype=np.int64)
    data = np.zeros(int(ends[-1]), np.uint8)
    for place in range(len(_LIMITS) + 1):
        some = widths > place
        goes_on = (widths[some] > place + 1).astype(np.uint8) << 7
        data[(ends - widths)[some] + place] = ((gaps[some] >> 7 * place) & 127).astype(np.uint8) | goes_on
    bitmap = (blocks + 7) // 8
    flat, pieces, copied = data.tobytes(), [], 0
    byte_starts = np.cumsum(taken) - taken
    for gram in np.flatnonzero(taken >= bitmap).tolist():
        pieces.append(flat[copied : byte_starts[gram]])
        bits = np.zeros(blocks, bool)
        bits[numbers[starts[gram] : starts[gram] + frequencies[gram]]] = True
        pieces.append(np.packbits(bits, bitorder="little").tobytes())
        copied = byte_starts[gram] + taken[gram]
    pieces.append(flat[copied:])
    return b"".join(pieces), np.minimum(taken, bitmap)
