"""Whether the graph over the vectors is stale: `collection_meta.json`, replaced whole under `.metadata.lock`.

    {"hnsw_index": {"version": 1, "vector_count": …, "is_stale": …, "last_rebuild": …, "last_marked_stale": …,
                    "vector_dim": …, "M": 16, "ef_construction": 200, "space": "cosine", "file_size_bytes": …,
                    "file": "12.hnsw", "applied_seq": 12, "last_row": …, "model": …, "store_id": …}}

Stale means that there are vectors which the graph does not know, or none it should know any more; it never means that an answer
is: whoever searches covers the difference exactly, and does not come here. The flag tells writers and people that a compaction is
called for. Where there are too few vectors for a graph there is none, so it is stale for good, and nobody minds.

The lock is held for reading and replacing this one small file, and for nothing else: neither a build nor the building of a graph
holds it, so whoever marks never waits longer than one such replacement takes. Reading needs no lock. The order that keeps the flag
true: a writer commits first and marks then; who has built a graph looks whether anything was committed since
while it holds the lock (`rebuilt`). Between the two steps of either, the flag may lag; a build that follows sets it right.
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from scova.core.own_files import open_own, read_own
from scova.core.small_files import STATE_LIMIT
from scova.stores.ann.graph import Graph
from scova.stores.ann.neighbours import CONNECTIVITY, EXPANSION_ADD
from scova.stores.layout import Layout
from scova.whole import UNFINISHED, atomic_write

VERSION = 1
_KEY = "hnsw_index"


class VectorIndexMetadata:
    """What is known of the graph of one index."""

    def __init__(self, layout: Layout, *, vector_dim: int = 0) -> None:
        self._layout = layout
        self._vector_dim = vector_dim

    def read(self) -> Mapping[str, Any]:
        """What the file says about the graph; empty when it is not there or cannot be read."""
        found = self._content().get(_KEY)
        return found if isinstance(found, dict) else {}

    def is_readable(self) -> bool:
        """Whether the file says something, or is not there: no more than a damaged one, and no reason to worry."""
        return bool(self.read()) or not self._layout.collection_meta.exists()

    def is_stale(self, vector_count: int) -> bool:
        """Whether the graph does not reflect these many vectors; in doubt, true."""
        said = self.read()
        if said.get("version") != VERSION or said.get("is_stale", True) is not False:
            return True
        if said.get("vector_count") != vector_count:
            return True
        try:
            size = (self._layout.vectors_folder / str(said.get("file"))).stat().st_size
        except OSError:
            return True
        return bool(size != said.get("file_size_bytes"))

    def mark_stale(self) -> None:
        """Say that there are vectors the graph does not know; to be called after they were committed.

        Writes nothing when that has been said already: ten changes in a row cost one write.
        """
        with self._locked():
            said = self.read()
            if said.get("version") == VERSION and said.get("is_stale") is True:
                return
            self._replace(
                {**self._nothing(), **said, "version": VERSION, "is_stale": True, "last_marked_stale": _now()}
            )

    def rebuilt(self, graph: Graph, is_current: Callable[[], bool]) -> None:
        """Say that this graph is there. It counts as fresh if `is_current`, asked while nobody can mark, says so."""
        with self._locked():
            fresh = is_current()
            marked = None if fresh else self.read().get("last_marked_stale") or _now()
            said = {
                **self._nothing(),
                "vector_count": graph.vector_count,
                "is_stale": not fresh,
                "last_rebuild": _now(),
                "last_marked_stale": marked,
                "vector_dim": graph.width,
                "file_size_bytes": graph.file_size,
                "file": graph.path.name,
                "applied_seq": graph.applied_seq,
                "last_row": graph.last_row,
                "model": graph.model,
                "store_id": graph.store_id,
            }
            self._replace(said)

    def describes(self, graph: Graph) -> bool:
        """Whether what it says is about this very graph."""
        said = self.read()
        wanted = (VERSION, graph.path.name, graph.applied_seq, graph.file_size, graph.store_id)
        return tuple(map(said.get, ("version", "file", "applied_seq", "file_size_bytes", "store_id"))) == wanted

    def tidy(self) -> None:
        """Remove what was left by whoever was killed while writing."""
        with self._locked():
            self._clear()

    def _clear(self) -> None:
        for left in self._layout.root.glob(f".{self._layout.collection_meta.name}.*{UNFINISHED}"):
            left.unlink(missing_ok=True)

    def _nothing(self) -> dict[str, Any]:
        """What there is to say before there is any graph."""
        return {
            "version": VERSION,
            "vector_count": 0,
            "is_stale": True,
            "last_rebuild": None,
            "last_marked_stale": None,
            "vector_dim": self._vector_dim,
            "M": CONNECTIVITY,
            "ef_construction": EXPANSION_ADD,
            "space": "cosine",
            "file_size_bytes": 0,
        }

    def _content(self) -> dict[str, Any]:
        try:
            found = json.loads(read_own(self._layout.collection_meta, STATE_LIMIT) or b"")
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _replace(self, said: Mapping[str, Any]) -> None:
        self._clear()
        with atomic_write(self._layout.collection_meta) as file:
            file.write(json.dumps({**self._content(), _KEY: said}, indent=1).encode() + b"\n")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = open_own(self._layout.metadata_lock, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            # A process forked meanwhile has this descriptor too: closing ours alone would leave the lock to it.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
