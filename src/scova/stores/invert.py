"""Chunks into postings: what the text index holds of one chunk, and of many.

Responsible for which terms a chunk is found by, and for turning chunks (chunk -> terms) into postings (term -> chunks)
inside one worker process. It refuses to know files and rows: documents are numbered from 0 in the order they are added.

Two fields live in one dictionary of terms, told apart by the first character:

    parse        the body: every word of the text, whole and in parts; counted
    \\x02parse    a word of a name defined in the chunk; there or not
    \\x02=parse   the whole name in lower case
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, count, pairwise
from typing import Self

from scova.record import field, record, replace
from scova.tokens import LONGEST_WORD, remembered, scored_terms, terms, words
from scova.types import Chunk, ChunkType, Row

NAME, EXACT = "\x02", "\x02="
LARGEST_COUNT = 255  # counts are kept in a byte; BM25 is flat long before that
_REMEMBERED = 1 << 17  # words whose terms are kept
_BULK = 50_000  # postings from which importing numpy costs less than it saves


class _Memo(dict[str, tuple[tuple[str, ...], str]]):
    """For every word met lately: what it is weighed by, and its spelling where that is none of these.

    One plain dictionary: a cache that keeps order, or a second one to ask, costs as much as all the rest. Most words of code
    are met once, so what they go through on the way is not cached either.
    """

    def __missing__(self, word: str) -> tuple[tuple[str, ...], str]:
        if len(self) >= _REMEMBERED:
            self.clear()
        scored = scored_terms.__wrapped__(word)
        spelling = word.strip("_").lower() if scored else ""
        found = self[word] = (scored, "" if spelling in scored else spelling)
        return found


_memo = _Memo()


def document_terms(chunk: Chunk) -> tuple[dict[str, int], int]:
    """Every term of a chunk with its count, and the length of its body in occurrences of terms that are weighed.

    Spellings are there to be matched, not weighed: they count once and add nothing to the length.
    """
    found: dict[str, int] = {}
    get = found.get
    spellings: list[str] = []
    length = 0
    for word, occurrences in Counter(words(chunk.text)).items():
        scored, spelling = _memo[word]
        for term in scored:
            found[term] = get(term, 0) + occurrences
            length += occurrences
        if spelling:
            spellings.append(spelling)
    if length > LARGEST_COUNT and max(found.values()) > LARGEST_COUNT:
        for term in [term for term, occurrences in found.items() if occurrences > LARGEST_COUNT]:
            found[term] = LARGEST_COUNT
    for spelling in spellings:
        found.setdefault(spelling, 1)
    found.update(_name_terms(chunk))
    return found, length


def _name_terms(chunk: Chunk) -> dict[str, int]:
    names = {_last(name, chunk.chunk_type): None for name in (*chunk.names, chunk.symbol) if name}
    return {term: 1 for name in names for term in _terms_of_name(name)}


def _last(name: str, chunk_type: ChunkType) -> str:
    """The last component of a qualified name; a heading is prose, and whole."""
    return name if chunk_type is ChunkType.DOCUMENTATION else name.rsplit(".", 1)[-1] or name


@remembered(1 << 14)
def _terms_of_name(name: str) -> tuple[str, ...]:
    split = tuple(NAME + term for word in words(name) for term in terms(word))
    exact = " ".join(name.lower().split())
    if not exact or len(exact) > LONGEST_WORD:
        return split
    # A name that is no text (a lone surrogate) must not stop the build, and no term may hold a line's end.
    return (*split, EXACT + exact.encode("utf-8", "replace").decode())


@record(eq=False)
class Postings:
    """Some documents, inverted, as plain columns: small to send between processes. Terms are sorted, each ended by a newline.

    Term `i` is `terms[term_offsets[i] : term_offsets[i + 1] - 1]`; its postings are `docs` and `counts` at
    `posting_offsets[i]` up to `posting_offsets[i + 1]`, documents ascending.
    """

    lengths: "array[int]"  # uint32 per document
    terms: bytes
    term_offsets: "array[int]"  # uint64, one more than there are terms
    posting_offsets: "array[int]"  # uint64, one more than there are terms
    docs: "array[int]"  # uint32 per posting
    counts: bytes
    rows: "array[int]" = field(
        default_factory=lambda: array("q")
    )  # int64 per document, ascending; empty until the store gave them

    def with_rows(self, rows: Sequence[Row]) -> Self:
        """The same documents, under the rows the store gave them in the order they were added."""
        given = array("q", rows)
        if len(given) != len(self.lengths):
            raise ValueError(f"{len(given)} rows for {len(self.lengths)} documents")
        if any(a >= b for a, b in pairwise(given)):
            raise ValueError("rows must ascend in the order the chunks were added")
        return replace(self, rows=given)


class PostingsBuilder:
    """Gathers chunks, then inverts them once. One per worker process; nothing in it is shared."""

    def __init__(self) -> None:
        self._ids: defaultdict[str, int] = defaultdict(count().__next__)
        self._lengths = array("I")
        self._sizes = array("I")  # terms per document
        self._postings = array("I")  # term ids, document after document
        self._counts = bytearray()

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Postings:
        """These chunks, inverted, in the order they come."""
        builder = cls()
        for chunk in chunks:
            builder.add(chunk)
        return builder.finish()

    def add(self, chunk: Chunk) -> None:
        """Take the next document."""
        found, length = document_terms(chunk)
        self._postings.extend(map(self._ids.__getitem__, found))
        self._counts.extend(found.values())
        self._sizes.append(len(found))
        self._lengths.append(length)

    def postings(self) -> int:
        """How many postings have been gathered: what the memory in use goes by."""
        return len(self._postings)

    def finish(self) -> Postings:
        """Everything gathered, inverted. The same columns whichever way they are computed."""
        names = sorted(self._ids)
        places = array("I", map(self._ids.__getitem__, names))
        ranks = array("I", bytes(4 * len(names)))
        for rank, place in enumerate(places):
            ranks[place] = rank
        frequencies = Counter(self._postings)
        encoded = [name.encode() for name in names]
        bulk = "numpy" in sys.modules or len(self._postings) >= _BULK
        docs, counts = (self._inverted_numpy if bulk else self._inverted_python)(ranks)
        return Postings(
            lengths=self._lengths,
            terms=b"\n".join([*encoded, b""]),
            term_offsets=array("Q", accumulate((len(name) + 1 for name in encoded), initial=0)),
            posting_offsets=array("Q", accumulate(map(frequencies.__getitem__, places), initial=0)),
            docs=docs,
            counts=counts,
        )

    def _inverted_python(self, ranks: "array[int]") -> "tuple[array[int], bytes]":
        """Documents and counts in the order of their terms; a stable sort keeps documents ascending within one."""
        keys = list(map(ranks.__getitem__, self._postings))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        owners = [doc for doc, size in enumerate(self._sizes) for _ in range(size)]
        return array("I", map(owners.__getitem__, order)), bytes(map(self._counts.__getitem__, order))

    def _inverted_numpy(self, ranks: "array[int]") -> "tuple[array[int], bytes]":
        import numpy as np

        order = np.argsort(np.asarray(ranks, np.uint32)[np.asarray(self._postings, np.uint32)], kind="stable")
        owners = np.repeat(np.arange(len(self._sizes), dtype=np.uint32), np.asarray(self._sizes, np.uint32))
        docs = array("I")
        docs.frombytes(owners[order].tobytes())
        return docs, np.frombuffer(bytes(self._counts), np.uint8)[order].tobytes()


def inverted(chunks: Iterable[Chunk]) -> Postings:
    """These chunks as postings with the rows they have; a chunk given twice counts once."""
    ordered = sorted({chunk.row: chunk for chunk in chunks}.items())
    return PostingsBuilder.of(chunk for _, chunk in ordered).with_rows([row for row, _ in ordered])
