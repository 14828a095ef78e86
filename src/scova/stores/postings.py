"""The text index on disk: one immutable segment, memory-mapped, opened in the same time at any size.

Responsible for the format and for looking things up in it. It refuses to score, and to know which rows are still alive:
a segment answers as of its `applied_seq`, and searchers subtract what died since. Writing is in `merge`.

The format, kind `scovatxt` in the frame of `sections`, version 1:

    facts            n documents, t terms, p postings, total_length of all bodies, applied_seq, store_id
    rows             int64[n]     the store's row of each document, ascending
    lengths          uint32[n]    term occurrences in its body
    docs             uint32[p]    documents of each term in turn, ascending within a term
    counts           uint8[p]     how often, beside each
    terms            UTF-8        every term in ascending order of its bytes, each ended by a newline; fields as in `invert`
    term_offsets     uint64[t+1]  where each term begins in `terms`
    posting_offsets  uint64[t+1]  where each term's postings begin in `docs` and `counts`

Nothing is compressed: a term's postings are used as they lie, by plain Python or numpy alike.

History: 1 (scova 0.1) the first.
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Self

from scova.record import record
from scova.stores.invert import Postings, inverted
from scova.stores.sections import Kind, Sections, damaged
from scova.types import Chunk, Row

KIND = Kind(b"scovatxt", 1)


@record(eq=False)
class Segment:
    """Documents by term. The columns may lie in a mapped file or in memory; nothing here can tell."""

    rows: memoryview
    lengths: memoryview
    docs: memoryview
    counts: memoryview
    terms: memoryview
    term_offsets: memoryview
    posting_offsets: memoryview
    total_length: int
    applied_seq: int = 0
    store_id: str = ""
    sections: Sections | None = None

    @classmethod
    def open(cls, path: Path, store_id: str | None = None) -> Self:
        """Map a written segment; raises DerivedDamaged, naming the file, when it is not whole or not of this store."""
        sections = Sections.open(path, KIND, store_id)
        facts = sections.facts
        segment = cls(
            rows=sections.section("rows", "q"),
            lengths=sections.section("lengths", "I"),
            docs=sections.section("docs", "I"),
            counts=sections.section("counts", "B"),
            terms=sections.section("terms", "B"),
            term_offsets=sections.section("term_offsets", "Q"),
            posting_offsets=sections.section("posting_offsets", "Q"),
            total_length=facts["total_length"],
            applied_seq=facts["applied_seq"],
            store_id=facts["store_id"],
            sections=sections,
        )
        per_document, per_posting = (segment.rows, segment.lengths), (segment.docs, segment.counts)
        per_term = (segment.term_offsets, segment.posting_offsets)
        wanted = ((per_document, facts["n"]), (per_posting, facts["p"]), (per_term, facts["t"] + 1))
        if any(len(column) != size for columns, size in wanted for column in columns):
            raise damaged(path, "sections disagree about their length")
        return segment

    @classmethod
    def of(cls, chunks: Iterable[Chunk] | Postings) -> Self:
        """The same in memory, for a few chunks or for what a worker gathered."""
        postings = chunks if isinstance(chunks, Postings) else inverted(chunks)
        if len(postings.rows) != len(postings.lengths):
            raise ValueError("postings without rows: call with_rows first")
        return cls(
            rows=memoryview(postings.rows),
            lengths=memoryview(postings.lengths),
            docs=memoryview(postings.docs),
            counts=memoryview(postings.counts),
            terms=memoryview(postings.terms),
            term_offsets=memoryview(postings.term_offsets),
            posting_offsets=memoryview(postings.posting_offsets),
            total_length=sum(postings.lengths),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, term: str) -> int:
        """The number of a term, or -1."""
        wanted = term.encode("utf-8", "replace")
        index = self.place_of(wanted)
        return index if index < len(self.term_offsets) - 1 and self.term_at(index) == wanted else -1

    def postings(self, term: str) -> tuple[memoryview, memoryview]:
        """Documents with this term, ascending, and how often each has it."""
        index = self.find(term)
        if index < 0:
            return self.docs[:0], self.counts[:0]
        start, end = self.posting_offsets[index], self.posting_offsets[index + 1]
        return self.docs[start:end], self.counts[start:end]

    def row_of(self, doc: int) -> Row:
        """The store's row of a document."""
        return Row(self.rows[doc])

    def doc_of(self, row: Row) -> int:
        """The document of a row, or -1."""
        doc = bisect_left(self.rows, row)
        return doc if doc < len(self.rows) and self.rows[doc] == row else -1

    def verify(self) -> None:
        """Read everything; raise DerivedDamaged when something is not as written or does not agree with itself."""
        if self.sections is not None:
            self.sections.verify()
        path = self.sections.path if self.sections else "text delta"
        if any(a >= b for a, b in pairwise(self.rows)):
            raise damaged(path, "rows do not ascend")
        if sum(self.lengths) != self.total_length:
            raise damaged(path, "lengths do not add up")
        if self.posting_offsets[-1] != len(self.docs) or self.term_offsets[-1] != len(self.terms):
            raise damaged(path, "offsets do not reach the end")

    def place_of(self, wanted: bytes) -> int:
        """The number of the first term that is not below these bytes."""
        return bisect_left(range(len(self.term_offsets) - 1), wanted, key=self.term_at)

    def term_at(self, index: int) -> bytes:
        """A term by its number."""
        return bytes(self.terms[self.term_offsets[index] : self.term_offsets[index + 1] - 1])
