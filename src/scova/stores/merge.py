"""Writing segments: any number of parts into one file, in bounded memory.

Responsible for the bytes of a segment being a function of its live documents alone, however they were divided into
parts. It refuses to know chunks and the store: parts in, one file out.

    worker:  PostingsBuilder.add(chunk) ... finish()  --Postings-->
    writer:  Spills.add(postings.with_rows(rows)) ...  then  write_segment(path, [base, *parts], dead=rows, applied_seq=seq, store_id=id)

The dictionary is walked in ranges of terms. For each range every part gives its slice, the terms are united, and each
part's postings are copied to where they belong: no sort, one pass. So memory follows the range, not the index.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate, compress, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scova.stores.invert import Postings
from scova.stores.postings import KIND, Segment
from scova.stores.sections import SectionWriter
from scova.types import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_RANGE = 4_000_000  # cost of one range of terms: a posting is 1
_TERM_COST = 8  # what a term costs beside its postings: Python handles it as an object
_GONE = 0xFFFFFFFF  # the new number of a document that is dropped


class Spills:
    """Parts of a build that runs: small ones wait in memory, and are joined into a file when they are many.

    So that neither memory nor the number of open files grows with the build.
    """

    def __init__(self, folder: Path, *, largest: int = 32_000_000) -> None:
        self._folder = folder
        self._largest = largest  # bytes in memory
        self._waiting: list[Segment] = []
        self._size = 0
        self._files: list[Segment] = []

    def add(self, postings: Postings) -> None:
        """Take what a worker gathered, with its rows."""
        self._waiting.append(Segment.of(postings))
        self._size += len(postings.docs) * 5 + len(postings.terms) + len(postings.term_offsets) * 16
        if self._size > self._largest:
            path = self._folder / f"{len(self._files)}.part"
            write_segment(path, self._waiting, applied_seq=0, durable=False)
            self._files.append(Segment.open(path))
            self._waiting, self._size = [], 0

    def parts(self) -> list[Segment]:
        """Everything taken so far."""
        return [*self._files, *self._waiting]


def write_segment(
    path: Path,
    parts: Sequence[Segment],
    *,
    applied_seq: int,
    store_id: str = "",
    dead: AbstractSet[Row] = frozenset(),
    durable: bool = True,
) -> None:
    """Merge the parts into one segment without the dead rows, documents in ascending order of row.

    A row that several parts have is taken once (rows never change, so the copies are equal).
    """
    sources, documents = _renumbered([part for part in parts if len(part)], dead)
    with SectionWriter(path, KIND, durable=durable) as writer:
        writer.begin("rows")
        writer.write("rows", documents.rows)
        writer.begin("lengths")
        writer.write("lengths", documents.lengths)
        postings = sum(source.postings() for source in sources)
        writer.begin("docs", 4 * postings)
        writer.begin("counts", postings)
        writer.begin("terms")
        offsets = _write_postings(writer, sources, documents)
        for name in ("term_offsets", "posting_offsets"):
            writer.begin(name)
            writer.write(name, offsets[name])
        total = int(documents.lengths.sum(dtype="uint64"))
        sizes = {"n": len(documents.rows), "t": len(offsets["term_offsets"]) - 1, "p": postings}
        writer.finish({**sizes, "total_length": total, "applied_seq": applied_seq, "store_id": store_id})


@dataclass(frozen=True, slots=True, eq=False)
class _Documents:
    """All live documents in their new order."""

    rows: "Array"
    lengths: "Array"
    disjoint: bool  # each source's documents all come before the next one's


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Postings of a range of terms: docs and counts lie term after term, as many as each one's frequency says."""

    terms: list[bytes]  # each with its newline
    frequencies: "Array"
    docs: "Array"
    counts: "Array"


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """A part as arrays, with the new number of each of its documents."""

    part: Segment
    numbers: "Array"  # uint32[n], _GONE for the dropped
    docs: "Array"
    counts: "Array"
    posting_offsets: "Array"
    whole: bool  # nothing is dropped

    def postings(self) -> int:
        """How many postings live on. Read in pieces, so that memory stays bounded."""
        if self.whole:
            return len(self.docs)
        pieces = range(0, len(self.docs), _RANGE)
        alive = sum(int((self.numbers[self.docs[start : start + _RANGE]] != _GONE).sum()) for start in pieces)
        self.release()
        return alive

    def release(self) -> None:
        """Keep no more of a mapped part in memory than the range at hand needs."""
        if self.part.sections:
            self.part.sections.release()

    def term(self, index: int) -> bytes:
        """One term with its newline."""
        offsets = self.part.term_offsets
        return bytes(self.part.terms[offsets[index] : offsets[index + 1]])

    def position(self, bound: bytes) -> int:
        """How many terms come before `bound`."""
        return bisect_left(range(len(self.posting_offsets) - 1), bound, key=self.term)

    def slice(self, first: int, last: int) -> _Block:
        """The live postings of terms `first` up to `last`, documents by their new numbers."""
        import numpy as np

        offsets = self.posting_offsets[first : last + 1]
        docs = self.numbers[self.docs[offsets[0] : offsets[-1]]]
        counts = self.counts[offsets[0] : offsets[-1]]
        ends = offsets - offsets[0]
        if not self.whole:
            alive = docs != _GONE
            ends = np.concatenate([[0], np.cumsum(alive)])[ends]
            docs, counts = docs[alive], counts[alive]
        blob = bytes(self.part.terms[self.part.term_offsets[first] : self.part.term_offsets[last]])
        return _Block(blob.splitlines(keepends=True), np.diff(ends), docs, counts)


def _renumbered(parts: Sequence[Segment], dead: AbstractSet[Row]) -> tuple[list[_Source], _Documents]:
    import numpy as np

    ordered = sorted(parts, key=lambda part: part.row_of(0))
    rows = np.concatenate([np.zeros(0, np.int64), *(np.asarray(part.rows, np.int64) for part in ordered)])
    lengths = np.concatenate([np.zeros(0, np.uint32), *(np.asarray(part.lengths, np.uint32) for part in ordered)])
    order = np.argsort(rows, kind="stable")
    alive = np.ones(len(rows), bool)
    alive[1:] = rows[order][1:] != rows[order][:-1]
    if dead:
        alive &= ~np.isin(rows[order], np.fromiter(dead, np.int64, len(dead)))
    numbers = np.full(len(rows), _GONE, np.uint32)
    numbers[order[alive]] = np.arange(int(alive.sum()), dtype=np.uint32)
    ends = accumulate(map(len, ordered))
    sources = [_source(part, numbers[end - len(part) : end]) for part, end in zip(ordered, ends, strict=True)]
    kept = order[alive]
    disjoint = all(a.rows[-1] < b.rows[0] for a, b in pairwise(ordered))
    return sources, _Documents(rows[kept], lengths[kept], disjoint)


def _source(part: Segment, numbers: "Array") -> _Source:
    import numpy as np

    return _Source(
        part,
        numbers,
        docs=np.frombuffer(part.docs, np.uint32),
        counts=np.frombuffer(part.counts, np.uint8),
        posting_offsets=np.frombuffer(part.posting_offsets, np.int64),
        whole=not bool((numbers == _GONE).any()),
    )


def _write_postings(writer: SectionWriter, sources: Sequence[_Source], documents: _Documents) -> dict[str, "Array"]:
    """Fill docs, counts and terms; give back the offsets into them."""
    import numpy as np

    term_sizes, frequencies = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
    for pieces in _ranges(sources):
        block = _united(pieces, sort=not documents.disjoint)
        writer.write("docs", block.docs)
        writer.write("counts", block.counts)
        writer.write("terms", b"".join(block.terms))
        term_sizes.append(np.fromiter(map(len, block.terms), np.int64, len(block.terms)))
        frequencies.append(block.frequencies)
    return {
        "term_offsets": np.cumsum(np.concatenate(term_sizes), dtype=np.uint64),
        "posting_offsets": np.cumsum(np.concatenate(frequencies), dtype=np.uint64),
    }


def _ranges(sources: Sequence[_Source]) -> "Iterator[list[_Block]]":
    """The dictionary in ranges of bounded cost: each source's share of one range after another.

    Every source is sampled at equal steps of cost, and a range ends where the samples passed add up to half its cost.
    The steps are so small that what lies between samples, over all sources, is no more than the other half.
    """
    import numpy as np

    step = max(1, _RANGE // (2 * max(1, len(sources))))
    samples: list[bytes] = []
    for source in sources:
        cost = source.posting_offsets + _TERM_COST * np.arange(len(source.posting_offsets))
        picks = np.searchsorted(cost, np.arange(step, int(cost[-1]), step), side="right") - 1
        samples.extend(source.term(int(pick)) for pick in picks)
    every = max(1, _RANGE // (2 * step))
    bounds = sorted(set(sorted(samples)[every - 1 :: every]))
    starts = [0] * len(sources)
    for bound in [*bounds, b"\xff"]:  # no UTF-8 reaches the last
        ends = [source.position(bound) for source in sources]
        yield [
            source.slice(start, end) for source, start, end in zip(sources, starts, ends, strict=True) if start < end
        ]
        starts = ends
        for source in sources:
            source.release()


def _united(pieces: Sequence[_Block], *, sort: bool) -> _Block:
    """One range over all sources. The sources' documents come in order, unless they must be sorted."""
    import numpy as np

    terms = sorted(set().union(*(piece.terms for piece in pieces)))
    numbers = {term: number for number, term in enumerate(terms)}
    own = [np.fromiter(map(numbers.__getitem__, piece.terms), np.int64, len(piece.terms)) for piece in pieces]
    frequencies = np.zeros(len(terms), np.int64)
    for mine, piece in zip(own, pieces, strict=True):
        frequencies[mine] += piece.frequencies
    free = np.cumsum(frequencies) - frequencies  # where each term's next posting goes
    docs = np.empty(int(frequencies.sum()), np.uint32)
    counts = np.empty(len(docs), np.uint8)
    for mine, piece in zip(own, pieces, strict=True):
        begins = np.cumsum(piece.frequencies) - piece.frequencies
        spots = np.repeat(free[mine] - begins, piece.frequencies) + np.arange(len(piece.docs))
        docs[spots] = piece.docs
        counts[spots] = piece.counts
        free[mine] += piece.frequencies
    if sort:
        order = np.lexsort((docs, np.repeat(np.arange(len(terms)), frequencies)))
        docs, counts = docs[order], counts[order]
    alive = frequencies > 0
    return _Block(list(compress(terms, alive.tolist())), frequencies[alive], docs, counts)
