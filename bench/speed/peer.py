"""The peer: semble, with a static model of random weights of the shape of its own (its speed does not depend on the values).

usage: peer.py ROOT < {"queries": [...], "repeat": n}    prints one JSON object with its times
"""

import json
import random
import resource
import statistics
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


def main() -> None:
    asked = json.load(sys.stdin)
    root = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        model = random_model(root, Path(scratch) / "model")
        from semble import SembleIndex

        builds = []
        for _ in range(asked.get("repeat", 2)):  # the first also loads the model; the faster one counts
            started = time.perf_counter()
            index = SembleIndex.from_path(root, model_path=model)
            builds.append(time.perf_counter() - started)
        times = []
        for _ in range(3):
            for query in asked["queries"]:
                started = time.perf_counter()
                index.search(query, top_k=10)
                times.append(1000 * (time.perf_counter() - started))
    ordered = sorted(times)
    print(
        json.dumps(
            {
                "index_s": min(builds),
                "chunks": len(index.chunks),
                "query_ms_p50": statistics.median(ordered),
                "query_ms_p99": ordered[int(0.99 * (len(ordered) - 1))],
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


if __name__ == "__main__":
    main()
