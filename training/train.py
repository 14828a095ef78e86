"""Train the table on encoded bags by in-batch contrast.

    train.py ENCODED OUT [--epochs N] [--batch N] [--clump N] …      writes OUT/{table.npy, vocabulary.txt, log.json}

Questions and code are both bags of the same table, so a text's vector is a weighted sum of rows. Each step draws a batch of
pairs, compares every question with every code in it, and asks for the right partner in both directions (InfoNCE). A batch is
made of clumps: some pairs of one package each, so that the wrong answers include neighbours from the same project, which
is what a search inside a repository has to tell apart. The question is the first sentence of the documentation or, where there is more
of it and as often as `whole` says, all of it. Runs on a GPU when there is one.
"""

import argparse
import json
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bags import Encoded, read_meta, read_view
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
    answers: float = 0.5  # share of the loss in the direction from code to question


Spelling = tuple[
    torch.Tensor, torch.Tensor, int
]  # of each lexicon entry how many rows, all the rows, size of the vocabulary


def spelling(parts: list[str], vocabulary: list[str]) -> Spelling:
    lengths, rows = (torch.from_numpy(array).to(DEVICE) for array in spelled(parts, vocabulary))
    return lengths, rows, len(vocabulary)


class Bags:
    """The bags of one view as rows of a vocabulary with weights 1 + ln count, all on the device."""

    def __init__(self, encoded: Encoded, spelling: "Spelling") -> None:
        ids, counts, sizes = encoded
        lengths, rows, size = spelling
        entries = torch.from_numpy(ids.astype(np.int64)).to(DEVICE)
        owner = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)).to(DEVICE)
        first = lengths.cumsum(0) - lengths
        times = lengths[entries]
        offsets = times.cumsum(0) - times
        within = torch.arange(int(times.sum()), device=DEVICE) - torch.repeat_interleave(offsets, times)
        flat = torch.repeat_interleave(torch.arange(len(entries), device=DEVICE), times)
        keys = owner[flat] * size + rows[first[entries[flat]] + within]
        keys, where = torch.unique(keys, return_inverse=True)  # (bag, row), ascending
        often = torch.from_numpy(counts.astype(np.float32)).to(DEVICE)
        total = torch.zeros(len(keys), device=DEVICE).index_add_(0, where, often[flat])
        self.ids, self.weights = (keys % size).int(), 1 + total.clamp(min=1).log()
        self.sizes = torch.bincount(keys // size, minlength=len(sizes))
        self.starts = self.sizes.cumsum(0) - self.sizes

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
        self.first, self.whole, self.code = (
            Bags(read_view(encoded, name), said) for name in ("first", "whole", "code")
        )
        self.package, self.lang, self.kind, self.held = read_meta(encoded)
        seen = torch.bincount(self.code.ids.long(), minlength=self.size).float()
        self.rarity = torch.log(1 + (len(self.kind) - seen + 0.5) / (seen + 0.5))


def start_table(data: Data, width: int) -> torch.Tensor:
    """Random directions, longer for rarer entries, so that training begins as a hashed tf-idf."""
    rarity = data.rarity.clamp(min=0.3)
    return torch.randn(data.size, width, device=DEVICE) / width**0.5 * rarity[:, None] / rarity.mean()


def sampled(data: Data, o: Options, rng: np.random.Generator) -> list[np.ndarray]:
    """The batches of one epoch, each of clumps of one package."""
    allowed = np.flatnonzero(data.held == 0)
    order = rng.permutation(allowed)
    order = order[np.argsort(data.package[order], kind="stable")]
    clumps = [order[i : i + o.clump] for i in range(0, len(order), o.clump)]
    mixed = np.concatenate([clumps[i] for i in rng.permutation(len(clumps))])
    return [mixed[i : i + o.batch] for i in range(0, len(mixed) - o.batch + 1, o.batch)]


class Model(torch.nn.Module):
    """The table and a temperature."""

    def __init__(self, data: Data, o: Options) -> None:
        super().__init__()
        self.data, self.o = data, o
        self.table = torch.nn.EmbeddingBag(data.size, o.width, mode="sum").to(DEVICE)
        self.table.weight.data = start_table(data, o.width)
        self.scale = torch.nn.Parameter(torch.tensor(float(np.log(1 / o.temperature)), device=DEVICE))

    def vectors(self, bags: Bags, which: torch.Tensor) -> torch.Tensor:
        flat, offsets = bags.take(which)
        return functional.normalize(self.table(bags.ids[flat], offsets, per_sample_weights=bags.weights[flat]), dim=1)

    def loss(self, which: torch.Tensor) -> torch.Tensor:
        data = self.data
        longer = (data.whole.sizes[which] > 0) & (torch.rand(len(which), device=DEVICE) < self.o.whole)
        short, long = which[~longer], which[longer]
        query = torch.cat([self.vectors(data.first, short), self.vectors(data.whole, long)])
        answer = self.vectors(data.code, torch.cat([short, long]))
        return self.contrast(query @ answer.T * self.scale.exp().clamp(max=100))

    def contrast(self, logits: torch.Tensor) -> torch.Tensor:
        labels = torch.arange(len(logits), device=DEVICE)
        there, back = functional.cross_entropy(logits, labels), functional.cross_entropy(logits.T, labels)
        return (1 - self.o.answers) * there + self.o.answers * back


def train(data: Data, o: Options, say: bool = True) -> tuple[Model, list[dict[str, Any]]]:
    """One whole run."""
    torch.manual_seed(o.seed)
    rng = np.random.default_rng(o.seed)
    model = Model(data, o)
    optimiser = torch.optim.Adam(
        [{"params": model.table.parameters(), "lr": o.rate}, {"params": [model.scale], "lr": o.rate / 10}],
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
