"""Where things lie in one index folder: every file name is made here, and nowhere else.

    store.db                the truth (schema.py)
    text/<seq>.seg          text index, as of change <seq>
    vectors/<seq>.vec       vectors, as of change <seq>
    grams/<seq>.gram        n-gram index, as of change <seq>
    collection_meta.json    staleness of the vector index
    .metadata.lock          one writer
    root                    the folder that is indexed here, for people and for clearing up
    temporary/              parts of a build under way; may be deleted whenever nobody builds

A derived file is complete under its name or absent: it is written beside its place, synced, then renamed. This module knows
names and how to write a file whole; it does not know what is in any of them.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_NAMED_BY_SEQ = re.compile(r"(\d{1,18})\.(?:seg|vec|gram)")
_UNFINISHED = ".unfinished"
_PROJECTS = "projects"
_COMPANIONS = ("", "-wal", "-shm")  # what SQLite keeps beside a database


@dataclass(frozen=True, slots=True)
class Layout:
    """The names inside one index folder."""

    root: Path

    @property
    def store_db(self) -> Path:
        return self.root / "store.db"

    @property
    def text_folder(self) -> Path:
        return self.root / "text"

    @property
    def vectors_folder(self) -> Path:
        return self.root / "vectors"

    @property
    def grams_folder(self) -> Path:
        return self.root / "grams"

    @property
    def collection_meta(self) -> Path:
        return self.root / "collection_meta.json"

    @property
    def lock(self) -> Path:
        return self.root / ".metadata.lock"

    @property
    def temporary_folder(self) -> Path:
        return self.root / "temporary"

    def segment_path(self, seq: int) -> Path:
        """The text index as of this change."""
        return self.text_folder / f"{seq}.seg"

    def vectors_path(self, seq: int) -> Path:
        """The vectors as of this change."""
        return self.vectors_folder / f"{seq}.vec"

    def segments(self) -> list[Path]:
        """Text indexes that are there, newest first."""
        return _newest_first(self.text_folder)

    def vectors(self) -> list[Path]:
        """Vector files that are there, newest first."""
        return _newest_first(self.vectors_folder)

    def grams(self) -> list[Path]:
        """N-gram indexes that are there, newest first."""
        return _newest_first(self.grams_folder)

    def remove_obsolete(self, keep: Path) -> None:
        """Delete whatever lies beside the derived file `keep`, unfinished leftovers included. For the one writer only."""
        for path in list(keep.parent.iterdir()):
            if path != keep and (seq_of(path) is not None or path.name.endswith(_UNFINISHED)):
                path.unlink(missing_ok=True)

    def owner(self) -> str:
        """The folder that is indexed here; empty when that is not known."""
        try:
            return (self.root / "root").read_text("utf-8", "surrogateescape")
        except FileNotFoundError:
            return ""

    def put_owner(self, folder: str) -> None:
        """Write down which folder is indexed here."""
        if self.owner() != folder:
            with atomic_write(self.root / "root") as file:
                file.write(folder.encode("utf-8", "surrogateescape"))

    def bytes_on_disk(self) -> int:
        """How much room the index takes."""
        total = 0
        for path in self.root.rglob("*"):
            with suppress(FileNotFoundError):
                total += path.stat().st_size if path.is_file() else 0
        return total

    def remove_derived(self) -> None:
        """Delete everything that can be made again from the store; to be done before a store is built anew."""
        import shutil

        for folder in (self.text_folder, self.vectors_folder, self.grams_folder, self.temporary_folder):
            shutil.rmtree(folder, ignore_errors=True)
        self.collection_meta.unlink(missing_ok=True)


def grams_path(layout: Layout, seq: int) -> Path:
    """The n-gram index as of this change."""
    return layout.grams_folder / f"{seq}.gram"


def folder_for(cache: Path, root: Path) -> Path:
    """Where the index of a project root lies in a user's cache: readable, and never shared by two roots."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name).strip("-.") or "root"
    key = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return cache / _PROJECTS / f"{name[:40]}-{key}"


def layouts(cache: Path) -> list[Layout]:
    """Every index in a user's cache."""
    return [Layout(path.parent) for path in sorted((cache / _PROJECTS).glob("*/store.db"))]


def embeddings_db(cache: Path) -> Path:
    """Vectors shared by all projects of a user."""
    return cache / "embeddings.db"


def seq_of(path: Path) -> int | None:
    """The change a derived file is named after; None for any other file."""
    match = _NAMED_BY_SEQ.fullmatch(path.name)
    return int(match[1]) if match else None


class Unfinished:
    """A file that is written beside its place: there whole once `finish` returned, and not at all before.

    A `durable` one survives a power cut from then on, others only the death of the process.
    """

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._durable = durable
        self._beside = path.with_name(f".{path.name}.{os.getpid()}{_UNFINISHED}")
        self.file: BinaryIO = self._beside.open("wb")

    def finish(self) -> None:
        """Put the file in its place, over what may be there."""
        self.file.flush()
        if self._durable:
            os.fsync(self.file.fileno())
        self.file.close()
        self._beside.replace(self._path)
        if self._durable:
            sync_folder(self._path.parent)

    def discard(self) -> None:
        """Leave nothing behind; changes nothing after `finish`."""
        try:
            self.file.close()
        finally:
            self._beside.unlink(missing_ok=True)


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which appears under `path` whole and synced when the block ends, and not at all if it fails."""
    unfinished = Unfinished(path)
    try:
        yield unfinished.file
        unfinished.finish()
    finally:
        unfinished.discard()


def sync_folder(folder: Path) -> None:
    """Make renames inside this folder survive a power cut, where the system can do that (Windows cannot open folders)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def set_aside(database: Path) -> Path:
    """Rename a damaged SQLite file and its companions to `<name>.damaged-N`, and return that name; nothing is deleted."""
    number = 1
    while (aside := database.with_name(f"{database.name}.damaged-{number}")).exists():
        number += 1
    for suffix in _COMPANIONS:
        with suppress(FileNotFoundError):
            database.with_name(database.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def _newest_first(folder: Path) -> list[Path]:
    try:
        found = [(seq, path) for path in folder.iterdir() if (seq := seq_of(path)) is not None]
    except FileNotFoundError:
        return []
    return [path for _, path in sorted(found, reverse=True)]
