"""The disk is full: a clear word and exit code 2, nothing committed is lost, and with some room the same command goes on.

At every step by the layer, which says so as a full disk would (half of the last write fits); and on a real, small file system.
"""

import os
import subprocess

import pytest

from crash.disk import Mode
from crash.place import Place, leftovers, state_of, write_tree
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


def is_clear(code: int, err: str) -> bool:
    """Whether a person knows what happened and what to do."""
    return code == 2 and ("space" in err or "room" in err) and "hint:" in err


@pytest.mark.timeout(1800 if EVERY_STEP else 110)
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("name", ["first build", "one file", "moves and deletes", "publishing"])
def test_full_from_a_step_on(name, shard, place, station):
    station.run("crash.acting:prepare", name, str(place.folder))
    before = place.put_aside()
    wanted = place.rebuilt()
    words = ["index", str(place.tree), "--data", str(place.data)]
    if name == "publishing":
        words.append("impatient")
    arguments = (str(place.folder), words, str(place.folder / "said"))
    steps = station.run("crash.acting:say", *arguments, aim=Aim(place.kept)).steps
    stride = 1 if EVERY_STEP else 19
    place.put_back(before)
    with place.open() as index:
        committed = index._opened().change_seq() if index.indexed else 0
    for stop_at in range(1 + shard * stride, steps + 1, stride * SHARDS):
        where = f"{name}: full from step {stop_at} of {steps} on"
        place.put_back(before)
        end = station.run("crash.acting:say", *arguments, aim=Aim(place.kept, Mode.FULL, stop_at))
        assert end.status == 0 and "Traceback" not in end.err, (where, end)
        # Whatever is left to do near the end may need no room: then the command is simply done.
        assert end.value == 0 or is_clear(end.value, end.err), (where, end)
        with place.open() as index:
            if index.indexed:
                assert place.store.read_bytes()[18:20] == b"\2\2", (
                    f"{where}: a store without a log, where readers block writers"
                )
                assert index.audit() == [], where
                assert committed <= index._opened().change_seq(), where
            again = station.run("crash.acting:say", *arguments)
            assert again.value == 0, (where, again)
            assert index.audit() == [], where
            assert state_of(index) == wanted, where
        assert leftovers(place) == [], where


def mounted(folder, kib: int) -> bool:
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system takes root")
def test_a_real_disk_that_is_full(place, station):
    """A file system of a few hundred kilobytes, which grows until the index fits."""
    write_tree(place.tree, 60)
    wanted = place.rebuilt()
    if not mounted(place.kept, 64):
        pytest.skip("this machine does not let a test mount anything")
    try:
        codes = []
        for kib in (64, 200, 350, 500, 650, 800, 1000, 1400, 2000, 6000):
            remount = ["mount", "-o", f"remount,size={kib}k", str(place.kept)]
            subprocess.run(remount, check=True)
            done = said(station, place, ["index"])
            assert done.code == 0 or is_clear(done.code, done.err), (kib, done)
            codes.append(done.code)
            if place.store.exists():
                search = said(station, place, ["search", "paint_3", "--no-refresh"])
                assert search.code in (0, 1) or is_clear(search.code, search.err), (kib, search)
                with place.open() as index:
                    assert index.audit() == [], kib
        assert codes[0] == 2 and codes[-1] == 0, codes
        with place.open() as index:
            assert state_of(index) == wanted
    finally:
        subprocess.run(["umount", "-l", str(place.kept)], check=False)
