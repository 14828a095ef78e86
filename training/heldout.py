"""How well a table that is being trained finds code of packages that it never saw."""

import numpy as np
import torch
from train import DEVICE, Model


def rank_mrr(query: torch.Tensor, code: torch.Tensor, limit: int = 10) -> float:
    """Mean reciprocal rank within `limit` of each query's own code, which is at its place, among all of `code`."""
    total = 0.0
    for start in range(0, len(query), 2048):
        scores = query[start : start + 2048] @ code.T
        own = scores.gather(1, torch.arange(start, start + len(scores), device=DEVICE)[:, None])
        rank = (scores > own).sum(1) + 1
        total += torch.where(rank <= limit, 1.0 / rank, 0.0).sum().item()
    return total / max(1, len(query))


def measure(model: Model) -> dict[str, float]:
    """Held-out retrieval: by language (documentation) and by kind among 20K codes, and inside single packages."""
    data, rng = model.data, np.random.default_rng(7)
    held, others = np.flatnonzero(data.held == 1), rng.permutation(len(data.kind))
    groups = {name: held[(data.lang[held] == i) & (data.kind[held] == 0)] for i, name in enumerate(data.facts["langs"])}
    groups |= {"kind " + name: held[data.kind[held] == i] for i, name in enumerate(data.facts["kinds"])}
    result: dict[str, float] = {}
    with torch.no_grad():
        for name, found in groups.items():
            if len(found) >= 100:
                mine = rng.permutation(found)[:2000]
                same = others[np.isin(data.lang[others], np.unique(data.lang[mine]))][:20_000]
                pool = np.concatenate([mine, same, others[:20_000]])
                pool = pool[np.sort(np.unique(pool, return_index=True)[1])][:20_000]
                codes = model.vectors(data.code, torch.from_numpy(pool).to(DEVICE))
                result[name] = round(rank_mrr(model.vectors(data.first, torch.from_numpy(mine).to(DEVICE)), codes), 4)
        inside = []
        for package in np.unique(data.package[held]):
            mine = rng.permutation(held[data.package[held] == package])[:1000]
            if len(mine) >= 50:
                which = torch.from_numpy(mine).to(DEVICE)
                inside.append(rank_mrr(model.vectors(data.first, which), model.vectors(data.code, which)))
        result["inside"] = round(float(np.mean(inside)), 4) if inside else 0.0
    return result
