"""What was found out about a packed model into its header, where `card.py` takes it from. The weights stay as they are.

    describe.py MODEL.bin [--metrics FILE] [--exclusions FILE] [--benchmark FILE]

The files are those that evaluate.py, check_exclusions.py and benchmark.py write.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from card import header
from pack import put

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from scova.embed.static import identity

SECTIONS = ("vocabulary", "starts", "scales", "table")


def describe(model: Path, facts: dict[str, Any]) -> None:
    """Add these facts to the header, in place of older ones of the same name."""
    known, raw = header(model), model.read_bytes()
    sections = {}
    for name in SECTIONS:
        offset, length = known["sections"][name]
        sections[name] = raw[offset : offset + length]
    if hashlib.sha256(b"".join(sections.values())).hexdigest() != known["digest"]:
        raise SystemExit(f"{model} is damaged: its weights are not those of its digest")
    del known["sections"]
    put(model, {**known, **facts}, sections)


def benchmarked(model: Path, found: dict[str, Any]) -> dict[str, Any]:
    """What benchmark.py found of this very model."""
    mine = identity(header(model))
    if mine not in found:
        raise SystemExit(f"no figures of {mine}, only of {', '.join(found)}: run benchmark.py with {model}")
    figures: dict[str, Any] = {**found[mine]["figures"], "about": found[mine]["about"]}
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    for name in ("metrics", "exclusions", "benchmark"):
        parser.add_argument(f"--{name}", type=Path)
    chosen = parser.parse_args()
    given = {
        key: json.loads(file.read_text()) for key, file in vars(chosen).items() if key != "model" and file is not None
    }
    if "benchmark" in given:
        given["benchmark"] = benchmarked(chosen.model, given["benchmark"])
    describe(chosen.model, given)
