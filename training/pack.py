"""A trained table and its vocabulary into static.bin, whose format `scova/embed/static.py` describes.

pack.py ENCODED TRAINED OUT [--metrics FILE] [--exclusions FILE] [--benchmark FILE]
"""

import argparse
import datetime
import hashlib
import json
import struct
from pathlib import Path

import numpy as np

NAME = "scova-static-2"
# A row that occurs n times in a text counts n ** POWER for whoever searches. In training it is 1 + ln n: the pairs are single
# functions, where more weight on what is repeated costs; chunks of an index are longer, and there it gains.
POWER = 0.75


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row as int8 with one scale."""
    table = table.astype(np.float32)
    scales = np.abs(table).max(axis=1) / 127
    scales[scales == 0] = 1
    return np.rint(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def aligned(offset: int) -> int:
    return -(-offset // 64) * 64


def write(path: Path, table: np.ndarray, vocabulary: list[str], facts: dict[str, object]) -> None:
    order = sorted(range(len(vocabulary)), key=lambda i: vocabulary[i].encode())  # the loader bisects
    vocabulary = [vocabulary[i] for i in order]
    rows, scales = quantise(table[order])
    lines = [entry.encode() + b"\n" for entry in vocabulary]
    starts = np.cumsum([0, *map(len, lines)]).astype("<u4")
    sections = {
        "vocabulary": b"".join(lines),
        "starts": starts.tobytes(),
        "scales": scales.tobytes(),
        "table": rows.tobytes(),
    }
    header: dict[str, object] = {
        "name": NAME,
        "width": rows.shape[1],
        "vocab_size": len(vocabulary),
        "digest": hashlib.sha256(b"".join(sections.values())).hexdigest(),
        "power": POWER,
        "date": datetime.date.today().isoformat(),
        **facts,
    }
    room = 2048 + len(json.dumps(header))  # the header states offsets that come after it: give it a fixed room
    places, offset = {}, aligned(12 + room)
    for name, raw in sections.items():
        places[name] = [offset, len(raw)]
        offset = aligned(offset + len(raw))
    head = json.dumps({**header, "sections": places}).encode().ljust(room)
    with path.open("wb") as out:
        out.write(struct.pack("<4sII", b"SCVM", 1, len(head)) + head)
        for name, raw in sections.items():
            out.write(bytes(places[name][0] - out.tell()) + raw)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for argument in ("encoded", "trained", "out"):
        parser.add_argument(argument, type=Path)
    parser.add_argument("--metrics", type=Path, help="JSON written by evaluate.py")
    parser.add_argument("--exclusions", type=Path, help="JSON written by check_exclusions.py")
    parser.add_argument("--benchmark", type=Path, help="JSON with what benchmark.py found")
    options = parser.parse_args()
    facts = json.loads((options.encoded / "meta.json").read_text())
    said: dict[str, object] = {key: facts[key] for key in ("pairs", "packages", "by_lang", "by_kind")}
    said["training"] = json.loads((options.trained / "log.json").read_text())["options"]
    for key in ("metrics", "exclusions", "benchmark"):
        if file := getattr(options, key):
            said[key] = json.loads(file.read_text())
    entries = (options.trained / "vocabulary.txt").read_text().split("\n")[:-1]
    write(options.out, np.load(options.trained / "table.npy"), entries, said)
    print(options.out, options.out.stat().st_size, "bytes")
