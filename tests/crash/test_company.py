"""Several processes on one index, clocks that jump, folders that cannot be written to."""

import os
import subprocess

import pytest

from crash.disk import Mode
from crash.place import Place, leftovers, module, state_of, write_tree
from crash.said import said
from crash.station import Aim, Station

EVERY_STEP = os.environ.get("CRASH") == "all"
SHARDS = 4 if EVERY_STEP else 1


@pytest.fixture(scope="module")
def station(tmp_path_factory):
    with Station(tmp_path_factory.mktemp("station")) as station:
        yield station


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / "kept/cache"))
    return Place(tmp_path)


@pytest.mark.timeout(1800 if EVERY_STEP else 110)
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("name", ["first build", "moves and deletes", "publishing"])
def test_who_waits_takes_over_from_a_writer_that_dies(name, shard, place, station):
    """The lock goes to the next in the moment its holder is killed, at whatever step, and the next finishes the work."""
    station.run("crash.acting:prepare", name, str(place.folder))
    before = place.put_aside()
    wanted = place.rebuilt()
    steps = station.run("crash.acting:act", name, str(place.folder), aim=Aim(place.kept)).steps
    stride = 1 if EVERY_STEP else 29
    killed = 0
    for stop_at in range(3 + shard * stride, steps, stride * SHARDS):
        where = f"{name}: the holder was killed at step {stop_at}"
        place.put_back(before)
        holder = station.start("crash.acting:act", name, str(place.folder), aim=Aim(place.kept, Mode.KILL, stop_at))
        station.wait_for_step(min(stop_at, 3))
        follower = station.start("crash.acting:act", name, str(place.folder))
        killed += station.wait(holder).was_killed
        assert station.wait(follower).status == 0, where
        with place.open() as index:
            assert index.status().writer == "", where
            assert index.audit() == [], where
            assert state_of(index) == wanted, where
        assert leftovers(place) == [], where
    assert killed


def test_two_writers_and_many_readers(place, station):
    """Everybody works at once: nobody fails, and in the end everything is there."""
    write_tree(place.tree)
    place.build()
    readers = [station.start("crash.acting:read_on", str(place.folder)) for _ in range(12 if EVERY_STEP else 5)]
    writers = [station.start("crash.acting:write_on", str(place.folder), number, 8) for number in (0, 1)]
    for writer in writers:
        assert station.wait(writer).status == 0
    (place.folder / "stop").touch()
    for reader in readers:
        assert station.wait(reader).value["rounds"] > 0
    with place.open() as index:
        index.refresh()
        assert index.audit() == []
        assert state_of(index) == place.rebuilt()


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_that_was_wrong_while_indexing(years, place, station):
    """An index made in 1996 or 2056 by its own clock still notices what changes today."""
    write_tree(place.tree)
    station.run("crash.acting:act_in_another_year", "first build", str(place.folder), years)
    path = place.tree / "part_0/module_3.py"
    changed = path.read_text().replace("return", "yield ", 1)
    assert len(changed) == path.stat().st_size, "the change must not show by its size"
    path.write_text(changed)
    (place.tree / "part_1/module_1.py").unlink()
    with place.open() as index:
        assert index.is_stale()
        index.refresh()
        assert state_of(index) == place.rebuilt()


@pytest.mark.parametrize("moment", [0, 86_400, 4_102_444_800], ids=["1970", "1970-01-02", "2100"])
def test_files_with_times_of_the_past_and_the_future(moment, place):
    """The time written on a file says nothing: content put under an old or a future time is found all the same."""
    write_tree(place.tree)
    for path in place.tree.rglob("*.py"):
        os.utime(path, (moment, moment))
    place.build()
    path = place.tree / "part_0/module_3.py"
    path.write_text(path.read_text().replace("return", "yield ", 1))
    os.utime(path, (moment, moment))
    new = place.tree / "part_2/new.py"
    new.write_text(module(12))
    os.utime(new, (moment, moment))
    with place.open() as index:
        assert index.is_stale()
        index.refresh()
        assert state_of(index) == place.rebuilt()


@pytest.fixture
def frozen(place, station):
    """An index in a folder that nobody can write to: on a file system that is read-only for root, by its mode for others."""
    write_tree(place.tree)
    as_root = os.geteuid() == 0
    place.kept.mkdir()
    if as_root and subprocess.run(["mount", "-t", "tmpfs", "none", str(place.kept)], check=False).returncode:
        pytest.skip("root can write anywhere, and this machine does not let a test mount anything")
    place.build()
    yield place
    if as_root:
        subprocess.run(["umount", "-l", str(place.kept)], check=False)
    else:
        for path in (place.kept, *place.kept.rglob("*")):
            path.chmod(0o755)


def freeze(place: Place) -> None:
    if os.geteuid() == 0:
        subprocess.run(["mount", "-o", "remount,ro", str(place.kept)], check=True)
    else:
        for path in sorted(place.kept.rglob("*"), reverse=True):
            path.chmod(0o555 if path.is_dir() else 0o444)


@pytest.mark.parametrize("tidy", [True, False], ids=["tidy", "with a log"])
def test_a_read_only_index_can_be_asked(tidy, frozen, station):
    """Everything that only reads works, and says when it is behind; what must write says what to do."""
    if not tidy:
        (frozen.tree / "part_0/module_3.py").write_text(module(3, "\n\ndef added_later():\n    return 3\n"))
        station.run("crash.acting:act_in_company", "one file", str(frozen.folder))
    freeze(frozen)
    found = said(station, frozen, ["search", "paint_0", "--json"])
    assert found.code == 0 and "Paint0" in found.out, found
    assert said(station, frozen, ["grep", "measure_1"]).code == 0
    assert said(station, frozen, ["def", "Paint0"]).code == 0
    assert said(station, frozen, ["status"]).code == 0
    assert said(station, frozen, ["audit"]).code == 0
    if not tidy:
        assert "added_later" in said(station, frozen, ["grep", "added_later"]).out

    (frozen.tree / "part_0/module_6.py").write_text("def brand_new():\n    return 1\n")
    late = said(station, frozen, ["search", "paint_0", "--json"])
    assert late.code == 0 and "cannot be written to" in late.err, late
    assert late.is_dated
    assert "brand_new" in said(station, frozen, ["grep", "brand_new"]).out
    for command in ("index", "repair"):
        done = said(station, frozen, [command])
        assert done.code == 2 and "--data" in done.err, (command, done)


def test_a_cache_of_vectors_that_cannot_be_written_to(frozen, station):
    """Only the index folder is needed to ask; a cache that is gone, in a place that is read-only, costs vectors of what is new."""
    (frozen.tree / "part_0/module_3.py").write_text(module(3, "\n\ndef added_later():\n    return 3\n"))
    frozen.build()
    for path in frozen.cache.glob("embeddings.db*"):
        path.unlink()
    freeze(frozen)
    found = said(station, frozen, ["search", "added_later", "--json"])
    assert found.code == 0 and "added_later" in found.out, found
    assert found.is_dated
