"""Prove that a pair set holds nothing of the benchmark's projects.

    check_exclusions.py FOLDER BENCH [REPORT.json]      exit status 1 when a single pair does

Every pair of FOLDER/pairs.jsonl is looked up by package name, by documentation and code text (SHA-256, white space ignored),
by the words of its body, and by how many of its long lines occur in BENCH. As a control, pairs taken from BENCH itself must
all be found, so that a check that looks at nothing cannot pass.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from encode import read
from exclusions import Forbidden, excluded_name
from extract import LANGUAGES, extract


def control(bench: Path, forbidden: Forbidden, most: int = 2000) -> tuple[int, int]:
    """How many pairs of the benchmark itself were tried, and how many of them were recognised."""
    tried = found = 0
    for path in sorted(bench.rglob("*")):
        if path.suffix in LANGUAGES and path.is_file():
            for pair in extract(path.name, path.read_text(errors="replace")):
                tried += 1
                found += forbidden.reason(pair.doc, pair.code) is not None
        if tried >= most:
            break
    return tried, found


def main(folder: Path, bench: Path) -> dict[str, object]:
    forbidden = Forbidden.of(bench)
    bad, langs = Counter[str](), Counter[str]()
    pairs = 0
    for pair in read(folder):
        pairs += 1
        langs[pair["lang"]] += 1
        if excluded_name(pair["package"]):
            bad["package name"] += 1
        if reason := forbidden.reason(pair["doc"], pair["code"]):
            bad[reason] += 1
    tried, found = control(bench, forbidden)
    return {
        "pairs": pairs,
        "languages": dict(langs.most_common()),
        "benchmark_files": len(forbidden.files),
        "benchmark_texts": len(forbidden.texts),
        "benchmark_lines": len(forbidden.lines),
        "forbidden_pairs": dict(bad),
        "control_tried": tried,
        "control_found": found,
    }


if __name__ == "__main__":
    report = main(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps(report, indent=1))
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_text(json.dumps(report, indent=1))
    sys.exit(
        bool(report["forbidden_pairs"])
        or report["control_tried"] == 0
        or report["control_tried"] != report["control_found"]
    )
