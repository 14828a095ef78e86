"""Reads what `encode.py` wrote: the one reader of the encoded format, for both trainings. Needs numpy alone.

    NAME.low, .middle, .high    bytes of the gaps between ascending lexicon ids; the first gap of a bag is its first id
    NAME.counts, NAME.sizes     how often each id occurs in its text; how many ids each bag has
    meta                        four rows of int32, a column per pair: package, language, kind, whether it is held out

each compressed as NAME.PART.bin.xz, `meta.bin.xz`; NAME is one of the views first, whole and code.
"""

import lzma
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Encoded(NamedTuple):
    """The bags of one view, one after the other."""

    ids: NDArray[np.int64]  # of the lexicon, ascending in each bag
    counts: NDArray[np.uint8]
    sizes: NDArray[np.int64]


class Meta(NamedTuple):
    """What each pair is; numbers of names in meta.json."""

    package: NDArray[np.int32]
    lang: NDArray[np.int32]
    kind: NDArray[np.int32]
    held: NDArray[np.int32]


def read_view(encoded: Path, name: str) -> Encoded:
    """All bags of a view."""
    raw = {
        part: np.frombuffer(_read(encoded / f"{name}.{part}.bin.xz"), "u1")
        for part in ("low", "middle", "high", "counts", "sizes")
    }
    low, middle, high, sizes = (raw[part].astype(np.int64) for part in ("low", "middle", "high", "sizes"))
    running = np.cumsum(low + (middle << 8) + (high << 16))  # gaps restart in every bag: take away what ran up before
    starts = np.cumsum(sizes) - sizes
    before = np.concatenate([[0], running])[starts]
    return Encoded(running - np.repeat(before, sizes), raw["counts"], sizes)


def read_meta(encoded: Path) -> Meta:
    return Meta(*np.frombuffer(_read(encoded / "meta.bin.xz"), "<i4").reshape(4, -1))


def _read(path: Path) -> bytes:
    return lzma.decompress(path.read_bytes())
