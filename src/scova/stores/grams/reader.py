"""The n-gram index on disk: immutable, memory-mapped, opened in the same time at any size.

Responsible for the format and for looking grams up in it. It refuses to know patterns, and which files have changed since:
it answers as of its `applied_seq`, and whoever asks adds every file that is newer.

Small files that lie side by side share a block, the unit of all look-ups: neighbours are alike, so this halves the file, and
a block too many costs a few files that are read in vain. The format, kind `scovagrm` in the frame of `sections`, version 1:

    facts      n blocks, f files, c grams, applied_seq, store_id
    files      int64[f]     the store's file ids, block after block
    blocks     uint32[n+1]  where each block's files begin in `files`
    loose      int64[...]   files whose text in the store is not what lies on the disk, line ends aside (another encoding, or line
                            ends of both kinds): nothing is known of them
    codes      uint32[c]    every gram that occurs, ascending, numbered as in `alphabet`
    offsets    uint64[c+1]  where each gram's blocks begin in `postings`
    postings   bytes        the blocks of each gram in turn: as a bitmap, lowest bit first, if its length is that of one;
                            else gaps between block numbers, seven bits a byte, least first, the eighth saying "goes on"

History: 1 (scova 0.1) the first.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Self

from scova.record import record
from scova.stores.grams.alphabet import code_of
from scova.stores.sections import Kind, Sections, damaged

KIND = Kind(b"scovagrm", 1)


@record(eq=False)
class Grams:
    """An open n-gram index. It stays readable when the file is deleted."""

    files: memoryview
    blocks: memoryview
    loose: memoryview
    codes: memoryview
    offsets: memoryview
    postings: memoryview
    applied_seq: int
    store_id: str
    sections: Sections

    @classmethod
    def open(cls, path: Path, store_id: str | None = None) -> Self:
        """Map a written index; raises DerivedDamaged, naming the file, when it is not whole or not of this store."""
        sections = Sections.open(path, KIND, store_id)
        facts = sections.facts
        grams = cls(
            files=sections.section("files", "q"),
            blocks=sections.section("blocks", "I"),
            loose=sections.section("loose", "q"),
            codes=sections.section("codes", "I"),
            offsets=sections.section("offsets", "Q"),
            postings=sections.section("postings", "B"),
            applied_seq=facts["applied_seq"],
            store_id=facts["store_id"],
            sections=sections,
        )
        wanted = (facts["f"], facts["n"] + 1, facts["c"], facts["c"] + 1)
        if tuple(map(len, (grams.files, grams.blocks, grams.codes, grams.offsets))) != wanted:
            raise damaged(path, "sections disagree about their length")
        return grams

    def __len__(self) -> int:
        """How many files it knows."""
        return len(self.files) + len(self.loose)

    @property
    def everything(self) -> int:
        """Every block, as the bits of a number."""
        return (1 << (len(self.blocks) - 1)) - 1

    def size(self, gram: bytes) -> int:
        """How many bytes there are to read for this gram: about how common it is."""
        index = self._find(gram)
        return self.offsets[index + 1] - self.offsets[index] if index >= 0 else 0

    def having(self, gram: bytes) -> int:
        """The blocks that have these three bytes, as the bits of a number."""
        index = self._find(gram)
        if index < 0:
            return 0
        data = bytes(self.postings[self.offsets[index] : self.offsets[index + 1]])
        width = (len(self.blocks) + 6) // 8
        if len(data) == width:
            return int.from_bytes(data, "little")
        bits = bytearray(width)
        for block in _numbers(data):
            bits[block >> 3] |= 1 << (block & 7)
        return int.from_bytes(bits, "little")

    def files_in(self, blocks: int) -> list[int]:
        """The files of these blocks, and all of which nothing is known."""
        found = list(self.loose)
        while blocks:
            lowest = (blocks & -blocks).bit_length() - 1
            run = 1  # neighbours are taken together: when many are left, most are
            while blocks >> (lowest + run) & 1:
                run += 1
            found.extend(self.files[self.blocks[lowest] : self.blocks[lowest + run]])
            blocks &= ~(((1 << run) - 1) << lowest)
        return found

    def verify(self) -> None:
        """Read everything; raise DerivedDamaged when something is not as written or does not agree with itself."""
        self.sections.verify()
        if any(a >= b for a, b in pairwise(self.codes)) or any(a >= b for a, b in pairwise(self.offsets)):
            raise damaged(self.sections.path, "grams do not ascend")
        if self.offsets[-1] != len(self.postings) or self.blocks[-1] != len(self.files):
            raise damaged(self.sections.path, "offsets do not reach the end")

    def _find(self, gram: bytes) -> int:
        code = code_of(gram)
        index = bisect_left(self.codes, code)
        return index if index < len(self.codes) and self.codes[index] == code else -1


def _numbers(data: bytes) -> Iterator[int]:
    """Block numbers from the gaps between them."""
    number, gap, shift = -1, 0, 0
    for byte in data:
        if byte < 128:
            number += (gap | byte << shift) + 1
            yield number
            gap = shift = 0
        else:
            gap |= (byte & 127) << shift
            shift += 7
