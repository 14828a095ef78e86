"""Chunks into postings: what the text index holds of one chunk, and of many.

Responsible for which terms a chunk is found by, and for turning chunks (chunk -> terms) into postings (term -> chunks)
inside one worker process. It refuses to know files and rows: documents are numbered from 0 in the order they are added.

Three fields live in one dictionary of terms, told apart by the first character:

    parse        the body: every word of the text, whole and in parts; counted
    \\x01parse    the path: a word of a folder or file name; 2 when it is of the file's stem, else 1
    \\x02parse    a name defined in the chunk; 2 when it is of the chunk's own symbol, else 1
    \\x02=parse   the same, as the whole name in lower case
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, chain, count, pairwise
from typing import TYPE_CHECKING, Any, Self

from scova.tokens import LONGEST_WORD, scored_terms, terms, words
from scova.types import Chunk, ChunkType, Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

BODY, PATH, NAME, EXACT = "", "\x01", "\x02", "\x02="
LARGEST_COUNT = 255  # counts are kept in a byte; BM25 is flat long before that
_REMEMBERED = 1 << 17  # words whose terms are kept
_BULK = 500_000  # characters from which importing numpy costs less than it saves
_BULK_WITH_NUMPY = 20_000  # the same where it is imported already


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
    found.update(_path_terms(chunk.file_path))
    found.update(_name_terms(chunk))
    return found, length


@lru_cache(maxsize=1024)
def _path_terms(path: str) -> tuple[tuple[str, int], ...]:
    stem = path.rsplit("/", 1)[-1].rpartition(".")[0] or path.rsplit("/", 1)[-1]
    found = {PATH + term: 1 for word in words(path) for term in terms(word)}
    found.update({PATH + term: 2 for word in words(stem) for term in terms(word)})
    return tuple(found.items())


def _name_terms(chunk: Chunk) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in chunk.names:
        found.update(dict.fromkeys(_terms_of_name(_last(name, chunk.chunk_type)), 1))
    if chunk.symbol:
        found.update(dict.fromkeys(_terms_of_name(_last(chunk.symbol, chunk.chunk_type)), 2))
    return found


def _last(name: str, chunk_type: ChunkType) -> str:
    """The last component of a qualified name; a heading is prose, and whole."""
    return name if chunk_type is ChunkType.DOCUMENTATION else name.rsplit(".", 1)[-1] or name


@lru_cache(maxsize=1 << 14)
def _terms_of_name(name: str) -> tuple[str, ...]:
    split = tuple(NAME + term for word in words(name) for term in terms(word))
    exact = " ".join(name.lower().split())
    if not exact or len(exact) > LONGEST_WORD:
        return split
    # A name that is no text (a lone surrogate) must not stop the build, and no term may hold a line's end.
    return (*split, EXACT + exact.encode("utf-8", "replace").decode())


@dataclass(frozen=True, slots=True, eq=False)
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
        self._chunks: list[Chunk] = []

    def add(self, chunk: Chunk) -> None:
        """Take the next document."""
        self._chunks.append(chunk)

    def finish(self) -> Postings:
        """Everything gathered, inverted. The same columns whichever way they are computed."""
        size = sum(len(chunk.text) for chunk in self._chunks)
        bulk = size >= (_BULK_WITH_NUMPY if "numpy" in sys.modules else _BULK)
        return _invert_many(self._chunks) if bulk else _invert_few(self._chunks)


def _invert_few(chunks: Sequence[Chunk]) -> Postings:
    """Document by document, without numpy."""
    lengths = array("I")
    postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for doc, chunk in enumerate(chunks):
        found, length = document_terms(chunk)
        lengths.append(length)
        for term, occurrences in found.items():
            postings[term].append((doc, occurrences))
    names = sorted(postings)
    ordered = [posting for name in names for posting in postings[name]]
    return Postings(
        lengths=lengths,
        **_dictionary(names),
        posting_offsets=array("Q", accumulate((len(postings[name]) for name in names), initial=0)),
        docs=array("I", [doc for doc, _ in ordered]),
        counts=bytes(occurrences for _, occurrences in ordered),
    )


def _dictionary(names: Sequence[str]) -> dict[str, Any]:
    encoded = [name.encode() for name in names]
    offsets = array("Q", accumulate((len(name) + 1 for name in encoded), initial=0))
    return {"terms": b"\n".join([*encoded, b""]), "term_offsets": offsets}


def _invert_many(chunks: Sequence[Chunk]) -> Postings:
    """All documents at once: each distinct word is looked up once, and numpy does the counting."""
    import numpy as np

    n = len(chunks)
    words_of = [words(chunk.text) for chunk in chunks]
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    sizes = np.fromiter(map(len, words_of), np.int64, n)
    written = np.fromiter(map(numbers.__getitem__, chain.from_iterable(words_of)), np.int64, int(sizes.sum()))
    docs_of = np.repeat(np.arange(n), sizes)
    ids: defaultdict[str, int] = defaultdict(count().__next__)
    looked_up = [_memo[word] for word in numbers]
    # What is weighed: every occurrence of a word becomes one of each of its terms.
    widths = np.fromiter((len(scored) for scored, _ in looked_up), np.int64, len(looked_up))
    flat = np.fromiter((ids[term] for scored, _ in looked_up for term in scored), np.int64, int(widths.sum()))
    each = widths[written]
    firsts = (np.cumsum(widths) - widths)[written] - (np.cumsum(each) - each)
    terms_at = flat[np.repeat(firsts, each) + np.arange(int(each.sum()))]
    docs_at = np.repeat(docs_of, each)
    keys, counts = np.unique(terms_at * n + docs_at, return_counts=True)
    # Spellings count once, where they are nothing that is weighed.
    spelled = np.fromiter((ids[word] if word else -1 for _, word in looked_up), np.int64, len(looked_up))[written]
    spellings = np.setdiff1d(spelled[spelled >= 0] * n + docs_of[spelled >= 0], keys)
    # Paths and names: few, and never the same terms as those of the body.
    marked = [(*_path_terms(chunk.file_path), *_name_terms(chunk).items()) for chunk in chunks]
    marks = [(ids[term] * n + doc, times) for doc, found in enumerate(marked) for term, times in found]
    other = np.array(marks, np.int64).reshape(-1, 2)
    return _columns(
        np.concatenate([keys, spellings, other[:, 0]]),
        np.concatenate([np.minimum(counts, LARGEST_COUNT), np.ones(len(spellings), np.int64), other[:, 1]]),
        ids,
        lengths=np.bincount(docs_at, minlength=n),
    )


def _columns(keys: "Array", counts: "Array", ids: dict[str, int], *, lengths: "Array") -> Postings:
    """Postings from keys (term id * documents + document) in any order, with their counts."""
    import numpy as np

    n = len(lengths)
    names = sorted(ids)
    ranks = np.empty(len(names), np.int64)
    ranks[np.fromiter(map(ids.__getitem__, names), np.int64, len(names))] = np.arange(len(names))
    terms_of = ranks[keys // n]
    order = np.argsort(terms_of * n + keys % n)
    return Postings(
        lengths=array("I", lengths.astype(np.uint32).tobytes()),
        **_dictionary(names),
        posting_offsets=array("Q", np.append(0, np.cumsum(np.bincount(terms_of, minlength=len(names)))).tobytes()),
        docs=array("I", (keys % n)[order].astype(np.uint32).tobytes()),
        counts=counts[order].astype(np.uint8).tobytes(),
    )


def inverted(chunks: Iterable[Chunk]) -> Postings:
    """These chunks as postings with the rows they have; a chunk given twice counts once."""
    ordered = sorted({chunk.row: chunk for chunk in chunks}.items())
    builder = PostingsBuilder()
    for _, chunk in ordered:
        builder.add(chunk)
    return builder.finish().with_rows([row for row, _ in ordered])
