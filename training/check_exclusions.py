"""Prove that a pair set holds nothing of the benchmark's projects.

    check_exclusions.py FOLDER [REPORT.json]      exit status 1 when a single pair does

Every pair of FOLDER/pairs is looked up by package name, by documentation and code text (SHA-256, white space ignored), by the
words of its body, and by how many of its long lines occur in the checkouts, all as hashes (`harvest.py forbid`). As a control,
pairs taken from the checkouts themselves must all be found, so that a check that looks at nothing cannot pass.
"""

import json
import lzma
import sys
from collections import Counter
from pathlib import Path

from encode import read
from exclusions import Forbidden, excluded_name


def main(folder: Path) -> dict[str, object]:
    forbidden = Forbidden.read(folder / "forbidden.bin.xz")
    bad, langs = Counter[str](), Counter[str]()
    for pair in read(folder):
        langs[pair["lang"]] += 1
        if excluded_name(pair["package"]):
            bad["package name"] += 1
        if reason := forbidden.reason(pair["doc"], pair["code"], pair["kind"]):
            bad[reason] += 1
    with lzma.open(folder / "control.jsonl.xz", "rt") as lines:
        control = [json.loads(line) for line in lines]
    found = sum(forbidden.reason(pair["doc"], pair["code"], pair["kind"]) is not None for pair in control)
    return {
        "pairs": langs.total(),
        "languages": dict(langs.most_common()),
        "benchmark_files": len(forbidden.files),
        "benchmark_texts": len(forbidden.texts),
        "benchmark_lines": len(forbidden.lines),
        "forbidden_pairs": dict(bad),
        "control_tried": len(control),
        "control_found": found,
    }


if __name__ == "__main__":
    report = main(Path(sys.argv[1]))
    print(json.dumps(report, indent=1))
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(report, indent=1))
    sys.exit(
        bool(report["forbidden_pairs"])
        or not report["control_tried"]
        or report["control_tried"] != report["control_found"]
    )
