"""Pairs into compact bags of lexicon ids.

    encode.py bags FOLDER KIND ...   FOLDER/pairs/KIND.jsonl into FOLDER/bags/KIND.npz, each with words of its own
    encode.py join FOLDER            all of FOLDER/bags into FOLDER/encoded, de-duplicated

The lexicon is every lower-case identifier part that occurs often enough, most frequent first; which of them become rows of the table, and
which are left to word pieces, is decided when training begins, so that one encoding serves every size of vocabulary. A bag is the
sorted distinct ids of a text with their counts. Documentation has two views: its first paragraph and the whole (empty when that
is all of it). About one package in forty is held out, all of it, for evaluation.
"""

import hashlib
import json
import lzma
import multiprocessing
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from exclusions import body_digest, digest, family

from scova import tokens

RARE = 3  # a part that occurs in fewer texts is left out of the lexicon, and its letters with it
MOST_CODE = 3000  # characters of code: about what a chunk of the index has
MOST_IDS = 120  # distinct ids kept of one text
HELD_OUT = int(
    os.environ.get("HELD_OUT", "7")
)  # project families of 256 that are kept for evaluation; a sample needs more
VIEWS = ("first", "whole", "code")
KINDS = ("doc", "name", "path", "file", "comment", "test", "section", "example")


def held_out(package: str) -> bool:
    """By project family, so that the same project from another registry, or a sibling package, is on the same side."""
    return hashlib.sha256(family(package).encode()).digest()[0] < HELD_OUT


def read(folder: Path) -> Iterator[dict[str, str]]:
    """Every harvested pair."""
    for path in sorted((folder / "pairs").glob("*.jsonl")):
        with path.open() as file:
            for line in file:
                yield json.loads(line)


def part_counts(text: str) -> Counter[str]:
    counts = Counter[str]()
    for word, n in Counter(tokens.words(text)).items():
        for part in tokens.parts(word):
            counts[part] += n
    return counts


def first_paragraph(doc: str) -> str:
    first = doc.split("\n\n", 1)[0]
    return first if len(first.split()) >= 3 else doc


def first_sentence(doc: str) -> str:
    """What one would ask, rather than what one would write: the first paragraph, or of a long one its first sentence."""
    first = first_paragraph(doc)
    if len(first.split()) <= 30:
        return first
    sentence = re.split(r"(?<=[a-z)`'\"])[.:;](?:\s|$)", first, maxsplit=1)[0]
    return sentence if len(sentence.split()) >= 3 else first


class Bags:
    """Bags with ids in the order in which words were met."""

    def __init__(self, ids_of: dict[str, int]) -> None:
        self.ids, self.counts, self.sizes = list[int](), bytearray(), list[int]()
        self._ids_of, self._memo = ids_of, dict[str, tuple[int, ...]]()

    def add(self, text: str) -> None:
        bag: dict[int, int] = {}
        for word, n in Counter(tokens.words(text)).items():
            known = self._memo.get(word)
            if known is None:
                ids_of = self._ids_of
                known = self._memo[word] = tuple(ids_of.setdefault(part, len(ids_of)) for part in tokens.parts(word))
            for i in known:
                bag[i] = bag.get(i, 0) + n
        kept = bag if len(bag) <= MOST_IDS else sorted(bag, key=bag.__getitem__, reverse=True)[:MOST_IDS]
        self.ids.extend(kept)
        self.counts.extend(min(bag[i], 255) for i in kept)
        self.sizes.append(len(kept))

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        return {
            f"{name}_ids": np.array(self.ids, np.int32),
            f"{name}_counts": np.frombuffer(bytes(self.counts), np.uint8),
            f"{name}_sizes": np.array(self.sizes, np.uint8),
        }


def bags(folder: Path, kind: str) -> None:
    """One file of pairs, encoded with a lexicon of its own."""
    ids_of: dict[str, int] = {}
    views = {name: Bags(ids_of) for name in VIEWS}
    packages, langs, meta, hashes = dict[str, int](), dict[str, int](), [], bytearray()
    with (folder / "pairs" / f"{kind}.jsonl").open() as file:
        for line in file:
            pair = json.loads(line)
            said, code = pair["doc"], pair["code"]
            if pair["kind"] == "path" and len(said.split()) < 2:
                continue
            first = first_sentence(said)
            views["first"].add(first)
            views["whole"].add(said if len(first) < 0.8 * len(said) else "")
            views["code"].add(code[:MOST_CODE])
            package = packages.setdefault(pair["package"], len(packages))
            meta.append((package, langs.setdefault(pair["lang"], len(langs)), KINDS.index(pair["kind"])))
            hashes += body_digest(code)[:8] + digest(said.lower())[:8]
    (folder / "bags").mkdir(exist_ok=True)
    arrays = {key: array for name, view in views.items() for key, array in view.arrays(name).items()}
    np.savez(
        folder / "bags" / f"{kind}.npz",
        meta=np.array(meta, np.int32).reshape(-1, 3),
        hashes=np.frombuffer(bytes(hashes), np.int64).reshape(-1, 2),
        names=np.frombuffer(
            json.dumps({"parts": [*ids_of], "packages": [*packages], "langs": [*langs]}).encode(), np.uint8
        ),
        **arrays,
    )
    print(kind, len(meta), "pairs", len(ids_of), "parts", flush=True)


def join(folder: Path) -> None:
    """All bags under one lexicon; a body once, a documentation text at most twice."""
    loaded = [dict(np.load(path)) for path in sorted((folder / "bags").glob("*.npz"))]
    names = [json.loads(one.pop("names").tobytes()) for one in loaded]
    keep = np.split(
        fresh(np.concatenate([one["hashes"] for one in loaded])), np.cumsum([len(one["meta"]) for one in loaded])[:-1]
    )
    entries, renumbered = lexicon(loaded, names, keep)
    out = folder / "encoded"
    out.mkdir(exist_ok=True)
    packages, langs, meta = dict[str, int](), dict[str, int](), []
    for one, said, kept in zip(loaded, names, keep, strict=True):
        package = np.array([packages.setdefault(name, len(packages)) for name in said["packages"]], np.int32)
        lang = np.array([langs.setdefault(name, len(langs)) for name in said["langs"]], np.int32)
        held = np.array([held_out(name) for name in said["packages"]], np.int32)
        rows = one["meta"][kept]
        meta.append(np.stack([package[rows[:, 0]], lang[rows[:, 1]], rows[:, 2], held[rows[:, 0]]]))
    table = np.concatenate(meta, axis=1)
    jobs = []
    for view in VIEWS:
        jobs += planes(
            out, view, [select(one, view, kept, new) for one, kept, new in zip(loaded, keep, renumbered, strict=True)]
        )
    with multiprocessing.get_context("fork").Pool() as pool:
        pool.starmap(compress, jobs, chunksize=1)
    (out / "meta.bin.xz").write_bytes(lzma.compress(table.astype("<i4").tobytes(), preset=1))
    (out / "lexicon.txt.xz").write_bytes(
        lzma.compress("".join(f"{part} {n}\n" for part, n in entries).encode(), preset=6)
    )
    facts = {
        "pairs": table.shape[1],
        "packages": len(packages),
        "langs": [*langs],
        "kinds": KINDS,
        "lexicon": len(entries),
    }
    facts["by_lang"] = {name: int((table[1] == i).sum()) for name, i in langs.items()}
    facts["by_kind"] = {name: int((table[2] == i).sum()) for i, name in enumerate(KINDS)}
    (out / "meta.json").write_text(json.dumps(facts))
    print(facts, sum(f.stat().st_size for f in out.iterdir()) >> 20, "MiB")


def fresh(hashes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs are kept: the first of each body, the first two of each documentation."""
    keep = np.zeros(len(hashes), bool)
    keep[np.unique(hashes[:, 0], return_index=True)[1]] = True
    order = np.argsort(hashes[:, 1], kind="stable")
    sorted_docs = hashes[order, 1]
    third = np.zeros(len(hashes), bool)
    third[order[2:]] = sorted_docs[2:] == sorted_docs[:-2]
    return keep & ~third


def lexicon(loaded: list[dict[str, Any]], names: list[Any], keep: list[Any]) -> tuple[list[tuple[str, int]], list[Any]]:
    """The entries by how many texts have them, most frequent first, and each file's ids as ids of it; -1 for what is too rare."""
    seen = Counter[str]()
    for one, said in zip(loaded, names, strict=True):
        counts = sum(np.bincount(one[f"{view}_ids"], minlength=len(said["parts"])) for view in ("first", "code"))
        for part, n in zip(said["parts"], counts.tolist(), strict=True):
            seen[part] += n
    entries = [(part, n) for part, n in seen.most_common() if n >= RARE and "\n" not in part and " " not in part]
    index = {part: i for i, (part, _) in enumerate(entries)}
    return entries, [np.array([index.get(part, -1) for part in said["parts"]], np.int32) for said in names]


def select(one: dict[str, Any], view: str, kept: NDArray[np.bool_], new: NDArray[np.int32]) -> tuple[Any, Any, Any]:
    """Ids in the joint lexicon, counts and sizes of the bags that are kept, ids ascending in each."""
    sizes = one[f"{view}_sizes"].astype(np.int64)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    ids = new[one[f"{view}_ids"]]
    chosen = kept[owner] & (ids >= 0)
    owner, ids, counts = owner[chosen], ids[chosen], one[f"{view}_counts"][chosen]
    order = np.argsort(owner * (1 << 24) + ids, kind="stable")
    sizes = np.bincount(owner, minlength=len(sizes))[kept]
    return ids[order], counts[order], sizes


def planes(folder: Path, name: str, pieces: list[tuple[Any, Any, Any]]) -> Iterator[tuple[Path, Any]]:
    """One view as flat arrays: the low, middle and high bytes of the gaps between ids, counts and sizes."""
    ids, counts, sizes = (np.concatenate(column) for column in zip(*pieces, strict=True))
    gaps = np.diff(ids, prepend=0)
    starts = (np.cumsum(sizes) - sizes)[sizes > 0]
    gaps[starts] = ids[starts]
    arrays = {"low": gaps & 255, "middle": gaps >> 8 & 255, "high": gaps >> 16, "counts": counts, "sizes": sizes}
    for part, array in arrays.items():
        yield folder / f"{name}.{part}.bin.xz", array.astype("u1")


def compress(path: Path, array: Any) -> None:
    path.write_bytes(lzma.compress(array.tobytes(), preset=2))


if __name__ == "__main__":
    if sys.argv[1] == "join":
        join(Path(sys.argv[2]))
    else:
        for kind in sys.argv[3:]:
            bags(Path(sys.argv[2]), kind)
