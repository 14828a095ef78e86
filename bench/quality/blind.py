#!/usr/bin/env python3
"""Questions of people who had no search tool at hand, laid out as the public benchmark is.

    python bench/quality/blind.py MIRRORS DEST

MIRRORS holds bare clones as OWNER+NAME/repo of what blind.json lists. DEST gets `repos/`, `annotations/` and `repos.json`, so that
whatever takes the public benchmark takes this set too: its evaluate.py, ablation.py, fit.py. docs/reference/quality.md says how the
questions were made.
"""

import argparse
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "spans"))

from repository import Repository, clone_of

LISTED = Path(__file__).with_name("blind.json")


def lay_out(spec: dict[str, Any], mirrors: Path, dest: Path) -> None:
    """One repository's tree and questions."""
    name, commit = spec["name"], spec["commit"]
    clone = clone_of(Repository(name, spec["language"], spec["mirror"], "", commit, commit), mirrors)
    # As an archive, without what the project does not ship: such was the tree that the questions were written for.
    with tarfile.open(fileobj=io.BytesIO(clone.git("archive", commit))) as archive:
        plain = [one for one in archive if one.isfile()]
        archive.extractall(dest / "repos" / name, plain, filter="data")
    labels = dest / "annotations" / f"{name}.json"
    labels.parent.mkdir(exist_ok=True)
    labels.write_text(json.dumps(spec["questions"], indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("dest", type=Path)
    chosen = parser.parse_args()
    repositories = json.loads(LISTED.read_text())["repositories"]
    for spec in repositories:
        lay_out(spec, chosen.mirrors, chosen.dest)
    told = [{key: one[key] for key in ("name", "language")} | {"benchmark_root": one["root"]} for one in repositories]
    (chosen.dest / "repos.json").write_text(json.dumps(told, indent=1) + "\n")
    print(f"{len(repositories)} repositories laid out in {chosen.dest}")


if __name__ == "__main__":
    main()
