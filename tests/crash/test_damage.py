"""Any file of an index cut short or with bits flipped: every command answers as before or says what to do, `scova audit` knows
whenever an answer is not what it was, and `scova repair` makes everything as a rebuild would.

An answer may be older than before, where the newest is what was lost; then it says so. Bits that flip inside a row of the store, or inside a section of a derived file, are not looked for when a question is asked
(that would mean reading everything each time): an audit finds them.
"""

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from crash.place import Place, State, module, state_of, write_tree
from crash.said import ASKED, Said, said
from crash.station import Station
from scova import Index

EVERYTHING = os.environ.get("CRASH") == "all"
FLIPS = 60 if EVERYTHING else 0
SHARDS = 4 if EVERYTHING else 1
QUESTIONS = ASKED if EVERYTHING else {name: ASKED[name] for name in ("search", "grep", "def")}


class Damage(NamedTuple):
    """What happens to the bytes of a file: cut after `at`, or the byte there is changed by `mask`."""

    at: int
    mask: int = 0

    def of(self, data: bytes) -> bytes:
        if not self.mask:
            return data[: self.at]
        return data[: self.at] + bytes([data[self.at] ^ self.mask]) + data[self.at + 1 :]


def damages(name: str, size: int) -> Iterator[Damage]:
    """Cut to nothing, to a byte, in half, by a byte; flipped in the header, the middle, at the end, and anywhere."""
    cuts = {0, 1, size // 2, size - 1} if EVERYTHING else {0, size // 2, size - 1}
    yield from map(Damage, sorted(cuts & set(range(size))))
    chance = random.Random(name)
    places = {min(20, size - 1), size // 2, size - 1, *(chance.randrange(size) for _ in range(FLIPS))}
    yield from (Damage(at, chance.choice((0xFF, 0x01, 0x10))) for at in sorted(places))


@pytest.fixture(scope="module")
def station(tmp_path_factory):
    with Station(tmp_path_factory.mktemp("station")) as station:
        yield station


class Broken:
    """An index that can be broken again and again, and what it answered before."""

    def __init__(self, place: Place, station: Station) -> None:
        self.place = place
        self._station = station
        write_tree(place.tree)
        place.build()
        # A log that was not tidied away, and something newer than the derived files: how most indexes are found.
        (place.tree / "part_0/module_3.py").write_text(module(3, "\n\ndef added_later():\n    return 3\n"))
        with place.open() as company:
            company.status()
            station.run("crash.acting:act", "one file", str(place.folder))
            self.before = place.put_aside()
        place.put_back(self.before)
        self.good = {name: self.say(*words) for name, words in ASKED.items()}
        place.put_back(self.before)
        self.wanted = place.rebuilt()
        place.open_environment()

    def say(self, *words: str) -> Said:
        return said(self._station, self.place, words)

    def hurt(self, name: str, damage: Damage) -> None:
        self.place.put_back(self.before)
        path = self.place.kept / name
        path.write_bytes(damage.of(path.read_bytes()))

    def state(self) -> State:
        with self.place.open() as index:
            return state_of(index)


@pytest.fixture(scope="module")
def broken(tmp_path_factory, station):
    return Broken(Place(tmp_path_factory.mktemp("broken")), station)


KINDS: dict[str, Callable[[Place], Path]] = {
    "store": lambda place: place.store,
    "log": lambda place: place.store.with_name("store.db-wal"),
    "shared memory": lambda place: place.store.with_name("store.db-shm"),
    "text": lambda place: next(place.data.glob("text/*.seg")),
    "vectors": lambda place: next(place.data.glob("vectors/*.vec")),
    "n-grams": lambda place: next(place.data.glob("grams/*.gram")),
    "owner": lambda place: place.data / "root",
    "id": lambda place: place.data / "id",
    "embeddings": lambda place: place.cache / "embeddings.db",
    "graph metadata": lambda place: place.data / "collection_meta.json",
}


@pytest.mark.timeout(1800 if EVERYTHING else 110)
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("kind", KINDS)
def test_damaged(kind, shard, broken):
    broken.place.put_back(broken.before)
    path = KINDS[kind](broken.place)
    if kind == "graph metadata" and not path.exists():
        return  # an index this small has no graph, and need not say anything of one
    name = str(path.relative_to(broken.place.kept))
    size = path.stat().st_size
    assert size, name
    for damage in list(damages(name, size))[shard::SHARDS]:
        check(broken, name, damage)


def test_every_file_is_among_them(broken):
    """A file that an index has and this suite does not know would never be broken."""
    broken.place.put_back(broken.before)
    known = {kind(broken.place) for kind in KINDS.values()}
    there = {path for path in broken.place.kept.rglob("*") if path.is_file()}
    unknown = [path.name for path in there - known if path.stat().st_size and path.suffix != ".lock"]
    assert [name for name in unknown if not name.startswith("embeddings.db-")] == []


def check(broken: Broken, name: str, damage: Damage) -> None:
    """Ask everything, audit, refresh, repair."""
    where = f"{name} {damage}"
    broken.hurt(name, damage)
    wrong = {}
    for question, words in QUESTIONS.items():
        answer = broken.say(*words)
        if answer.answer != broken.good[question].answer and not answer.is_helpful and not answer.is_dated:
            wrong[question] = answer
    status, audit = broken.say("status"), broken.say("audit")
    assert status.code == 0 or status.is_helpful, (where, status)
    assert audit.code in (0, 3) or audit.is_helpful, (where, audit)
    if wrong:
        # What is torn must show by itself; what is flipped may only show when everything is read.
        assert damage.mask and audit.code != 0 and "scova repair" in audit.err, (where, wrong)
    index = broken.say("index")
    assert index.code == 0 or index.is_helpful, (where, index)
    broken.hurt(name, damage)
    assert broken.say("repair").code == 0, where
    assert broken.say("audit").code == 0, where
    assert broken.state() == broken.wanted, where


# --- single defects that breaking things has shown


def test_a_torn_derived_file_comes_back_with_the_next_refresh(broken):
    for folder in ("text", "vectors", "grams"):
        broken.place.put_back(broken.before)
        path = next((broken.place.data / folder).iterdir())
        path.write_bytes(path.read_bytes()[:100])
        assert broken.say("index").code == 0
        with broken.place.open() as index:
            assert index.audit() == []
            assert not index.status().damaged


@pytest.mark.parametrize("kind", ["text", "vectors"])
def test_damage_is_not_merged_into_the_next_file(kind, tmp_path, station, monkeypatch):
    """A flipped bit in a published file must not pass for sound once the file was merged into another."""
    monkeypatch.setenv("SCOVA_CACHE", str(tmp_path / "kept/cache"))
    place = Place(tmp_path)
    station.run("crash.acting:prepare", "publishing", str(tmp_path))
    path = KINDS[kind](place)
    data = bytearray(path.read_bytes())
    data[4300:8000] = bytes(byte ^ 0x55 for byte in data[4300:8000])
    path.write_bytes(data)
    station.run("crash.acting:act", "publishing", str(tmp_path))
    assert KINDS[kind](place) != path, "nothing was published"
    with place.open() as index:
        assert index.audit() == []
        assert state_of(index) == place.rebuilt()


@pytest.mark.parametrize("damage", [Damage(1), Damage(3, 0x01)])
def test_a_damaged_owner_takes_no_index_away(damage, tmp_path, station):
    """`scova gc` removes indexes of folders that are gone. A name with a flipped bit is not the name of one."""
    place = Place(tmp_path)
    write_tree(place.tree)
    place.open_environment()
    with Index.open(place.tree) as index:
        index.refresh()
        data = index.layout.root
    owner = data / "root"
    owner.write_bytes(damage.of(owner.read_bytes()))
    assert said(station, place, ["gc"]).code == 0
    assert (data / "store.db").exists()


def test_lost_vectors_come_back_with_the_next_refresh(broken):
    """The cache of vectors may be deleted at any time. What no vector file holds yet is embedded again."""
    broken.place.put_back(broken.before)
    for path in broken.place.cache.glob("embeddings.db*"):
        path.unlink()
    assert broken.say("search", "added later", "--json", "--no-refresh").is_dated
    assert broken.say("index").code == 0
    with broken.place.open() as index:
        assert index.audit() == []
        assert state_of(index) == broken.wanted


def test_values_of_another_type_are_found(broken):
    """SQLite does not mind text in a column of numbers; whoever reads it does."""
    for table, column, value in (
        ("chunks", "start_line", "'x'"),
        ("symbols", "doc", "x'ff'"),
        ("meta", "value", "7.5"),
    ):
        broken.place.put_back(broken.before)
        with closing(sqlite3.connect(broken.place.store)) as connection, connection:
            connection.execute(f"UPDATE {table} SET {column} = CAST({value} AS BLOB)")
        audit = broken.say("audit")
        assert audit.code != 0, (table, audit)
        assert broken.say("repair").code == 0
        assert broken.state() == broken.wanted
