"""Vectors to measure with: those that the shipped model gives to real code, as many as are wanted.

Files are cut from top to bottom into pieces of 8 to 40 lines without overlap, about as chunks are, and taken folder by folder, as an
index meets them. Where the trees do not have enough code, they are gone through again from another line on: the same code, cut
elsewhere, as in a vendored copy. Questions are comment and documentation lines of the same trees, in the words of people: they
lie farther from all code than pieces of code lie from each other, which is harder on a graph than asking for a vector it holds.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from scova.embed.static import StaticEmbedder

SUFFIXES = frozenset(f".{end}" for end in ("c", "cc", "cpp", "cs", "go", "h", "java", "js", "kt", "lua", "md", "php"))
SUFFIXES |= frozenset(f".{end}" for end in ("py", "rb", "rs", "scala", "sh", "swift", "ts"))
_AT_ONCE = 2048


def sources(trees: list[Path]) -> list[Path]:
    """Every source file below these folders, folder by folder."""
    found = (path for tree in trees for path in tree.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    return sorted(path for path in found if 400 < path.stat().st_size < 500_000)


def chosen(files: list[Path], count: int) -> list[Path]:
    """About as many of them as it takes to make so many pieces, in their order."""
    bytes_wanted = count * 24 * 42
    order = random.Random(1).sample(files, len(files))
    taken: list[Path] = []
    for path in order:
        taken.append(path)
        bytes_wanted -= path.stat().st_size
        if bytes_wanted < 0:
            break
    return sorted(taken)


def pieces(files: list[Path], count: int) -> Iterator[str]:
    """`count` pieces of code."""
    chance = random.Random(2)
    made = turn = 0
    while made < count:
        for path in files:
            lines = path.read_text("utf-8", "replace").splitlines()
            start = turn * 5
            while start < len(lines) and made < count:
                end = start + chance.randrange(8, 41)
                yield "\n".join(lines[start:end])
                start = end
                made += 1
        turn += 1


def vectors(files: list[Path], count: int) -> "np.ndarray[tuple[int, int], np.dtype[np.int8]]":
    """An int8 matrix of `count` vectors."""
    embedder = StaticEmbedder()
    made = np.zeros((count, embedder.width), np.int8)
    batch: list[str] = []
    done = 0
    for text in pieces(files, count):
        batch.append(text)
        if len(batch) == _AT_ONCE or done + len(batch) == count:
            flat = np.frombuffer(b"".join(embedder.embed(batch)), np.int8)
            made[done : done + len(batch)] = flat.reshape(len(batch), -1)
            done += len(batch)
            batch = []
    return made


def questions(files: list[Path], count: int) -> list[bytes]:
    """Vectors of lines in words: what a comment says is about what a person asks."""
    chance, embedder = random.Random(3), StaticEmbedder()
    asked: list[bytes] = []
    while len(asked) < count:
        lines = chance.choice(files).read_text("utf-8", "replace").splitlines()
        said = [line.strip() for line in lines if line.strip()[:1] in ("#", "/", "*", '"', "'", "-")]
        words = chance.choice(said).lstrip("#/*-\"' !").split() if said else []
        if 4 <= len(words) <= 20 and any(vector := embedder.embed_query(" ".join(words))):
            asked.append(vector)
    return asked
