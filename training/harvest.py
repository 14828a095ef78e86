"""Packages of the public registries into (question, code) pairs.

    harvest.py gather FOLDER KIND ...        what is read of them: FOLDER/sources/KIND.jsonl.xz, a package a line
    harvest.py forbid FOLDER BENCH           hashes of the checkouts that nothing may be taken from: FOLDER/forbidden.bin.xz, control.jsonl.xz
    harvest.py pairs  FOLDER KIND ...        FOLDER/pairs/KIND.jsonl and KIND.log.json

FOLDER/KIND holds the packages that `fetch.py` downloaded. Only those whose metadata, or licence text, names a permissive licence are
read. What `gather` and `forbid` write is enough for everything that follows, on another machine too.
"""

import json
import lzma
import multiprocessing
import os
import random
import re
import signal
import sys
from collections import Counter, defaultdict
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

from archives import distribution_files, package_files, package_name
from exclusions import Forbidden, body_digest, digest, excluded_name, file_pairs, readable
from views import PROSE

CAP = 1500  # pairs of one kind of one package
READ = (
    250_000  # characters of code read of one package, files in random order: many packages tell more than much of one
)
READ_OF = {
    "installed": 40_000,
    "misc": 3_000_000,
    "csharp": 1_500_000,
    "go": 70_000,
    "python": 50_000,
    "pypi": 200_000,
    "haskell": 60_000,
    "npm-top": 60_000,
    "rust": 100_000,
    "npm-rare": 120_000,
    "ruby": 100_000,
}
READ_PROSE = 20_000
LONGEST = 60  # seconds for one package
INSTALLED = "installed"  # a kind that is gathered from this Python itself
THIN = frozenset(
    (
        ".swift",
        ".kt",
        ".cs",
        ".scala",
        ".ex",
        ".exs",
        ".zig",
        ".lua",
        ".ts",
        ".tsx",
        ".java",
        ".cpp",
        ".cc",
        ".hpp",
        ".sh",
        ".php",
    )
)  # read first
PERMISSIVE = re.compile(
    r"\b(?:mit|expat|bsd|apache|isc|psf|python|mpl|mozilla|unlicense|zpl|zope|zlib|hpnd|0bsd|cc0|public.domain|boost|bsl|wtfpl|ruby|php|postgresql|x11|ncsa|curl|unicode|edl|epl|blueoak)",
    re.I,
)
COPYLEFT = re.compile(
    r"gpl|gnu (?:lesser |affero )?general|cc-by-(?:sa|nc)|sspl|busl|elastic|proprietary|commercial|cddl|eupl", re.I
)


def gathered(archive: Path) -> tuple[str, dict[str, Any]]:
    """What is read of a package, or nothing and why."""
    name = archive.name if archive.parent.name == INSTALLED else package_name(archive)
    if excluded_name(name):
        return "excluded by name", {}
    named, files = distribution_files(name) if archive.parent.name == INSTALLED else package_files(archive)
    if not PERMISSIVE.search(named) or COPYLEFT.search(named):
        return "copyleft" if COPYLEFT.search(named) else "unknown licence", {}
    rng = random.Random(archive.name)
    rng.shuffle(files)
    files.sort(key=lambda file: PurePosixPath(file[0]).suffix not in THIN)
    room, kept = {True: READ_PROSE, False: READ_OF.get(archive.parent.name, READ)}, []
    for path, raw in files:
        is_prose = path.endswith(PROSE)
        if room[is_prose] > 0:
            kept.append((path, raw.decode("utf-8", "replace")))
            room[is_prose] -= len(raw)
    return "read", {"package": name, "licence": named[:40], "files": kept}


def gather(folder: Path, kind: str, workers: int) -> None:
    """Every package of a kind, a line each; a file that was met before is left out."""
    log, seen = Counter[str](), set[bytes]()
    (folder / "sources").mkdir(exist_ok=True)
    if kind == INSTALLED:
        archives = [folder / kind / name for name in sorted({found.name for found in metadata.distributions()})]
    else:
        archives = [
            a for a in sorted((folder / kind).iterdir()) if re.search(r"\.(?:deb|whl|tgz)$|\.orig\.tar\.\w+$", a.name)
        ]
    with (
        lzma.open(folder / "sources" / f"{kind}.jsonl.xz", "wt", preset=2) as out,
        multiprocessing.get_context("fork").Pool(workers) as pool,
    ):
        for said, package in pool.imap_unordered(gathered, archives, chunksize=2):
            log[said] += 1
            files = []
            for path, text in package.get("files", ()):
                key = body_digest(text[:20_000])
                if key not in seen:
                    files.append((path, text))
                    seen.add(key)
            if files:
                log["characters"] += sum(len(text) for _, text in files)
                out.write(json.dumps({**package, "files": files}) + "\n")
    (folder / "sources" / f"{kind}.log.json").write_text(json.dumps(log))
    print(kind, dict(log), flush=True)


def package_pairs(package: dict[str, Any], forbidden: Forbidden, log: Counter[str]) -> list[dict[str, str]]:
    """The pairs of one package, capped, without any that is forbidden."""
    rng = random.Random(package["package"])
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    seen = set[bytes]()
    for name, text in package["files"]:
        if forbidden.holds_file(text.encode("utf-8", "replace")):
            log["files of the benchmark"] += 1
            continue
        for pair in file_pairs(name, text, rng):
            key = (digest(pair.doc), body_digest(pair.code))
            if seen & {*key} or len(found[pair.kind]) >= CAP:
                continue
            seen.update(key)
            if reason := forbidden.reason(pair.doc, pair.code, pair.kind):
                log["same " + reason] += 1
            else:
                found[pair.kind].append({"lang": pair.lang, "kind": pair.kind, "doc": pair.doc, "code": pair.code})
    log["packages read"] += 1
    about = {"package": package["package"], "licence": package["licence"]}
    return [{**about, **pair} for pairs in found.values() for pair in pairs]


def line_pairs(line: str) -> tuple[list[dict[str, str]], Counter[str]]:
    """The pairs of one gathered package; none of one that takes too long, as some text always finds the worst case of an expression."""
    log = Counter[str]()
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LONGEST)
    try:
        return package_pairs(json.loads(line), _forbidden, log), log
    except TimeoutError:
        return [], Counter({"packages that took too long": 1})
    finally:
        signal.alarm(0)


def _too_long(*_: object) -> None:
    raise TimeoutError


def pairs(folder: Path, kind: str, workers: int) -> None:
    log = Counter[str]()
    (folder / "pairs").mkdir(exist_ok=True)
    with (
        lzma.open(folder / "sources" / f"{kind}.jsonl.xz", "rt") as lines,
        (folder / "pairs" / f"{kind}.jsonl").open("w") as out,
        multiprocessing.get_context("fork").Pool(workers) as pool,
    ):
        for found, counts in pool.imap_unordered(line_pairs, lines, chunksize=1):
            log.update(counts)
            for pair in found:
                log[f"pairs {pair['lang']} {pair['kind']}"] += 1
                out.write(json.dumps({"registry": kind, **pair}) + "\n")
    (folder / "pairs" / f"{kind}.log.json").write_text(json.dumps(log, indent=1))
    print(
        kind,
        sum(n for said, n in log.items() if said.startswith("pairs")),
        {s: n for s, n in log.items() if not s.startswith("pairs")},
        flush=True,
    )


def forbid(folder: Path, bench: Path, most: int = 3000) -> None:
    """Hashes of everything in the checkouts, and some pairs taken from them: whoever looks for forbidden pairs must find these."""
    Forbidden.of(bench).write(folder / "forbidden.bin.xz")
    files = [*readable(bench)]
    random.Random(1).shuffle(files)
    control: list[dict[str, str]] = []
    for path, raw in files:
        if len(control) >= most:
            break
        found = file_pairs(
            path.name, raw.decode("utf-8", "replace"), random.Random(2)
        )  # other windows than were hashed
        control += [
            {"lang": p.lang, "kind": p.kind, "doc": p.doc, "code": p.code}
            for p in found
            if p.kind not in ("name", "path")
        ]
    with lzma.open(folder / "control.jsonl.xz", "wt") as out:
        out.writelines(json.dumps(pair) + "\n" for pair in control[:most])


def main(does: str, folder: Path, *rest: str) -> None:
    global _forbidden  # the workers are forked, and have it too
    workers = int(os.environ.get("WORKERS", str(os.cpu_count() or 1)))
    if does == "forbid":
        forbid(folder, Path(rest[0]))
        return
    if does == "pairs":
        _forbidden = Forbidden.read(folder / "forbidden.bin.xz")
    for kind in rest:
        (gather if does == "gather" else pairs)(folder, kind, workers)


_forbidden = Forbidden()
if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
