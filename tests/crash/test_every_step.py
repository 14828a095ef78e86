"""Killed at any change it makes to the disk, or in the middle of one, a process leaves an index that opens, agrees with itself,
has everything it ever showed, and comes to the same end as one that was never interrupted. Others read on meanwhile.

`make crash` dies at every step; by itself this takes a sample, spread over all of them.
"""

import os
from pathlib import Path

import pytest

from crash.disk import Mode
from crash.place import Place, State, finished, leftovers, seen_in, state_of
from crash.scenes import SCENES, Scene
from crash.station import Aim, Station
from scova import Index

EVERY_STEP = os.environ.get("CRASH") == "all"
SHARDS = 8 if EVERY_STEP else 1


@pytest.fixture(scope="module")
def station(tmp_path_factory):
    with Station(tmp_path_factory.mktemp("station")) as station:
        yield station


@pytest.mark.timeout(1800 if EVERY_STEP else 110)
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("mode", [Mode.KILL, Mode.TORN], ids=["before", "within"])
@pytest.mark.parametrize("name", SCENES)
def test_killed_at_a_step(name, mode, shard, station, tmp_path, monkeypatch):
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / "kept/cache"))
    scene, place = SCENES[name], Place(tmp_path)
    station.run("crash.acting:prepare", name, str(tmp_path))
    before = place.put_aside()
    wanted = place.rebuilt()
    steps = station.run("crash.acting:act", name, str(tmp_path), aim=Aim(place.kept)).steps
    assert steps > 3, "the layer saw nothing of it"
    # The number of steps varies by a few from run to run; going on a little makes sure that the last ones are met.
    stride = 1 if EVERY_STEP else scene.every * 3
    offset = 0 if mode is Mode.KILL else stride // 2
    killed, survived = 0, 0
    for stop_at in range(1 + offset + shard * stride, steps + 4, stride * SHARDS):
        dead = died_and_recovered(scene, place, station, before, wanted, Aim(place.kept, mode, stop_at))
        killed, survived = killed + dead, 0 if dead else survived + 1
        if survived == 3:
            break  # in company there are fewer steps than alone
    assert killed, "nobody was killed"


def died_and_recovered(scene: Scene, place: Place, station: Station, before: Path, wanted: State, aim: Aim) -> bool:
    """Kill the victim at one step, and look at what it leaves; whether it was killed at all."""
    where = f"{scene.name}: killed at step {aim.stop_at} ({aim.mode.name})"
    place.put_back(before)
    stop = place.folder / "stop"
    stop.unlink(missing_ok=True)
    # Alone, the victim is the last to leave the store, and tidies up; in company it is not. Each way of dying sees one of both.
    reads = scene.readers and aim.mode is Mode.KILL
    reader = station.start("crash.acting:read_on", str(place.folder)) if reads else 0
    end = station.run("crash.acting:act", scene.name, str(place.folder), aim=aim)
    stop.touch()
    seen = station.wait(reader).value["seen"] if reader else {}
    assert end.was_killed or end.status == 0, (where, end)

    if not scene.readers and "repair" in scene.name:
        place.open(ann_from=scene.ann_from).close()
        Index.repair(place.tree, data=str(place.data))
    with place.open(ann_from=scene.ann_from) as index:
        if scene.readers and index.indexed:
            # What a reader saw is there, unless a later change replaced or removed it, as the tree asks for.
            now, final = seen_in(index), {path: digest for path, digest, *_ in wanted["files"]}
            assert [path for path in seen if final.get(path) == seen[path] != now.get(path)] == [], where
            assert index.audit() == [], where
        finished(index)
        assert index.audit() == [], where
        assert state_of(index) == wanted, where
    assert leftovers(place) == [], where
    return end.was_killed
