"""Text into vectors with the model that ships with the package: a table of word vectors, added up.

Responsible for reading `static.bin` and for the arithmetic; knows nothing of chunks, stores or caches, and never touches the
network. A text becomes lower-case identifier parts (`scova.tokens`), each part one or more table rows, and its vector is

    sum over the distinct rows r of the text of  weight(count_r) * table[r]

where weight(n) is n to the power that the header names, or 1 + ln n where it names none,
scaled so that its largest component is 127 and rounded to int8; a text without any known token becomes zeros. Only the
direction carries meaning: compare by cosine. A part that is not in the vocabulary is split greedily into the longest pieces that
are: first a bare entry, then entries marked "##"; a character without a piece is passed over.

There are two paths with one result, equal up to rounding by one unit. `embed_query` is plain Python over the
memory-mapped file unless numpy is there anyway, because importing it costs a cold process more than the whole query;
`embed` uses numpy, because an index has hundreds of thousands of chunks.

Format of static.bin, version 1, little-endian:
    4 bytes   magic "SCVM"
    uint32    version
    uint32    length of the header
    header    JSON: name, width, vocab_size, digest (SHA-256 of the four sections, in order), sections, and facts about
              training (pairs, date, metrics); `power`, where a file has it. `sections` maps vocabulary, starts, scales and table to [offset, length].
              The model's identity, which vectors are kept under, is name, digest and power: whatever changes a vector.
Each section starts at a multiple of 64, zero-filled before it:
    vocabulary  UTF-8, one entry a line in byte order, its id the number of lines before it; each line ended by a line feed
    starts      uint32, where in the vocabulary each entry's line begins, and its length at the end
    scales      float32, one per entry
    table       int8, vocab_size rows of `width`; the vector of entry i is row i times scale i
"""

import json
import mmap
import struct
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scova import tokens
from scova.errors import EmbedderError
from scova.types import Spent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"SCVM"
VERSION = 1
_PREFIX = struct.Struct("<4sII")
_MOST_HEADER = 1 << 20
_FEW = 200  # lookups made in the mapped vocabulary itself, before a dictionary of all of it pays
_BATCH = 256  # texts per numpy batch: bounds memory to some 30 MB, and larger ones are no faster
_MOST_MEMO = 1 << 16


def split_part(part: str, find: Callable[[str], int | None]) -> tuple[int, ...]:
    """The ids of one part: its own, or those of the longest known pieces from left to right."""
    whole = find(part)
    if whole is not None:
        return (whole,)
    ids: list[int] = []
    start, mark = 0, ""
    while start < len(part):
        for end in range(len(part), start, -1):
            piece = find(mark + part[start:end])
            if piece is not None:
                ids.append(piece)
                break
        else:
            end = start + 1
        start, mark = end, "##"
    return tuple(ids)


def identity(header: Mapping[str, Any]) -> str:
    """What the vectors of a model are kept under: the digest covers the weights, and how repeated rows count changes vectors too."""
    power = f"^{header['power']}" if header.get("power") else ""
    return f"{header['name']}:{header['digest'][:12]}{power}"


class StaticEmbedder:
    """The shipped model. Constructing it reads only the file's header; the rest is mapped at the first text."""

    is_remote = False
    batch_size = 512  # a worker takes so many at a time
    spent = Spent()

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or Path(__file__).with_name("static.bin")
        self.header = _read_header(self._path)
        self.width: int = self.header["width"]
        self.model: str = identity(self.header)
        self._size: int = self.header["vocab_size"]
        self._power: float = self.header.get("power", 0.0)
        self._part_ids: dict[str, tuple[int, ...]] = {}
        self._word_ids: dict[str, tuple[int, ...]] = {}
        self._looked_up = 0
        self._all_entries: dict[str, int] | None = None

    def __reduce__(self) -> "tuple[type[StaticEmbedder], tuple[Path]]":
        """Goes to another process as its file's path: what is mapped here cannot be sent."""
        return StaticEmbedder, (self._path,)

    def embed_query(self, text: str) -> bytes:
        """The vector of one text, without numpy."""
        counts: dict[int, int] = {}
        for word in tokens.words(text):
            for row in self._ids(word):
                counts[row] = counts.get(row, 0) + 1
        if not counts:
            return bytes(self.width)
        if "numpy" in sys.modules:
            return self._summed(counts)
        width, table, scales = self.width, self._section("table").cast("b"), self._section("scales").cast("f")
        total = [0.0] * width
        for row, n in counts.items():
            weight = scales[row] * self._weight(n)
            values = table[row * width : (row + 1) * width]
            total = [sum_ + weight * value for sum_, value in zip(total, values, strict=True)]
        largest = max(map(abs, total))
        if not largest:
            return bytes(width)
        return struct.pack(f"{width}b", *(round(value * 127.0 / largest) for value in total))

    def _weight(self, n: int) -> float:
        """What a row counts that occurs n times in a text."""
        return n**self._power if self._power else 1.0 + log(n)

    def _summed(self, counts: Mapping[int, int]) -> bytes:
        """The same sum in numpy, for a process that has it loaded: row after row in float64, so bit for bit the same."""
        import numpy as np

        table, scales = self._arrays
        rows = np.array([*counts])
        weights = scales[rows] * [self._weight(n) for n in counts.values()]
        total = np.add.reduce(table[rows] * weights[:, None], axis=0)
        largest = np.maximum.reduce(np.abs(total))
        vector: bytes = np.rint(total * 127.0 / (largest or 1.0)).astype(np.int8).tobytes()
        return vector

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of many texts, in order; the same as `embed_query` of each, up to rounding."""
        vectors: list[bytes] = []
        for start in range(0, len(texts), _BATCH):
            vectors.extend(self._embed_batch(texts[start : start + _BATCH]))
        return vectors

    def _embed_batch(self, texts: Sequence[str]) -> list[bytes]:
        import numpy as np

        rows: list[int] = []
        counts: list[int] = []
        lengths: list[int] = []
        memo = self._word_ids
        for text in texts:
            before = len(rows)
            for word, n in Counter(tokens.words(text)).items():
                ids = memo.get(word)
                if ids is None:
                    ids = self._ids(word)
                rows.extend(ids)
                counts.extend([n] * len(ids) if len(ids) != 1 else (n,))
            lengths.append(len(rows) - before)
        result = np.zeros((len(texts), self.width), np.float32)
        if rows:
            # The same row can come from several words of a text: sort by (text, row) and add the counts up.
            keys = np.repeat(np.arange(len(texts)), lengths) * self._size + np.array(rows)
            order = np.argsort(keys, kind="stable")
            keys = keys[order]
            first = np.flatnonzero(np.diff(keys, prepend=-1))
            times = np.add.reduceat(np.array(counts)[order], first)
            weights = times**self._power if self._power else 1.0 + np.log(times)
            owner, row = np.divmod(keys[first], self._size)
            table, scales = self._arrays
            weighted = table[row].astype(np.float32)
            weighted *= (weights * scales[row]).astype(np.float32)[:, None]
            begins = np.searchsorted(owner, np.arange(len(texts) + 1)).tolist()
            # Row by row and text by text: faster than add.reduceat, and unlike a BLAS product it rounds alike in every batch.
            for i in range(len(texts)):
                np.add.reduce(weighted[begins[i] : begins[i + 1]], axis=0, out=result[i])
        largest = np.abs(result).max(axis=1, keepdims=True)
        scaled = np.rint(result * (127.0 / np.where(largest > 0, largest, 1.0))).astype(np.int8)
        return [vector.tobytes() for vector in scaled]

    def _ids(self, word: str) -> tuple[int, ...]:
        """The table rows of one word, remembered."""
        ids = self._word_ids.get(word)
        if ids is None:
            found: list[int] = []
            for part in tokens.parts(word):
                known = self._part_ids.get(part)
                if known is None:
                    known = self._part_ids[part] = split_part(part, self._find)
                found.extend(known)
            if len(self._word_ids) >= _MOST_MEMO:
                self._word_ids.clear()
                self._part_ids.clear()
            ids = self._word_ids[word] = tuple(found)
        return ids

    def _find(self, entry: str) -> int | None:
        """The id of a vocabulary entry. The first are found by bisection, so that a single query builds no dictionary."""
        if self._all_entries is None:
            self._looked_up += 1
            if self._looked_up <= _FEW:
                return self._bisect(entry.encode())
            lines = self._vocabulary.decode().split("\n")[:-1]
            self._all_entries = dict(zip(lines, range(len(lines)), strict=True))
        return self._all_entries.get(entry)

    def _bisect(self, wanted: bytes) -> int | None:
        lines, starts = self._vocabulary, self._section("starts").cast("I")
        low, high = 0, self._size
        while low < high:
            middle = (low + high) // 2
            line = lines[starts[middle] : starts[middle + 1] - 1]
            if line == wanted:
                return middle
            if line < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    @cached_property
    def _map(self) -> memoryview:
        try:
            with self._path.open("rb") as file:
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            raise _damaged(self._path, str(error)) from error

    def _section(self, name: str) -> memoryview:
        offset, length = self.header["sections"][name]
        return self._map[offset : offset + length]

    @cached_property
    def _vocabulary(self) -> bytes:
        return bytes(self._section("vocabulary"))

    @cached_property
    def _arrays(self) -> "tuple[NDArray[np.int8], NDArray[np.float32]]":
        import numpy as np

        table = np.frombuffer(self._section("table"), np.int8).reshape(self._size, self.width)
        return table, np.frombuffer(self._section("scales"), np.float32)


def _read_header(path: Path) -> dict[str, Any]:
    """The header of a model file, checked against the file's size."""
    try:
        with path.open("rb") as file:
            prefix = file.read(_PREFIX.size)
            if len(prefix) < _PREFIX.size:
                raise _damaged(path, "it is too short")
            magic, version, length = _PREFIX.unpack(prefix)
            if magic != MAGIC or version != VERSION or length > _MOST_HEADER:
                raise _damaged(path, "it is not a model file of version 1")
            header: dict[str, Any] = json.loads(file.read(length))
            size = file.seek(0, 2)
    except OSError as error:
        raise EmbedderError(f"the embedding model {path.name} cannot be read: {error.strerror}", hint=_HINT) from error
    except ValueError as error:
        raise _damaged(path, "its header is unreadable") from error
    try:
        width, entries, sections = header["width"], header["vocab_size"], header["sections"]
        expected = {"starts": 4 * entries + 4, "scales": 4 * entries, "table": entries * width}
        whole = all(sections[name][1] == want for name, want in expected.items())
        whole = whole and all(0 < offset <= offset + length <= size for offset, length in sections.values())
        whole = whole and "vocabulary" in sections and isinstance(header["name"] + header["digest"], str)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise _damaged(path, "its header is incomplete") from error
    if not whole:
        raise _damaged(path, "its sections do not fit the file")
    return header


_HINT = "Reinstall scova, or configure another embedder."


def _damaged(path: Path, why: str) -> EmbedderError:
    return EmbedderError(f"the embedding model {path.name} is damaged: {why}", hint=_HINT)
