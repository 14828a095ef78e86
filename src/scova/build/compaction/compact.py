"""One compaction, in a process of its own: `python -m scova.build.compaction.compact PLACE`, PLACE being JSON.

It takes the compaction lock, looks again whether there is anything to do, builds the graph beside its place, puts it there in
one step, says so in the metadata, and only then removes the graph before. Killed at any moment, it leaves a graph that can be
used, the old one or the new one; whoever comes next clears up.

It speaks JSON lines on its standard output: {"done": …, "total": …} on the way, {"rebuilt": …} at the end.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scova.build.compaction.due import Place
from scova.errors import IndexBusy
from scova.lock import writer_lock
from scova.stores.ann.graph import Graph
from scova.stores.ann.metadata import VectorIndexMetadata
from scova.stores.ann.write import write_graph
from scova.stores.layout import Layout, graph_path, remove_graphs
from scova.stores.sqlite import SqliteStore

NICENESS = 10


def compact(place: Place, *, threads: int, tell: Callable[[int, int], None] = lambda done, total: None) -> bool:
    """Build the graph if it is due. Says whether it did; IndexBusy when another process is at it."""
    with writer_lock(place.layout.compaction_lock):
        matrix = place.due()
        if matrix is None:
            return False
        remove_graphs(place.layout, _path(place.graph()))
        path = graph_path(place.layout, matrix.applied_seq)
        write_graph(path, matrix, threads=threads, tell=tell)
        if place.matrix() is None:  # the store was built anew meanwhile: these rows mean nothing in it
            path.unlink(missing_ok=True)
            return False
        publish(place, Graph.open(path, place.model, place.store_id))
        return True


def settle(place: Place) -> None:
    """Clear up what a compaction that was killed left, and graphs that nobody can or should use; set the metadata right.

    Does nothing while a compaction runs. Takes milliseconds.
    """
    try:
        with writer_lock(place.layout.compaction_lock):
            matrix = place.matrix()
            if matrix is None:
                return
            graph = place.graph() if place.is_kept(matrix) else None
            remove_graphs(place.layout, _path(graph))
            if graph is not None and not VectorIndexMetadata(place.layout).describes(graph):
                publish(place, graph)
    except IndexBusy:
        return


def publish(place: Place, graph: Graph) -> None:
    """Say that this graph is there, and remove the others."""

    def is_current() -> bool:
        if not place.layout.store_db.exists():
            return False
        with SqliteStore.open(place.layout.store_db, "") as store:
            return (store.store_id, store.change_seq()) == (graph.store_id, graph.applied_seq)

    VectorIndexMetadata(place.layout).rebuilt(graph, is_current)
    remove_graphs(place.layout, graph.path)


def _path(graph: Graph | None) -> Path | None:
    return graph.path if graph else None


def main(words: Sequence[str]) -> int:
    """The process: its one word says where and how."""
    told = json.loads(words[0])
    place = Place(Layout(Path(told["data"])), told["model"], told["store_id"], told["ann_from"])
    os.nice(told["niceness"])

    def say(**what: object) -> None:
        os.write(1, json.dumps(what).encode() + b"\n")

    try:
        rebuilt = compact(place, threads=told["threads"], tell=lambda done, total: say(done=done, total=total))
    except IndexBusy:
        rebuilt = False
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the top of a worker: whoever waits for it is told, and goes on
        say(error=f"{type(error).__name__}: {error}")
        return 1
    say(rebuilt=rebuilt)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
