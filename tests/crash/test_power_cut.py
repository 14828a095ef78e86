"""The power goes at any moment: what was not synced is lost, or kept out of order. The index opens all the same, is mended by
one refresh or says what mends it, and has everything that a build had declared done.

The changes are those of real processes, recorded by the layer; `make crash` cuts after every one of them.
"""

import os
import shutil
from pathlib import Path

import pytest

from crash.disk import recorded
from crash.place import Place, State, finished, leftovers, seen_in, state_of
from crash.powercut import Disk, put_down
from crash.scenes import SCENES
from crash.station import Aim, Station
from scova import Index
from scova.errors import StoreDamaged
from scova.stores.layout import seq_of

EVERY_STEP = os.environ.get("CRASH") == "all"
SHARDS = 4 if EVERY_STEP else 1
KEPT = ("nothing", "names", "data", "1", "2")
CUT = [name for name in SCENES if not name.startswith("repair")]


@pytest.fixture(scope="module")
def station(tmp_path_factory):
    with Station(tmp_path_factory.mktemp("station")) as station:
        yield station


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / "kept/cache"))
    return Place(tmp_path)


def record(name: str, place: Place, station: Station, how: str = "act") -> Path:
    """Let a scene happen, undisturbed, and write down what it does; returns what was there before."""
    station.run("crash.acting:prepare", name, str(place.folder))
    before = place.put_aside()
    station.run(f"crash.acting:{how}", name, str(place.folder), aim=Aim(place.kept, log=place.folder / "log"))
    return before


@pytest.mark.parametrize("name", SCENES)
def test_the_recording_is_complete(name, place, station):
    """Everything under the folder is explained by what was recorded: no change of the disk passed the layer by."""
    before = record(name, place, station)
    disk = Disk(place.kept, before)
    disk.apply(recorded(place.folder / "log"))
    left = disk.left("everything")
    files = [path for path in place.kept.rglob("*") if path.is_file()]
    there = {path.relative_to(place.kept).as_posix(): path.read_bytes() for path in files}
    assert left.keys() == there.keys()
    # What SQLite shares between processes is written through mapped memory, and made anew after every start.
    assert [name for name in there if there[name] != left[name] and not name.endswith("-shm")] == []


@pytest.mark.timeout(1800 if EVERY_STEP else 110)
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("name", CUT)
def test_cut_after_a_step(name, shard, place, station):
    before = record(name, place, station)
    wanted = place.rebuilt()
    operations = list(recorded(place.folder / "log"))
    stride = 1 if EVERY_STEP else SCENES[name].every * 9
    disk, done = Disk(place.kept, before), 0
    for step in range(1 + shard * stride, len(operations) + 1, stride * SHARDS):
        disk.apply(operations[done:step])
        done = step
        # Chance decides otherwise each time.
        for how in ("nothing", ("names", "data")[step % 2], str(step)):
            recovered(name, place, disk.left(how), wanted, f"{name}: cut after step {step}, {how} kept")


def recovered(name: str, place: Place, left: dict[str, bytes], wanted: State, where: str) -> None:
    shutil.rmtree(place.kept, ignore_errors=True)
    put_down(left, place.kept)
    try:
        with place.open(ann_from=SCENES[name].ann_from) as index:
            assert outlived(index) == [], where
            finished(index)
            sound = index.audit() == []
    except StoreDamaged as error:
        assert "scova repair" in error.hint, where
        sound = False
    if not sound:
        Index.repair(place.tree, data=str(place.data))
    with place.open(ann_from=SCENES[name].ann_from) as index:
        assert index.audit() == [], where
        assert state_of(index) == wanted, where
    assert [name for name in leftovers(place) if "damaged" not in name] == [], where
    assert sound, f"{where}: only a repair helped"


def outlived(index: Index) -> list[str]:
    """Derived files of a change that the store does not have any more: the next change of that number would be another."""
    if not index.indexed:
        return []
    newest = index._opened().change_seq()
    return [path.name for path in index.layout.root.glob("*/[0-9]*.*") if (seq_of(path) or 0) > newest]


@pytest.mark.parametrize("how", KEPT)
@pytest.mark.parametrize(
    ("name", "doing"),
    [
        ("first build", "act"),
        *(
            (name, doing)
            for name in ("one file", "moves and deletes", "publishing")
            for doing in ("act", "act_in_company")
        ),
    ],
)
def test_a_finished_build_survives(name, doing, how, place, station):
    """Once `scova index` has returned, the power may go: nothing of it is lost, whoever else had the index open."""
    before = record(name, place, station, doing)
    with place.open() as index:
        files, wanted = seen_in(index), state_of(index)
    disk = Disk(place.kept, before)
    disk.apply(recorded(place.folder / "log"))
    shutil.rmtree(place.kept)
    put_down(disk.left(how), place.kept)
    with place.open() as index:
        assert seen_in(index) == files
        assert index.audit() == []
        assert state_of(index) == wanted
