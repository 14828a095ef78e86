"""Held-out retrieval with the packed model, beside BM25 on the same tokens.

    evaluate.py FOLDER static.bin OUT.json [--queries 1000] [--least 100]

Queries are first sentences of documentation from packages that training never saw; candidates are 20,000 codes, those of
the queries included, of the same language as far as there are enough. The vectors are what users get: int8, through the loader.
"""

import argparse
import json
import math
import random
import sys
from array import array
from collections import defaultdict
from pathlib import Path

import numpy as np
from encode import first_sentence, held_out, part_counts, read

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from scova.embed.static import StaticEmbedder

POOL = 20_000


def unit(vectors: list[bytes]) -> np.ndarray:
    matrix = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1).astype(np.float32)
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def reciprocal(scores: np.ndarray, own: int) -> float:
    """1 / rank of the right answer within ten; ties count against it."""
    rank = int((scores >= scores[own]).sum())
    return 1 / rank if rank <= 10 else 0.0


class Bm25:
    """Okapi BM25 (k1 1.2, b 0.75) over identifier parts."""

    def __init__(self, texts: list[str]) -> None:
        self.postings: dict[str, tuple[array[int], array[float]]] = defaultdict(lambda: (array("l"), array("d")))
        lengths = []
        for number, text in enumerate(texts):
            counts = part_counts(text)
            lengths.append(sum(counts.values()))
            for part, n in counts.items():
                self.postings[part][0].append(number)
                self.postings[part][1].append(n)
        self.norm = 1.2 * (0.25 + 0.75 * np.array(lengths) / max(1.0, float(np.mean(lengths))))

    def scores(self, query: str) -> np.ndarray:
        total = np.zeros(len(self.norm))
        for part in part_counts(query):
            if part in self.postings:
                documents, counts = (np.array(column) for column in self.postings[part])
                idf = math.log(1 + (len(self.norm) - len(documents) + 0.5) / (len(documents) + 0.5))
                total[documents] += idf * counts * 2.2 / (counts + self.norm[documents])
        return total


def evaluate(queries: list[str], codes: list[str], embedder: StaticEmbedder) -> dict[str, float]:
    """Query i's answer is code i."""
    similarity = unit(embedder.embed(queries)) @ unit(embedder.embed(codes)).T
    bm25 = Bm25(codes)
    found: dict[str, list[float]] = {"static": [], "bm25": [], "both": []}
    for number, query in enumerate(queries):
        text = bm25.scores(query)
        found["static"].append(reciprocal(similarity[number], number))
        found["bm25"].append(reciprocal(text, number) if text[number] > 0 else 0.0)
        found["both"].append(
            reciprocal(similarity[number] / max(1e-9, similarity[number].max()) + text / max(1e-9, text.max()), number)
        )
    return {name: round(float(np.mean(values)), 3) for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--least", type=int, default=100, help="languages with fewer held-out pairs are left out")
    options = parser.parse_args()
    rng = random.Random(11)
    asked: dict[str, list[dict[str, str]]] = defaultdict(list)
    others: dict[str, list[str]] = defaultdict(list)
    mixed: list[str] = []
    for pair in read(options.folder):
        if pair["kind"] != "doc":
            continue
        if held_out(pair["package"]):
            asked[pair["lang"]].append(pair)
        elif rng.random() < 0.3 or pair["lang"] not in ("python", "javascript", "java", "go"):
            others[pair["lang"]].append(pair["code"])
            mixed.append(pair["code"])
    embedder = StaticEmbedder(options.model)
    result: dict[str, dict[str, float]] = {}
    for lang, held in sorted(asked.items(), key=lambda item: -len(item[1])):
        if len(held) < options.least:
            continue
        rng.shuffle(held)
        chosen = held[: options.queries]
        same = [pair["code"] for pair in held[options.queries :]] + rng.sample(
            others[lang], min(POOL, len(others[lang]))
        )
        room = POOL - len(chosen)
        codes = [pair["code"] for pair in chosen] + (
            same + rng.sample(mixed, min(len(mixed), max(0, room - len(same))))
        )[:room]
        result[lang] = evaluate([first_sentence(pair["doc"]) for pair in chosen], codes, embedder)
        result[lang] |= {"queries": len(chosen), "candidates": len(codes)}
        print(lang, result[lang], flush=True)
    options.out.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
