#!/usr/bin/env python3
"""Which definition each call of a Python project means, according to jedi. Run it where jedi is installed.

    python bench/structure/oracles/jedi_calls.py ROOT --out FILE [--sample N]

Writes one JSON object: about, and `sites`: path, line, name, verdict, targets ([path, line] each). A verdict is `inside`
(jedi names functions or classes of the project), `outside` (it names something else: the standard library, an installed
package, a parameter, an instance), or `unknown` (it has no answer). Imports are followed to the definition itself.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import jedi
from pysites import CallSite, call_sites, python_files

SEED = 20


def answer(script: Any, site: CallSite, root: Path) -> dict[str, object]:
    """What jedi says of one site."""
    column = len(_line_bytes(script, site.line)[: site.column].decode(errors="replace"))
    try:
        names = script.goto(site.line, column, follow_imports=True)
        if any(name.type in ("statement", "param", "instance", "property") for name in names) or not names:
            names = [name for name in script.infer(site.line, column) if name.type != "instance"] or names
    except Exception as error:  # noqa: BLE001 - jedi raises what it likes; then it has no answer
        return _said(site, "unknown", [], type(error).__name__)
    targets = sorted({target for name in names if (target := _inside(name, root))})
    verdict = "inside" if targets else "outside" if names else "unknown"
    return _said(site, verdict, targets, ",".join(sorted({name.type for name in names})))


def _line_bytes(script: Any, line: int) -> bytes:
    return script._code_lines[line - 1].encode()


def _said(site: CallSite, verdict: str, targets: list[tuple[str, int]], detail: str) -> dict[str, object]:
    said = {"path": site.path, "line": site.line, "name": site.name, "verdict": verdict, "targets": targets}
    return {**said, "detail": detail}


def _inside(name: Any, root: Path) -> tuple[str, int] | None:
    if name.type not in ("function", "class") or name.module_path is None or name.line is None:
        return None
    try:
        return Path(name.module_path).resolve().relative_to(root).as_posix(), name.line
    except ValueError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=3000, help="how many call sites to ask about; 0 for all")
    chosen = parser.parse_args()
    root = chosen.root.resolve()
    sites = [site for path in python_files(root) for site in call_sites(root, path)]
    total = len(sites)
    if chosen.sample and total > chosen.sample:
        sites = sorted(random.Random(SEED).sample(sites, chosen.sample))
    added = [str(root / "src")] if (root / "src").is_dir() else []
    project = jedi.Project(root, added_sys_path=added)
    said: list[dict[str, object]] = []
    script, path, started = None, "", time.monotonic()
    for number, site in enumerate(sites):
        if site.path != path:
            script, path = jedi.Script(path=root / site.path, project=project), site.path
        said.append(answer(script, site, root))
        if number % 500 == 499:
            print(f"{number + 1} of {len(sites)}, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    about = {"oracle": f"jedi {jedi.__version__}", "call_sites": total, "asked": len(sites), "seed": SEED}
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps({"about": about, "sites": said}))


if __name__ == "__main__":
    main()
