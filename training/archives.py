"""What lies in a downloaded package: its source files, and what it says about its licence."""

import json
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import IO

from exclusions import excluded_path
from extract import LANGUAGES
from views import PROSE

LARGEST = 300_000  # bytes of a source file; above are bundles and generated tables
_UNWANTED = re.compile(
    r"(?:^|/)(?:node_modules|vendor|_?vendored|_vendor|third_?party|extern(?:al)?s?|locale|migrations|testdata|fixtures|umd|pods)/"
    r"|\.min\.|_pb2|\.pb\.|zz_generated|bindata|\.d\.ts$|\.Designer\.cs$",
    re.I,
)  # fmt: skip
_SAYS_LICENCE = re.compile(
    r"dist-info/METADATA$|^package/package\.json$|doc/[^/]+/copyright$|^(?:\./)?debian/copyright$|^[^/]*/?(?:LICEN[CS]E|COPYING)(?:[.-]\w+)?$"
)


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
    if _SAYS_LICENCE.search(name):
        return size < LARGEST
    source = PurePosixPath(name).suffix in LANGUAGES or name.endswith(PROSE)
    return source and size < LARGEST and not _UNWANTED.search(name) and not excluded_path(name)


def licence(name: str, raw: bytes) -> str:
    """The licence that a file of metadata, or the text of a licence, names; empty when it names none."""
    text = raw.decode("utf-8-sig", "replace")
    if name.endswith("METADATA"):
        head = text.split("\n\n", 1)[0]
        found = re.findall(
            r"^(?:License-Expression: |License: |Classifier: License :: (?:OSI Approved :: )?)(.{2,60})", head, re.M
        )
        return ", ".join(found)
    if name.endswith("package.json"):
        try:
            value = json.loads(text).get("license", "")
        except (ValueError, AttributeError):
            return ""
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
    if re.search(r"GENERAL PUBLIC|\bGPL", text):
        return "GPL"
    found = re.search(
        r"Apache License|MIT License|Permission is hereby granted|Redistribution and use|Mozilla Public|ISC License|Eclipse Public",
        text,
    )
    return (
        {"Permission is hereby granted": "MIT", "Redistribution and use": "BSD"}.get(found[0], found[0])
        if found
        else ""
    )


def package_name(archive: Path) -> str:
    stem = archive.name
    if archive.suffix == ".whl":
        return stem.split("-")[0]
    if archive.suffix == ".tgz":
        return re.sub(r"-\d+\.\d.*$", "", stem)
    return stem.split("_")[0]


def package_files(archive: Path) -> tuple[str, list[tuple[str, bytes]]]:
    """The licence of a package, as its metadata says or else its licence text, and its files."""
    said, told, files = "", "", []
    for name, raw in members(archive):
        if not _SAYS_LICENCE.search(name):
            files.append((name, raw))
        elif re.search(r"LICEN[CS]E|COPYING", name):
            told = told or licence(name, raw)
        else:
            said = licence(name, raw) or said
            if name.endswith("METADATA"):
                files.append((name, raw.partition(b"\n\n")[2]))
    return said or told, files


def distribution_files(name: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The licence and the files of a package that is installed in this Python, for a sample that downloads nothing."""
    found = metadata.distribution(name)
    said = [
        found.metadata.get("License-Expression"),
        found.metadata.get("License"),
        *(found.metadata.get_all("Classifier") or []),
    ]
    files = []
    for path in found.files or ():
        place = Path(str(path.locate()))
        if place.is_file() and wanted(str(path), place.stat().st_size):
            files.append((str(path), place.read_bytes()))
    return ", ".join(
        line for line in said if line and ("License ::" in line or ("Classifier" not in line and "::" not in line))
    )[:400], files
