"""What a process can be doing when it dies. Each scene makes a place, and says what the victim does there.

`prepare` leaves the tree as the victim finds it and, under `kept`, the index from before; `act` runs in the victim.
"""

import gzip
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crash.place import Place, answers_of, module, write_tree
from scova import Index
from scova.build import publish
from scova.build.collect import collect
from scova.build.compaction.compact import compact

OLD_STORE = Path(__file__).with_name("store-1.db.gz")  # written by scova before bindings (format 1) for write_tree


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing that can be interrupted."""

    name: str
    every: int = 1  # of a small sample, this is how far apart the steps are
    readers: bool = True  # whether others read meanwhile; not where the index is broken to begin with
    ann_from: int = 100_000

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)

    def act(self, place: Place) -> Any:
        place.build()


class FirstBuild(Scene):
    """From nothing."""


class WithWorkers(Scene):
    """From nothing, large enough for worker processes."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree, 40)


class OneFile(Scene):
    """One file changed."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        place.build()
        (place.tree / "part_0/module_3.py").write_text(module(3, "\n\ndef added_later():\n    return 3\n"))


class Update(OneFile):
    """The same, by a caller who knows which."""

    def act(self, place: Place) -> Any:
        with place.open() as index:
            index.update(["part_0/module_3.py"], wait_seconds=30)


class MovesAndDeletes(Scene):
    """Files moved, gone, new and changed."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        place.build()
        (place.tree / "part_1").rename(place.tree / "moved")
        (place.tree / "part_0/module_0.py").unlink()
        (place.tree / "part_2/module_2.py").write_text(module(2, "\n\ndef added_later():\n    return 2\n"))
        (place.tree / "part_2/new.py").write_text(module(11))


def publish_everything() -> None:
    """No patience for what is not published, from here on."""
    publish.SMALLEST_REST = publish.SMALLEST_FILES = 0
    publish.LARGEST_SHARE = publish.LARGEST_SHARE_OF_FILES = 1_000_000


class Publishing(MovesAndDeletes):
    """The same, with so little patience for what is not published that text, vectors and n-grams are all written anew."""

    def act(self, place: Place) -> Any:
        publish_everything()
        place.build()


class Migration(Scene):
    """The first refresh of an index that an older scova made."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        place.data.mkdir(parents=True)
        place.store.write_bytes(gzip.decompress(OLD_STORE.read_bytes()))
        (place.data / "root").write_text(str(place.tree))


class MigrationByReading(Migration):
    """An older index that is only searched."""

    def act(self, place: Place) -> Any:
        with place.open() as index:
            return answers_of(index)


class RepairOfDerived(Scene):
    """Derived files with bits flipped."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        place.build()
        for path in place.data.glob("*/*.*"):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0xFF
            path.write_bytes(data)

    def act(self, place: Place) -> Any:
        place.open().close()
        Index.repair(place.tree, data=str(place.data))


class RepairOfRows(RepairOfDerived):
    """A store that does not agree with itself."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        place.build()
        with closing(sqlite3.connect(place.store)) as connection, connection:
            connection.execute("DELETE FROM chunk_texts WHERE row % 5 = 0")
            connection.execute("UPDATE chunk_generations SET chunks_count = 77 WHERE file_path LIKE '%4.py'")
            connection.execute("INSERT INTO lookup (lookup) VALUES ('delete-all')")


class RepairOfStore(RepairOfDerived):
    """A store that cannot be read at all."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        place.build()
        data = bytearray(place.store.read_bytes())
        data[4096 : len(data) // 2] = bytes(len(data) // 2 - 4096)
        place.store.write_bytes(data)


class Graph(Scene):
    """The graph over the vectors, built anew after changes: the compaction that a large index has, and what is written of it."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        self.act(place)
        for number in (1, 4, 7):
            (place.tree / f"part_1/module_{number}.py").write_text(module(number + 30))

    def act(self, place: Place) -> Any:
        publish_everything()
        with place.open(ann_from=1) as index:
            index.refresh(wait_seconds=30)
            assert compact(index.compactor.place, threads=1), "there was no graph to build"


class Clearing(Scene):
    """`scova gc` of a cache that holds an index whose folder is gone, and its vectors."""

    def prepare(self, place: Place) -> None:
        write_tree(place.tree)
        place.build()
        gone = Place(place.folder / "gone")
        write_tree(gone.tree, 3)
        (gone.tree / "other.py").write_text(module(70))
        with Index.open(gone.tree, workers=1) as index:  # in the user's cache, since no folder is named
            index.refresh()
        shutil.copytree(place.data, place.cache / "projects/mine")
        shutil.rmtree(gone.tree)

    def act(self, place: Place) -> Any:
        place.open().close()
        collect(place.cache, place.cache.with_name("state"), embeddings=True)


SCENES: dict[str, Scene] = {
    scene.name: scene
    for scene in (
        FirstBuild("first build", every=9),
        WithWorkers("first build with workers", every=60),
        OneFile("one file", every=4),
        MovesAndDeletes("moves and deletes", every=5),
        Publishing("publishing", every=6),
        Migration("migration", every=12, readers=False),
        MigrationByReading("migration by reading", every=5, readers=False),
        RepairOfDerived("repair of derived files", every=6, readers=False),
        RepairOfRows("repair of rows", every=7, readers=False),
        RepairOfStore("repair of the store", every=14, readers=False),
        Graph("graph", every=12, ann_from=1),
        Clearing("clearing up", every=5),
        *([Update("update", every=4)] if hasattr(Index, "update") else []),
    )
}
