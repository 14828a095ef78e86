"""The training of `train.py` in numpy alone, for samples: no GPU, no torch, a few thousand pairs in seconds.

    plain.py ENCODED OUT [--epochs N] [--batch N] [--width N] [--vocabulary N]      writes what train.py writes

The same start, the same contrast in both directions and the same optimiser; without clumps, a schedule, a learned temperature, or
whole documentation as the question.
"""

import argparse
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from bags import read_meta, read_view
from numpy.typing import NDArray
from vocabulary import choose, read_lexicon, spelled

Matrix = NDArray[np.float32]
SCALE = 20.0  # one over the temperature


class View:
    """The bags of one view: of each pair its lexicon ids with weights, as rows of the table."""

    def __init__(self, encoded: Path, name: str, lexicon: list[tuple[str, int]], vocabulary: list[str]) -> None:
        bags = read_view(encoded, name)
        lengths, rows = spelled([part for part, _ in lexicon], vocabulary)
        starts, ends = np.cumsum(lengths) - lengths, np.cumsum(lengths)
        bounds = np.concatenate([[0], np.cumsum(bags.sizes)])
        self._bags = []
        for begin, end in pairwise(bounds):
            counts: dict[int, int] = {}
            for entry, n in zip(bags.ids[begin:end], bags.counts[begin:end], strict=True):
                for row in rows[starts[entry] : ends[entry]]:
                    counts[int(row)] = counts.get(int(row), 0) + int(n)
            self._bags.append(([*counts], 1 + np.log([*counts.values()])))
        self._size = len(vocabulary)

    def __len__(self) -> int:
        return len(self._bags)

    def matrix(self, which: NDArray[np.int64]) -> Matrix:
        """These bags as rows over the whole vocabulary."""
        dense = np.zeros((len(which), self._size), np.float32)
        for line, pair in enumerate(which):
            rows, weights = self._bags[pair]
            if rows:
                dense[line, rows] = weights
        return dense


def directions(summed: Matrix) -> tuple[Matrix, Matrix]:
    """Vectors of length one, and the lengths they had."""
    lengths = np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-6)
    return summed / lengths, lengths


def softmax(logits: Matrix) -> Matrix:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def gradient(table: Matrix, asked: Matrix, answers: Matrix) -> tuple[float, Matrix]:
    """The loss of one batch, and its gradient with respect to the table."""
    (query, asked_length), (code, code_length) = directions(asked @ table), directions(answers @ table)
    logits = SCALE * query @ code.T
    there, back = softmax(logits), softmax(logits.T)
    loss = -float(np.log(np.diag(there) + 1e-9).mean() + np.log(np.diag(back) + 1e-9).mean()) / 2
    wrong = SCALE * (there + back.T - 2 * np.eye(len(logits), dtype=np.float32)) / (2 * len(logits))
    found = np.zeros_like(table)
    for bags, own, other, length, share in (
        (asked, query, code, asked_length, wrong),
        (answers, code, query, code_length, wrong.T),
    ):
        pull = share @ other
        found += bags.T @ ((pull - (pull * own).sum(axis=1, keepdims=True) * own) / length)
    return loss, found


class Adam:
    """Adam, betas 0.9 and 0.98."""

    def __init__(self, table: Matrix, rate: float) -> None:
        self.table, self.rate, self.step = table, rate, 0
        self.mean, self.square = np.zeros_like(table), np.zeros_like(table)

    def update(self, slope: Matrix) -> None:
        self.step += 1
        self.mean += 0.1 * (slope - self.mean)
        self.square += 0.02 * (slope * slope - self.square)
        mean, square = self.mean / (1 - 0.9**self.step), self.square / (1 - 0.98**self.step)
        self.table -= self.rate * mean / (np.sqrt(square) + 1e-8)


def train(encoded: Path, o: argparse.Namespace) -> tuple[Matrix, list[str], list[dict[str, Any]]]:
    """One whole run: the table, its vocabulary, and the loss of each epoch."""
    lexicon = read_lexicon(encoded)
    vocabulary = choose(lexicon, o.vocabulary, o.vocabulary // 6)
    first, code = (View(encoded, name, lexicon, vocabulary) for name in ("first", "code"))
    held = read_meta(encoded).held
    rng = np.random.default_rng(o.seed)
    seen = np.array([dict(lexicon).get(entry, 1) for entry in vocabulary], np.float32)
    rarity = np.maximum(np.log((len(held) + 1) / (seen + 1)), 0.3)
    table = rng.standard_normal((len(vocabulary), o.width)).astype(np.float32) / o.width**0.5
    adam = Adam((table * (rarity / rarity.mean())[:, None]).astype(np.float32), o.rate)
    log = []
    for epoch in range(o.epochs):
        order = rng.permutation(np.flatnonzero(held == 0))
        batches = [order[i : i + o.batch] for i in range(0, len(order) - o.batch + 1, o.batch)]
        if not batches:
            raise SystemExit(f"{len(order)} pairs are fewer than one batch of {o.batch}: give a smaller --batch")
        losses = []
        for batch in batches:
            loss, slope = gradient(adam.table, first.matrix(batch), code.matrix(batch))
            adam.update(slope)
            losses.append(loss)
        log.append({"epoch": epoch + 1, "loss": round(float(np.mean(losses)), 4)})
        print(json.dumps(log[-1]), flush=True)
    return adam.table, vocabulary, log


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoded", type=Path)
    parser.add_argument("out", type=Path)
    for name, default in (("epochs", 4), ("batch", 256), ("width", 64), ("vocabulary", 4096), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rate", type=float, default=0.01)
    o = parser.parse_args()
    table, vocabulary, log = train(o.encoded, o)
    o.out.mkdir(parents=True, exist_ok=True)
    np.save(o.out / "table.npy", table.astype(np.float16))
    (o.out / "vocabulary.txt").write_text("".join(f"{entry}\n" for entry in vocabulary))
    (o.out / "log.json").write_text(json.dumps({"options": {k: str(v) for k, v in vars(o).items()}, "epochs": log}))


if __name__ == "__main__":
    main()
