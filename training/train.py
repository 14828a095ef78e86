"""Train the table on encoded bags by in-batch contrast.

    train.py ENCODED OUT [--epochs N] [--batch N] [--clump N] …      writes OUT/{table.npy, vocabulary.txt, log.json}

Questions and code are both bags of the same table, so a text's vector is a weighted sum of rows. Each step draws a batch of
pairs, compares every question with every code in it, and asks for the right partner in both directions (InfoNCE). A batch is
made of clumps: some pairs of one package each, so that the wrong answers include neighbours from the same project, which
is what a search inside a repository has to tell apart. Two things make the table learn what a text index does not find anyway:
words that the question shares with its code are dropped from some questions, and part of the loss is taken after a BM25 score of
the same batch was added. Runs on a GPU when there is one.
"""

import argparse
import json
import lzma
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional
from vocabulary import choose, read_lexicon, spelled

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclass
class Options:
    """Everything that can be varied."""

    epochs: int = 3
    batch: int = 4096
    clump: int = 128
    width: int = 256
    vocabulary: int = 32_768
    pieces: int = 5_000
    seed: int = 1
    rate: float = 0.01
    temperature: float = 0.05
    whole: float = 0.5  # how often the whole documentation is asked instead of its first sentence
    drop: float = 0.0  # words left out on both sides
    shared: float = (
        0.0  # share of the questions from which words that their code has are dropped, each with this probability too
    )
    residual: float = 0.0  # share of the loss that is taken with BM25 added
    balance: float = 0.0  # 0: languages as they come; 1: all languages alike
    kinds: str = ""  # factors on how often a kind is drawn, as "path=0.5,test=0.2"
    answers: float = 0.5  # share of the loss in the direction from code to question


Spelling = tuple[
    torch.Tensor, torch.Tensor, int
]  # of each lexicon entry how many rows, all the rows, size of the vocabulary


def spelling(parts: list[str], vocabulary: list[str]) -> Spelling:
    lengths, rows = (torch.from_numpy(array).to(DEVICE) for array in spelled(parts, vocabulary))
    return lengths, rows, len(vocabulary)


class Bags:
    """The bags of one view as rows of a vocabulary with weights 1 + ln count, all on the device."""

    def __init__(self, ids: np.ndarray, counts: np.ndarray, sizes: np.ndarray, spelling: "Spelling") -> None:
        lengths, rows, size = spelling
        entries = torch.from_numpy(ids.astype(np.int64)).to(DEVICE)
        owner = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)).to(DEVICE)
        first = lengths.cumsum(0) - lengths
        times = lengths[entries]
        offsets = times.cumsum(0) - times
        within = torch.arange(int(times.sum()), device=DEVICE) - torch.repeat_interleave(offsets, times)
        flat = torch.repeat_interleave(torch.arange(len(entries), device=DEVICE), times)
        keys = owner[flat] * size + rows[first[entries[flat]] + within]
        self.keys, where = torch.unique(keys, return_inverse=True)  # (bag, row), ascending
        often = torch.from_numpy(counts.astype(np.float32)).to(DEVICE)
        total = torch.zeros(len(self.keys), device=DEVICE).index_add_(0, where, often[flat])
        self.ids, self.weights, self.counts = (self.keys % size).int(), 1 + total.clamp(min=1).log(), total
        self.sizes = torch.bincount(self.keys // size, minlength=len(sizes))
        self.starts = self.sizes.cumsum(0) - self.sizes

    @classmethod
    def read(cls, folder: Path, name: str, spelling: "Spelling") -> "Bags":
        """A view that `encode.py` wrote."""
        raw = {
            part: np.frombuffer(lzma.decompress((folder / f"{name}.{part}.bin.xz").read_bytes()), "u1")
            for part in ("low", "middle", "high", "counts", "sizes")
        }
        sizes = raw["sizes"].astype(np.int64)
        gaps = (
            raw["low"].astype(np.int64) + (raw["middle"].astype(np.int64) << 8) + (raw["high"].astype(np.int64) << 16)
        )
        running = np.cumsum(gaps)  # gaps restart in every bag: take away what ran up before it
        starts = np.cumsum(sizes) - sizes
        before = np.where(starts > 0, running[np.maximum(starts, 1) - 1], 0)
        return cls(running - np.repeat(before, sizes), raw["counts"], sizes, spelling)

    def take(self, which: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Where the entries of some bags lie, and their offsets."""
        sizes = self.sizes[which]
        offsets = sizes.cumsum(0) - sizes
        flat = torch.arange(int(sizes.sum()), device=DEVICE)
        return flat - torch.repeat_interleave(offsets - self.starts[which], sizes), offsets


class Data:
    """Everything encoded, in one vocabulary."""

    def __init__(self, encoded: Path, size: int, pieces: int) -> None:
        self.facts = json.loads((encoded / "meta.json").read_text())
        lexicon = read_lexicon(encoded)
        self.vocabulary = choose(lexicon, size, pieces)
        said = spelling([part for part, _ in lexicon], self.vocabulary)
        self.size = len(self.vocabulary)
        self.first, self.whole, self.code = (Bags.read(encoded, name, said) for name in ("first", "whole", "code"))
        self.package, self.lang, self.kind, self.held = np.frombuffer(
            lzma.decompress((encoded / "meta.bin.xz").read_bytes()), "<i4"
        ).reshape(4, -1)
        self.first_shared, self.whole_shared = self._shared(self.first), self._shared(self.whole)
        seen = torch.bincount(self.code.ids.long(), minlength=self.size).float()
        self.rarity = torch.log(1 + (len(self.kind) - seen + 0.5) / (seen + 0.5))

    def _shared(self, view: Bags) -> torch.Tensor:
        """Which entries of a view occur in the code beside it."""
        place = torch.searchsorted(self.code.keys, view.keys).clamp(max=len(self.code.keys) - 1)
        return self.code.keys[place] == view.keys


def start_table(data: Data, width: int) -> torch.Tensor:
    """Random directions, longer for rarer entries, so that training begins as a hashed tf-idf."""
    rarity = data.rarity.clamp(min=0.3)
    return torch.randn(data.size, width, device=DEVICE) / width**0.5 * rarity[:, None] / rarity.mean()


def sampled(data: Data, o: Options, rng: np.random.Generator) -> list[np.ndarray]:
    """The batches of one epoch, each of clumps of one package."""
    allowed = np.flatnonzero(data.held == 0)
    counts = np.bincount(data.lang[allowed], minlength=len(data.facts["langs"])).astype(float)
    by_lang = (counts.max() / np.maximum(counts, 1)) ** o.balance
    by_lang /= (by_lang * counts).sum() / counts.sum()
    said = {name: float(factor) for name, factor in (entry.split("=") for entry in o.kinds.split(",") if entry)}
    by_kind = np.array([said.get(kind, 1.0) for kind in data.facts["kinds"]])
    often = np.minimum(by_lang[data.lang[allowed]], 4.0) * by_kind[data.kind[allowed]]
    times = np.floor(often).astype(int) + (rng.random(len(allowed)) < often % 1)
    order = rng.permutation(np.repeat(allowed, times))
    order = order[np.argsort(data.package[order], kind="stable")]
    clumps = [order[i : i + o.clump] for i in range(0, len(order), o.clump)]
    mixed = np.concatenate([clumps[i] for i in rng.permutation(len(clumps))])
    return [mixed[i : i + o.batch] for i in range(0, len(mixed) - o.batch + 1, o.batch)]


class Model(torch.nn.Module):
    """The table, a temperature, and what BM25 counts beside it."""

    def __init__(self, data: Data, o: Options) -> None:
        super().__init__()
        self.data, self.o = data, o
        self.table = torch.nn.EmbeddingBag(data.size, o.width, mode="sum").to(DEVICE)
        self.table.weight.data = start_table(data, o.width)
        self.scale = torch.nn.Parameter(torch.tensor(float(np.log(1 / o.temperature)), device=DEVICE))
        self.words = torch.nn.Parameter(torch.tensor(5.0, device=DEVICE))

    def vectors(self, bags: Bags, which: torch.Tensor, kept: torch.Tensor | None = None) -> torch.Tensor:
        flat, offsets = bags.take(which)
        weights = bags.weights[flat] if kept is None else bags.weights[flat] * kept
        return functional.normalize(self.table(bags.ids[flat], offsets, per_sample_weights=weights), dim=1)

    def asked(self, bags: Bags, shared: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        flat, _ = bags.take(which)
        kept = torch.rand(len(flat), device=DEVICE) >= self.o.drop
        if self.o.shared:
            chosen = torch.repeat_interleave(torch.rand(len(which), device=DEVICE) < self.o.shared, bags.sizes[which])
            kept &= ~(chosen & shared[flat] & (torch.rand(len(flat), device=DEVICE) < self.o.shared))
        return self.vectors(bags, which, kept)

    def loss(self, which: torch.Tensor) -> torch.Tensor:
        data, o = self.data, self.o
        longer = (data.whole.sizes[which] > 0) & (torch.rand(len(which), device=DEVICE) < o.whole)
        short, long = which[~longer], which[longer]
        query = torch.cat(
            [self.asked(data.first, data.first_shared, short), self.asked(data.whole, data.whole_shared, long)]
        )
        which = torch.cat([short, long])
        flat, _ = data.code.take(which)
        answer = self.vectors(data.code, which, torch.rand(len(flat), device=DEVICE) >= o.drop)
        logits = query @ answer.T * self.scale.exp().clamp(max=100)
        loss = self.contrast(logits)
        if o.residual:
            with torch.no_grad():
                words = bm25(data, short, long, which)
            loss = (1 - o.residual) * loss + o.residual * self.contrast(logits + self.words * words)
        return loss

    def contrast(self, logits: torch.Tensor) -> torch.Tensor:
        labels = torch.arange(len(logits), device=DEVICE)
        there, back = functional.cross_entropy(logits, labels), functional.cross_entropy(logits.T, labels)
        return (1 - self.o.answers) * there + self.o.answers * back


def bm25(data: Data, short: torch.Tensor, long: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
    """BM25 of every question and every code of a batch, as a share of what the question could get."""
    kind = torch.bfloat16 if DEVICE == "cuda" else torch.float32
    code = torch.zeros(len(which), data.size, device=DEVICE, dtype=kind)
    flat, _ = data.code.take(which)
    sizes = data.code.sizes[which]
    counts = data.code.counts[flat]
    norm = torch.repeat_interleave(1.2 * (0.25 + 0.75 * sizes / sizes.float().mean()), sizes)
    row = torch.repeat_interleave(torch.arange(len(which), device=DEVICE), sizes)
    code[row, data.code.ids[flat].long()] = (counts * 2.2 / (counts + norm)).to(kind)
    query = torch.zeros(len(which), data.size, device=DEVICE, dtype=kind)
    at = 0
    for bags, some in ((data.first, short), (data.whole, long)):
        flat, _ = bags.take(some)
        row = torch.repeat_interleave(torch.arange(at, at + len(some), device=DEVICE), bags.sizes[some])
        query[row, bags.ids[flat].long()] = data.rarity[bags.ids[flat].long()].to(kind)
        at += len(some)
    most = query.float().sum(1, keepdim=True).clamp(min=1e-6)
    return (query @ code.T).float() / most


def train(data: Data, o: Options, say: bool = True) -> tuple[Model, list[dict[str, Any]]]:
    """One whole run."""
    torch.manual_seed(o.seed)
    rng = np.random.default_rng(o.seed)
    model = Model(data, o)
    optimiser = torch.optim.Adam(
        [{"params": model.table.parameters(), "lr": o.rate}, {"params": [model.scale, model.words], "lr": o.rate / 10}],
        betas=(0.9, 0.98),
    )
    epochs = [sampled(data, o, rng) for _ in range(o.epochs)]
    steps = sum(map(len, epochs))
    if not steps:
        raise SystemExit(f"fewer pairs than one batch of {o.batch}: give a smaller --batch")
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [o.rate, o.rate / 10], total_steps=steps + 1, pct_start=0.1
    )
    began, log = time.time(), []
    for number, batches in enumerate(epochs):
        running = torch.zeros((), device=DEVICE)
        for batch in batches:
            loss = model.loss(torch.from_numpy(batch).to(DEVICE))
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            running += loss.detach()
        line = {
            "epoch": number + 1,
            "loss": round(float(running) / len(batches), 4),
            "temperature": round(1 / model.scale.exp().item(), 4),
            "words": round(model.words.item(), 2),
            "seconds": round(time.time() - began, 1),
        }
        log.append(line)
        if say:
            print(json.dumps(line), flush=True)
    return model, log


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("encoded", type=Path)
    parser.add_argument("out", type=Path)
    for field in fields(Options):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    said = vars(parser.parse_args())
    encoded, out = said.pop("encoded"), said.pop("out")
    o = Options(**said)
    data = Data(encoded, o.vocabulary, o.pieces)
    model, log = train(data, o)
    from heldout import measure

    figures = measure(model)
    print(json.dumps(figures), flush=True)
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "table.npy", model.table.weight.detach().cpu().numpy().astype(np.float16))
    (out / "vocabulary.txt").write_text("".join(f"{entry}\n" for entry in data.vocabulary))
    (out / "log.json").write_text(json.dumps({"options": vars(o), "epochs": log, "held_out": figures}))


if __name__ == "__main__":
    main()
