"""Which parts of a lexicon become rows of the table, and how every other part is spelled with them."""

import lzma
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from scova.embed.static import split_part

COMMON = 200  # texts that make a part common enough to be sought inside others; elsewhere only endings are
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def read_lexicon(encoded: Path) -> list[tuple[str, int]]:
    """Parts, most frequent first, with how many texts have each."""
    lines = lzma.decompress((encoded / "lexicon.txt.xz").read_bytes()).decode().splitlines()
    return [(part, int(n)) for part, n in (line.split(" ") for line in lines)]


def choose(lexicon: list[tuple[str, int]], size: int, pieces: int) -> list[str]:
    """Single letters and digits, continuation pieces, then whole parts, the most frequent first."""
    seen = Counter(dict(lexicon))
    found = Counter[str]()
    for part, n in lexicon:
        if part.isascii() and len(part) > 3:
            for start in range(2, len(part)):
                for end in range(start + 2, min(start + 9, len(part) + 1)):
                    if end == len(part) or seen[part[start:end]] >= COMMON:
                        found["##" + part[start:end]] += min(n, 50) * (end - start - 1)
    chosen = [*ALPHABET, *("##" + c for c in ALPHABET)]
    chosen += [piece for piece, _ in found.most_common(pieces)]
    chosen += [part for part, _ in lexicon if len(part) > 1][: max(0, size - len(chosen))]
    return sorted(chosen, key=lambda entry: -(0 if entry.startswith("##") else seen[entry]))


def spelled(parts: list[str], vocabulary: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each part how many rows it takes, and all of these rows one after the other."""
    index = {entry: i for i, entry in enumerate(vocabulary)}
    rows = [split_part(part, index.get) for part in parts]
    return np.array([len(ids) for ids in rows], np.int64), np.array([i for ids in rows for i in ids], np.int64)
