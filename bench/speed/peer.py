"""The peer: semble, with a static model of random weights of the shape of its own (its speed does not depend on the values).

usage: peer.py ROOT < {"queries": [...]}    prints one JSON object with its times

`cold_s` is a first index in a fresh process, imports and the loading of the model included: what a person waits for.
`rebuild_s` is the fastest of three more in the same process: what an edit costs.
"""

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VOCABULARY, WIDTH = 62_500, 256  # 16M parameters


def random_model(root: Path, folder: Path) -> str:
    """Save a model whose words are those of the tree, filled up with made ones."""
    import re

    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words: dict[str, None] = dict.fromkeys(["[PAD]", "[UNK]"])
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.stat().st_size < 300_000:
            words.update(dict.fromkeys(re.findall(r"[a-z]+|\d", path.read_text(errors="ignore").lower())))
        if len(words) > VOCABULARY // 2:
            break
    letters = random.Random(0)
    words.update(dict.fromkeys("##" + c for c in "abcdefghijklmnopqrstuvwxyz0123456789_"))
    while len(words) < VOCABULARY:
        words["".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=letters.randint(3, 9)))] = None
    vocabulary = {word: number for number, word in enumerate(list(words)[:VOCABULARY])}
    tokenizer = Tokenizer(models.WordPiece(vocab=vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vectors = np.random.default_rng(0).standard_normal((len(vocabulary), WIDTH)).astype(np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(str(folder))
    return str(folder)


def measure(root: Path, model: str, queries: list[str]) -> dict[str, float]:
    started = time.perf_counter()
    from semble import SembleIndex

    SembleIndex.from_path(root, model_path=model)
    cold = time.perf_counter() - started
    builds = []
    for _ in range(3):  # everything loaded and warm
        started = time.perf_counter()
        index = SembleIndex.from_path(root, model_path=model)
        builds.append(time.perf_counter() - started)
    times = []
    for _ in range(3):
        for query in queries:
            started = time.perf_counter()
            index.search(query, top_k=10)
            times.append(1000 * (time.perf_counter() - started))
    ordered = sorted(times)
    return {
        "cold_s": cold,
        "rebuild_s": min(builds),
        "chunks": len(index.chunks),
        "query_ms_p50": statistics.median(ordered),
        "query_ms_p99": ordered[int(0.99 * (len(ordered) - 1))],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    root = Path(sys.argv[1])
    if len(sys.argv) > 2:
        random_model(root, Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        model = f"{scratch}/model"
        # Made by another process, so that this one imports nothing before its time is taken.
        subprocess.run([sys.executable, __file__, str(root), model], check=True)
        print(json.dumps(measure(root, model, json.load(sys.stdin)["queries"])))


if __name__ == "__main__":
    main()
