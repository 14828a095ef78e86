"""A trained table and its vocabulary into static.bin, whose format `scova/embed/static.py` describes.

    pack.py ENCODED TRAINED OUT

What is measured of it afterwards is added to its header by `describe.py`.
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
    put(path, header, sections)


def put(path: Path, header: dict[str, object], sections: dict[str, bytes]) -> None:
    """The file: the header with where each section lies, and the sections."""
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for argument in ("encoded", "trained", "out"):
        parser.add_argument(argument, type=Path)
    options = parser.parse_args()
    facts = json.loads((options.encoded / "meta.json").read_text())
    said: dict[str, object] = {key: facts[key] for key in ("pairs", "packages", "by_lang", "by_kind")}
    said["training"] = json.loads((options.trained / "log.json").read_text())["options"]
    entries = (options.trained / "vocabulary.txt").read_text().split("\n")[:-1]
    write(options.out, np.load(options.trained / "table.npy"), entries, said)
    print(options.out, options.out.stat().st_size, "bytes")
