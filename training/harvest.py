"""Packages of the public registries into (documentation, code) pairs.

    harvest.py fetch  FOLDER KIND         download (KIND: a key of BINARY, SOURCE or COMMANDS below)
    harvest.py pairs  FOLDER BENCH KIND…  read what was downloaded, write FOLDER/pairs/KIND.jsonl and KIND.log.json
    harvest.py merge  FOLDER              one de-duplicated FOLDER/pairs.jsonl

Downloads go through the ordinary clients (pip, npm, apt-get). SOURCE kinds need a `deb-src` entry and FOLDER/Sources, the decompressed
source index; APT_OPTIONS is handed to apt. Only packages whose metadata names a permissive licence are read; BENCH holds the
checkouts that nothing may be taken from.
"""

import json
import os
import random
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from exclusions import Forbidden, body_digest, digest, excluded_name, excluded_path
from extract import LANGUAGES, extract

HERE = Path(__file__).parent
CAP = 3000  # pairs of one package
NAME_CAP = 300  # of them, pairs made of a name and a body
LARGEST = 300_000  # bytes of a source file; above are bundles and generated tables
BINARY = {  # Debian packages that hold source as installed
    "go": r"golang-.*-dev$", "rust": r"librust-.*-dev$", "ruby": r"ruby-", "python": r"python3-(?!.*-(?:dbg|doc)$)", "php": r"php-", "lua": r"lua-",
}  # fmt: skip
SOURCE = {  # Debian source packages, by the packages built from them
    "haskell": r"libghc-\S+-dev", "java": r"lib\S+-java\b", "c": r"lib(?!ghc|rust|golang)\S+-dev\b", "csharp": r"lib\S+-cil\b",
}  # fmt: skip
COMMANDS = {  # packages named one by one in packages/
    "npm": ["npm", "pack", "--silent"],
    "pypi": ["pip", "download", "-q", "--no-deps", "--only-binary", ":all:"],
    "debian-misc": ["apt-get", "source", "--download-only", "-q"],
}
PERMISSIVE = re.compile(
    r"\b(?:mit|expat|bsd|apache|isc|psf|python|mpl|mozilla|unlicense|zpl|zope|zlib|hpnd|0bsd|cc0|public.domain|boost|bsl|wtfpl|ruby|php|postgresql|x11|ncsa|curl|unicode|edl|epl|blueoak)",
    re.I,
)
COPYLEFT = re.compile(
    r"gpl|gnu (?:lesser |affero )?general|cc-by-(?:sa|nc)|sspl|busl|elastic|proprietary|commercial|cddl|eupl", re.I
)
_UNWANTED = re.compile(
    r"(?:^|/)(?:node_modules|vendor|_?vendored|_vendor|third_?party|extern(?:al)?s?|locale|migrations|tests?|__tests__|testing|testdata|spec|fixtures|umd)/"
    r"|\.min\.|_pb2|\.pb\.|_test\.|\.test\.|\.spec\.|zz_generated|bindata|\.d\.ts$|(?:^|/)test_",
    re.I,
)  # fmt: skip


def fetch(folder: Path, kind: str) -> None:
    """Download every package of a kind that is not excluded by name."""
    target = folder / kind
    target.mkdir(parents=True, exist_ok=True)
    options = os.environ.get("APT_OPTIONS", "").split()
    if kind in BINARY:
        listed = subprocess.run(["apt-cache", *options, "pkgnames"], check=True, capture_output=True, text=True).stdout
        names = [name for name in listed.split() if re.match(BINARY[kind], name)]
        command = ["apt-get", *options, "download", "-q"]
    elif kind in SOURCE:
        stanzas = (folder / "Sources").read_text().split("\n\n")
        chosen = [s for s in stanzas if re.search(rf"^Binary: .*\b{SOURCE[kind]}", s, re.M) and small(s)]
        names = [name for s in chosen for name in re.findall(r"^Package: (\S+)", s, re.M)]
        command = ["apt-get", *options, "source", "--download-only", "-q"]
    else:
        names = (HERE / "packages" / f"{kind}.txt").read_text().split()
        command = COMMANDS[kind]
    names = sorted(name for name in set(names) if not excluded_name(name))
    random.Random(1).shuffle(names)
    step = 40 if command[0] == "apt-get" else 1
    for i in range(0, len(names), step):
        subprocess.run([*command, *names[i : i + step]], cwd=target, check=False, capture_output=True)


def small(stanza: str) -> bool:
    return sum(int(size) for size in re.findall(r"^ [0-9a-f]{64} (\d+) \S*\.orig\S*$", stanza, re.M)) < 6 << 20


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a package that are source or say its licence."""
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as z:
                for info in z.infolist():
                    if wanted(info.filename, info.file_size):
                        yield info.filename, z.read(info)
        elif archive.suffix == ".deb":
            with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE) as process:
                yield from tar_members(process.stdout)
        else:
            debian = (
                archive.parent.glob(archive.name.split(".orig.")[0] + "-*.debian.tar.*")
                if ".orig." in archive.name
                else ()
            )
            for part in (archive, *debian):
                with part.open("rb") as file:
                    yield from tar_members(file)
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError, NotImplementedError, ValueError):
        return


def tar_members(stream: IO[bytes] | None) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=stream, mode="r|*") as tar:
        for member in tar:
            if member.isfile() and wanted(member.name, member.size) and (file := tar.extractfile(member)):
                yield member.name, file.read()


def wanted(name: str, size: int) -> bool:
    if re.search(r"dist-info/METADATA$|^package/package\.json$|doc/[^/]+/copyright$|^(?:\./)?debian/copyright$", name):
        return size < LARGEST
    return (
        PurePosixPath(name).suffix in LANGUAGES
        and size < LARGEST
        and not _UNWANTED.search(name)
        and not excluded_path(name)
    )


def licence(name: str, raw: bytes) -> str | None:
    """The licence a metadata file names; None when the file is not metadata."""
    text = raw.decode("utf-8", "replace")
    if name.endswith("METADATA"):
        head = text.split("\n\n", 1)[0]
        found = re.findall(
            r"^(?:License-Expression: |License: |Classifier: License :: (?:OSI Approved :: )?)(.{2,60})", head, re.M
        )
        return ", ".join(found)
    if name.endswith("package.json"):
        value = json.loads(text).get("license", "")
        return value if isinstance(value, str) else str(value.get("type", "")) if isinstance(value, dict) else ""
    if name.endswith("copyright"):
        found = re.findall(r"^License: *(\S.*)$", text, re.M)
        return (
            found[0]
            if found
            else "GPL"
            if "GPL" in text or "General Public" in text
            else (m[0] if (m := re.search(r"MIT|BSD|Apache|Expat", text)) else "")
        )
    return None


def package_name(archive: Path) -> str:
    stem = archive.name
    if archive.suffix == ".whl":
        return stem.split("-")[0]
    if archive.suffix == ".tgz":
        return re.sub(r"-\d+\.\d.*$", "", stem)
    return stem.split("_")[0]


def package_pairs(archive: Path, forbidden: Forbidden, log: Counter[str]) -> list[dict[str, str]]:
    """The pairs of one package, capped; none when its licence is not known to be permissive."""
    named, found, seen = "", [], set()
    for name, raw in members(archive):
        said = licence(name, raw) if name.endswith(("METADATA", "package.json", "copyright")) else None
        if said is not None:
            named = said
            continue
        if len(found) >= 6 * CAP:
            continue
        if forbidden.holds_file(raw):
            log["files of the benchmark"] += 1
            continue
        for pair in extract(name, raw.decode("utf-8", "replace")):
            key = (digest(pair.doc), body_digest(pair.code))
            if seen & {*key}:
                continue
            seen.update(key)
            if reason := forbidden.reason(pair.doc, pair.code):
                log["same " + reason] += 1
            else:
                found.append({"lang": pair.lang, "kind": pair.kind, "doc": pair.doc, "code": pair.code})
    if not PERMISSIVE.search(named) or COPYLEFT.search(named):
        log["packages refused: " + ("copyleft" if COPYLEFT.search(named) else "unknown licence")] += 1
        return []
    log["packages read"] += 1
    documented = [p for p in found if p["kind"] == "doc"]
    bare = [p for p in found if p["kind"] == "name"]
    rng = random.Random(archive.name)
    chosen = rng.sample(documented, min(CAP, len(documented))) + rng.sample(bare, min(NAME_CAP, len(bare)))
    return [{"package": package_name(archive), "licence": named[:40], **pair} for pair in chosen]


def pairs(folder: Path, kind: str, forbidden: Forbidden) -> None:
    log = Counter[str]()
    (folder / "pairs").mkdir(exist_ok=True)
    archives = [
        a for a in sorted((folder / kind).iterdir()) if re.search(r"\.(?:deb|whl|tgz)$|\.orig\.tar\.\w+$", a.name)
    ]
    with (folder / "pairs" / f"{kind}.jsonl").open("w") as out:
        for archive in archives:
            if excluded_name(package_name(archive)):
                log["packages excluded by name"] += 1
                continue
            for pair in package_pairs(archive, forbidden, log):
                log["pairs " + pair["lang"]] += 1
                out.write(json.dumps({"registry": kind, **pair}) + "\n")
    (folder / "pairs" / f"{kind}.log.json").write_text(json.dumps(log, indent=1))
    print(kind, dict(log), flush=True)


def merge(folder: Path) -> None:
    """All kinds in one file: a body once, a documentation text at most twice."""
    bodies, docs = set[bytes](), Counter[bytes]()
    with (folder / "pairs.jsonl").open("w") as out:
        for line in lines((folder / "pairs").glob("*.jsonl")):
            pair = json.loads(line)
            body, doc = body_digest(pair["code"]), digest(pair["doc"].lower())
            docs[doc] += 1
            if body not in bodies and docs[doc] <= 2:
                bodies.add(body)
                out.write(line)
    print(len(bodies), "pairs")


def lines(paths: Iterable[Path]) -> Iterator[str]:
    for path in sorted(paths):
        with path.open() as file:
            yield from file


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    if sys.argv[1] == "fetch":
        fetch(folder, sys.argv[3])
    elif sys.argv[1] == "pairs":
        forbidden = Forbidden.of(Path(sys.argv[3]))
        for kind in sys.argv[4:]:
            pairs(folder, kind, forbidden)
    else:
        merge(folder)
