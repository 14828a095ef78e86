"""Pairs into a vocabulary and compact bags of token ids.

    encode.py FOLDER      reads FOLDER/pairs.jsonl; writes FOLDER/encoded/{vocabulary.txt, meta.json, *.bin.xz}

A bag is the sorted distinct ids of a text with their counts. Documentation has two views: its first paragraph and the
whole (empty when that is all of it). About one package in forty is held out, all of it, for evaluation.
"""

import hashlib
import json
import lzma
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from exclusions import family

from scova import tokens
from scova.embed.static import split_part

VOCABULARY = 32_768
PIECES = 5_000  # of them continuation pieces
RARE = 8  # a whole part in fewer texts than this is left to its pieces
COMMON = 200  # texts that make a part common enough to be sought inside others; elsewhere only endings are
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
MOST_IDS = 160  # distinct ids kept of one text


def held_out(package: str) -> bool:
    """By project family, so that the same project from another registry, or a sibling package, is on the same side."""
    return hashlib.sha256(family(package).encode()).digest()[0] < 7


def read(folder: Path) -> Iterator[dict[str, str]]:
    with (folder / "pairs.jsonl").open() as file:
        for line in file:
            yield json.loads(line)


def part_counts(text: str) -> Counter[str]:
    counts = Counter[str]()
    for word, n in Counter(tokens.words(text)).items():
        for part in tokens.parts(word):
            counts[part] += n
    return counts


def vocabulary(texts: Iterable[str]) -> list[str]:
    """Single letters and digits, continuation pieces, then whole parts, each by how many texts have it."""
    seen = Counter[str]()
    for text in texts:
        seen.update(part_counts(text).keys())
    pieces = Counter[str]()
    for part, n in seen.items():
        if part.isascii() and len(part) > 3:
            weight = min(n, 50)
            for start in range(2, len(part)):
                for end in range(start + 2, min(start + 9, len(part) + 1)):
                    if end == len(part) or seen[part[start:end]] >= COMMON:
                        pieces["##" + part[start:end]] += weight * (end - start - 1)
    chosen = [*ALPHABET, *("##" + c for c in ALPHABET)]
    chosen += [piece for piece, _ in pieces.most_common(PIECES)]
    whole = [part for part, n in seen.most_common() if n >= RARE and len(part) > 1 and "\n" not in part]
    chosen += whole[: VOCABULARY - len(chosen)]
    frequency = lambda entry: -(seen[entry] if not entry.startswith("##") else 0)  # noqa: E731
    return sorted(chosen, key=frequency)


class Bags:
    """Bags appended one by one, written as three flat arrays."""

    def __init__(self) -> None:
        self.ids, self.counts, self.sizes = bytearray(), bytearray(), list[int]()

    def add(self, bag: dict[int, int]) -> None:
        kept = sorted(bag)
        if len(kept) > MOST_IDS:
            kept = sorted(sorted(kept, key=lambda i: -bag[i])[:MOST_IDS])
        self.ids += np.diff(np.array([0, *kept])).astype("<u2").tobytes()
        self.counts += bytes(min(bag[i], 255) for i in kept)
        self.sizes.append(len(kept))

    def write(self, folder: Path, name: str) -> None:
        gaps = np.frombuffer(self.ids, "<u2")
        arrays = {
            "low": (gaps & 255).astype("u1"),
            "high": (gaps >> 8).astype("u1"),
            "counts": np.frombuffer(self.counts, "u1"),
            "sizes": np.array(self.sizes, "u1"),
        }
        for part, array in arrays.items():
            (folder / f"{name}.{part}.bin.xz").write_bytes(lzma.compress(array.tobytes(), preset=1))


def first_paragraph(doc: str) -> str:
    first = doc.split("\n\n", 1)[0]
    return first if len(first.split()) >= 3 else doc


def main(folder: Path) -> None:
    out = folder / "encoded"
    out.mkdir(exist_ok=True)
    entries = vocabulary(text for pair in read(folder) for text in (pair["doc"], pair["code"]))
    (out / "vocabulary.txt").write_text("\n".join(entries) + "\n")
    index = {entry: i for i, entry in enumerate(entries)}
    memo: dict[str, tuple[int, ...]] = {}
    packages: dict[str, int] = {}
    langs: dict[str, int] = {}
    views = {name: Bags() for name in ("first", "whole", "code")}
    meta = []

    def bag(text: str) -> dict[int, int]:
        ids: dict[int, int] = {}
        for part, n in part_counts(text).items():
            if part not in memo:
                memo[part] = split_part(part, index.get)
            for i in memo[part]:
                ids[i] = ids.get(i, 0) + n
        return ids

    for pair in read(folder):
        first = first_paragraph(pair["doc"])
        views["first"].add(bag(first))
        views["whole"].add(bag(pair["doc"]) if len(first) < len(pair["doc"]) else {})
        views["code"].add(bag(pair["code"]))
        package = packages.setdefault(pair["package"], len(packages))
        meta.append(
            (package, langs.setdefault(pair["lang"], len(langs)), pair["kind"] == "name", held_out(pair["package"]))
        )
    for name, bags in views.items():
        bags.write(out, name)
    table = np.array(meta, "<i4")
    (out / "meta.bin.xz").write_bytes(lzma.compress(np.ascontiguousarray(table.T).tobytes()))
    facts = {"pairs": len(meta), "langs": list(langs), "packages": len(packages), "vocabulary": len(entries)}
    (out / "meta.json").write_text(json.dumps(facts))
    print(facts, sum(f.stat().st_size for f in out.iterdir()) >> 20, "MiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
