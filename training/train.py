"""Train the table on encoded bags by in-batch contrast.

    train.py ENCODED OUT [--epochs N] [--batch N] [--clump N] …      writes OUT/table.npy (float16) and OUT/log.json

Documentation and code are both bags of the same table, so a text's vector is a weighted sum of rows. Each step draws a batch of
pairs, compares every documentation with every code in it, and asks for the right partner in both directions (InfoNCE).
A batch is made of clumps: some pairs of one package each, so that the wrong answers include neighbours
from the same project, which is what a search inside a repository has to tell apart. Runs on a GPU when there is one.
"""

import argparse
import json
import lzma
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Bags:
    """Bags of ids with weights 1 + ln count, all on the device."""

    def __init__(self, folder: Path, name: str) -> None:
        raw = {
            part: np.frombuffer(lzma.decompress((folder / f"{name}.{part}.bin.xz").read_bytes()), "u1")
            for part in ("low", "high", "counts", "sizes")
        }
        sizes = raw["sizes"].astype(np.int64)
        gaps = raw["low"].astype(np.int64) + (raw["high"].astype(np.int64) << 8)
        starts = np.cumsum(sizes) - sizes
        running = np.cumsum(gaps)  # gaps restart in every bag: take away what ran up before it
        before = np.where(starts > 0, running[np.maximum(starts, 1) - 1], 0)
        ids = running - np.repeat(before, sizes)
        self.ids = torch.from_numpy(ids.astype(np.int32)).to(DEVICE)
        self.weights = torch.from_numpy((1 + np.log(np.maximum(raw["counts"], 1))).astype(np.float32)).to(DEVICE)
        self.starts, self.sizes = torch.from_numpy(starts).to(DEVICE), torch.from_numpy(sizes).to(DEVICE)

    def take(self, which: torch.Tensor, drop: float = 0.0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Ids, offsets and weights of some bags, ready for an embedding bag; `drop` leaves out that share of ids."""
        sizes = self.sizes[which]
        offsets = sizes.cumsum(0) - sizes
        flat = torch.arange(int(sizes.sum()), device=DEVICE) - torch.repeat_interleave(
            offsets - self.starts[which], sizes
        )
        weights = self.weights[flat]
        if drop:
            weights = weights * (torch.rand_like(weights) >= drop)
        return self.ids[flat], offsets, weights


def vectors(table: torch.nn.EmbeddingBag, bag: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> torch.Tensor:
    ids, offsets, weights = bag
    return functional.normalize(table(ids, offsets, per_sample_weights=weights), dim=1)


def start_table(first: Bags, code: Bags, size: int, width: int) -> torch.Tensor:
    """Random directions, longer for rarer entries, so that training begins as a hashed tf-idf."""
    seen = torch.bincount(torch.cat([first.ids, code.ids]).long(), minlength=size).float()
    idf = torch.log((len(first.sizes) + 1) / (seen + 1)).clamp(min=0.3)
    return torch.randn(size, width, device=DEVICE) / width**0.5 * idf[:, None] / idf.mean()


class Sampler:
    """Batches of clumps of one package; packages are visited in proportion to their pairs."""

    def __init__(self, packages: np.ndarray, allowed: np.ndarray, batch: int, clump: int, seed: int) -> None:
        self.rng, self.batch, self.clump = np.random.default_rng(seed), batch, clump
        self.members, self.packages = np.flatnonzero(allowed), packages

    def epoch(self) -> list[np.ndarray]:
        order = self.rng.permutation(self.members)
        order = order[np.argsort(self.packages[order], kind="stable")]
        clumps = [order[i : i + self.clump] for i in range(0, len(order), self.clump)]
        mixed = np.concatenate([clumps[i] for i in self.rng.permutation(len(clumps))])
        return [mixed[i : i + self.batch] for i in range(0, len(mixed) - self.batch + 1, self.batch)]


def rank_mrr(query: torch.Tensor, code: torch.Tensor, target: torch.Tensor, limit: int = 10) -> float:
    """Mean reciprocal rank within `limit` of each query's own code among all of `code`."""
    total = 0.0
    for start in range(0, len(query), 2048):
        scores = query[start : start + 2048] @ code.T
        own = scores.gather(1, target[start : start + 2048, None])
        rank = (scores > own).sum(1) + 1
        total += torch.where(rank <= limit, 1.0 / rank, 0.0).sum().item()
    return total / max(1, len(query))


def measure(
    table: torch.nn.EmbeddingBag, first: Bags, code: Bags, meta: np.ndarray, langs: list[str]
) -> dict[str, float]:
    """Held-out retrieval by language among 20K codes, and inside single packages of 50 pairs or more."""
    packages, lang, is_name, held = meta
    rng = np.random.default_rng(7)
    doc = np.flatnonzero((held == 1) & (is_name == 0))
    others = rng.permutation(np.flatnonzero(is_name == 0))
    result: dict[str, float] = {}
    with torch.no_grad():
        for number, name in enumerate(langs):
            mine = rng.permutation(doc[lang[doc] == number])[:2000]
            if len(mine) < 100:
                continue
            same = others[(lang[others] == number)][:20_000]
            pool = np.concatenate([mine, same, others[:20_000]])
            pool = pool[np.sort(np.unique(pool, return_index=True)[1])][:20_000]
            vec = vectors(table, code.take(torch.from_numpy(pool).to(DEVICE)))
            query = vectors(table, first.take(torch.from_numpy(mine).to(DEVICE)))
            result[name] = round(rank_mrr(query, vec, torch.arange(len(mine), device=DEVICE)), 4)
        inside, weights = [], []
        for package in np.unique(packages[doc]):
            mine = torch.from_numpy(doc[packages[doc] == package][:1000]).to(DEVICE)
            if len(mine) >= 50:
                inside.append(
                    rank_mrr(
                        vectors(table, first.take(mine)),
                        vectors(table, code.take(mine)),
                        torch.arange(len(mine), device=DEVICE),
                    )
                )
                weights.append(1.0)
        result["inside"] = round(float(np.average(inside, weights=weights)), 4) if inside else 0.0
    return result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("encoded", type=Path)
    parser.add_argument("out", type=Path)
    for name, default in (("epochs", 4), ("batch", 4096), ("clump", 128), ("width", 256), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("rate", 0.004), ("temperature", 0.05), ("whole", 0.3), ("drop", 0.05), ("names", 1.0)):
        parser.add_argument(f"--{name}", type=float, default=default)
    o = parser.parse_args()
    torch.manual_seed(o.seed)
    facts = json.loads((o.encoded / "meta.json").read_text())
    meta = np.frombuffer(lzma.decompress((o.encoded / "meta.bin.xz").read_bytes()), "<i4").reshape(4, -1)
    first, whole, code = (Bags(o.encoded, name) for name in ("first", "whole", "code"))
    table = torch.nn.EmbeddingBag(facts["vocabulary"], o.width, mode="sum").to(DEVICE)
    table.weight.data = start_table(first, code, facts["vocabulary"], o.width)
    scale = torch.nn.Parameter(torch.tensor(float(np.log(1 / o.temperature)), device=DEVICE))
    optimiser = torch.optim.Adam(
        [{"params": table.parameters(), "lr": o.rate}, {"params": [scale], "lr": o.rate / 10}], betas=(0.9, 0.98)
    )
    allowed = (meta[3] == 0) & ((meta[2] == 0) | (np.random.default_rng(o.seed).random(meta.shape[1]) < o.names))
    sampler = Sampler(meta[0], allowed, o.batch, o.clump, o.seed)
    steps = o.epochs * (int(allowed.sum()) // o.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [o.rate, o.rate / 10], total_steps=steps + 1, pct_start=0.1
    )
    began, log, step = time.time(), [], 0
    for epoch in range(o.epochs):
        running = 0.0
        batches = sampler.epoch()
        for batch in batches:
            which = torch.from_numpy(batch).to(DEVICE)
            longer = (whole.sizes[which] > 0) & (torch.rand(len(batch), device=DEVICE) < o.whole)
            query = torch.cat(
                [vectors(table, first.take(which[~longer], o.drop)), vectors(table, whole.take(which[longer], o.drop))]
            )
            answer = vectors(table, code.take(torch.cat([which[~longer], which[longer]]), o.drop))
            logits = query @ answer.T * scale.exp().clamp(max=100)
            labels = torch.arange(len(batch), device=DEVICE)
            loss = (functional.cross_entropy(logits, labels) + functional.cross_entropy(logits.T, labels)) / 2
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            step += 1
            running += loss.detach()
        line = {
            "epoch": epoch + 1,
            "loss": round(float(running) / len(batches), 4),
            "temperature": round(1 / scale.exp().item(), 4),
            "seconds": round(time.time() - began, 1),
        }
        line |= measure(table, first, code, meta, facts["langs"]) if epoch + 1 == o.epochs or DEVICE == "cuda" else {}
        log.append(line)
        print(json.dumps(line), flush=True)
    o.out.mkdir(parents=True, exist_ok=True)
    np.save(o.out / "table.npy", table.weight.detach().cpu().numpy().astype(np.float16))
    (o.out / "log.json").write_text(json.dumps({"options": {k: str(v) for k, v in vars(o).items()}, "epochs": log}))


if __name__ == "__main__":
    main()
