"""Where things lie in one index folder: every file name is made here, and nowhere else.

    store.db                the truth (schema.py)
    text/<seq>.seg          text index, as of change <seq>
    vectors/<seq>.vec       vectors, as of change <seq>
    vectors/<seq>.hnsw      graph over the vectors of <seq>.vec, where there are many
    grams/<seq>.gram        n-gram index, as of change <seq>
    collection_meta.json    staleness of the graph
    .metadata.lock          held while collection_meta.json is read and replaced, and never longer
    .writer.lock            one writer; held for as long as a build takes
    .compaction.lock        one process that builds a graph
    watch.lock              one watcher
    watch.json              what the watcher does, for `scova status`
    bell/                   files that come and go, by which a watcher knows that it was told everything
    root                    the folder that is indexed here, for people and for clearing up
    id                      a random number, by which the index is known as one that was made here (owned/mark.py)
    temporary/              parts of a build under way; may be deleted whenever nobody builds

A derived file is complete under its name or absent (`scova.whole`). This module knows names, not what is in any of them.
"""

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from scova.core.own_files import list_own, read_own, remove_own
from scova.core.path_text import stored
from scova.errors import IndexForeign
from scova.record import record
from scova.stores.names import BEING_WRITTEN, GRAMS, TEMPORARY, TEXT, VECTORS
from scova.whole import Unfinished, atomic_write, sync_folder

__all__ = [
    "Layout",
    "Unfinished",
    "atomic_write",
    "embedder_widths",
    "embeddings_db",
    "folder_for",
    "grams_path",
    "graph_path",
    "graphs",
    "inode_of",
    "jobs_db",
    "jobs_lock",
    "jobs_log",
    "layouts",
    "mcp_state",
    "mcp_state_lock",
    "remove_graphs",
    "seq_of",
    "set_aside",
    "sync_folder",
]

_NAMED_BY_SEQ = re.compile(r"(\d{1,18})\.(?:seg|vec|gram|hnsw)")
_GRAPH = ".hnsw"
_METADATA = "collection_meta.json"
_WATCHING = "watch.json"
_PROJECTS = "projects"
_LONGEST_ROOT = 1 << 16
_COMPANIONS = ("", "-wal", "-shm")  # what SQLite keeps beside a database


@record
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
        return self.root / _METADATA

    @property
    def lock(self) -> Path:
        return self.root / ".writer.lock"

    @property
    def metadata_lock(self) -> Path:
        return self.root / ".metadata.lock"

    @property
    def compaction_lock(self) -> Path:
        return self.root / ".compaction.lock"

    @property
    def watch_lock(self) -> Path:
        return self.root / "watch.lock"

    @property
    def watch_state(self) -> Path:
        return self.root / _WATCHING

    @property
    def bell_folder(self) -> Path:
        return self.root / "bell"

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
        return _newest_first(self.text_folder, ".seg")

    def vectors(self) -> list[Path]:
        """Vector files that are there, newest first."""
        return _newest_first(self.vectors_folder, ".vec")

    def grams(self) -> list[Path]:
        """N-gram indexes that are there, newest first."""
        return _newest_first(self.grams_folder, ".gram")

    def remove_obsolete(self, keep: Path) -> None:
        """Delete other files of the kind of the derived file `keep`, unfinished leftovers included. For the one writer only."""
        _remove(keep.parent, keep.suffix, keep)

    def owner(self) -> str:
        """The folder that is indexed here, as stored text; empty when that is not known, or not certain: clearing up goes by it."""
        try:
            kept = read_own(self.root / "root", _LONGEST_ROOT) or b""
        except IndexForeign:
            return ""
        folder, _, checksum = kept.decode("utf-8", "surrogateescape").rpartition("\n")
        return folder if checksum == _checksum(folder) else ""

    def put_owner(self, folder: str) -> None:
        """Write down which folder, as stored text, is indexed here."""
        if self.owner() != folder:
            with atomic_write(self.root / "root") as file:
                file.write(f"{folder}\n{_checksum(folder)}".encode("utf-8", "surrogateescape"))

    def bytes_on_disk(self) -> int:
        """How much room the index takes."""
        total = 0
        for folder, _, names in os.walk(self.root):  # unlike a glob it does not mind what a writer removes meanwhile
            for name in names:
                with suppress(FileNotFoundError):
                    total += (Path(folder) / name).stat().st_size
        return total

    def remove_derived(self) -> None:
        """Delete everything that can be made again from the store; to be done before a store is built anew."""
        remove_own(self.text_folder, TEXT)
        remove_own(self.vectors_folder, VECTORS)
        remove_own(self.grams_folder, GRAMS)
        remove_own(self.temporary_folder, TEMPORARY)
        self.collection_meta.unlink(missing_ok=True)


def grams_path(layout: Layout, seq: int) -> Path:
    """The n-gram index as of this change."""
    return layout.grams_folder / f"{seq}.gram"


def graph_path(layout: Layout, seq: int) -> Path:
    """The graph over the vectors as of this change."""
    return layout.vectors_folder / f"{seq}{_GRAPH}"


def graphs(layout: Layout) -> list[Path]:
    """Graphs over vectors that are there, newest first."""
    return _newest_first(layout.vectors_folder, _GRAPH)


def remove_graphs(layout: Layout, keep: Path | None = None) -> None:
    """Delete every graph but `keep`, unfinished ones included. For the holder of the compaction lock only."""
    _remove(layout.vectors_folder, _GRAPH, keep)


def folder_for(cache: Path, root: Path) -> Path:
    """Where the index of a project root lies in a user's cache: readable, and never shared by two roots."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stored(root.name)).strip("-.") or "root"
    key = hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
    return cache / _PROJECTS / f"{name[:40]}-{key}"


def layouts(cache: Path) -> list[Layout]:
    """Every index in a user's cache."""
    return [Layout(path.parent) for path in sorted((cache / _PROJECTS).glob("*/store.db"))]


def embeddings_db(cache: Path) -> Path:
    """Vectors shared by all projects of a user."""
    return cache / "embeddings.db"


def embedder_widths(cache: Path) -> Path:
    """How wide the vectors of remote models are."""
    return cache / "embedders.json"


def jobs_db(cache: Path) -> Path:
    """Background jobs of a user, of all projects."""
    return cache / "jobs.db"


def server_folder(cache: Path, key: str) -> Path:
    """What is kept about a folder and its project on a server: jobs."""
    return cache / "servers" / key


def jobs_lock(cache: Path) -> Path:
    """Held by the process that `scova index --background` leaves behind: one is enough."""
    return cache / ".jobs.lock"


def jobs_log(cache: Path) -> Path:
    """What that process has to say, which nobody listens to."""
    return cache / "jobs.log"


def mcp_state(cache: Path) -> Path:
    """How jobs stand, for readers outside."""
    return cache / "mcp-state.json"


def mcp_state_lock(cache: Path) -> Path:
    """Held while mcp-state.json is made and replaced."""
    return cache / ".mcp-state.lock"


def seq_of(path: Path) -> int | None:
    """The change a derived file is named after; None for any other file."""
    match = _NAMED_BY_SEQ.fullmatch(path.name)
    return int(match[1]) if match else None


def inode_of(path: Path) -> int:
    """Which file lies there, to be told from one that is put in its place; 0 for none."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def set_aside(database: Path) -> Path:
    """Rename a damaged SQLite file and its companions to `<name>.damaged-N`, and return that name; nothing is deleted."""
    number = 1
    while (aside := database.with_name(f"{database.name}.damaged-{number}")).exists():
        number += 1
    for suffix in _COMPANIONS:
        with suppress(FileNotFoundError):
            database.with_name(database.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def _checksum(folder: str) -> str:
    return hashlib.sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _newest_first(folder: Path, suffix: str) -> list[Path]:
    found = [(seq, path) for path in list_own(folder) if path.suffix == suffix and (seq := seq_of(path)) is not None]
    return [path for _, path in sorted(found, reverse=True)]


def _remove(folder: Path, suffix: str, keep: Path | None) -> None:
    """Delete the derived files of one kind, finished or not, but one."""
    unfinished = [path for path in list_own(folder) if BEING_WRITTEN.fullmatch(path.name) and f"{suffix}." in path.name]
    for path in [*_newest_first(folder, suffix), *unfinished]:
        if path != keep:
            path.unlink(missing_ok=True)
