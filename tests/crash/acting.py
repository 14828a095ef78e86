"""What runs in processes of its own: whoever prepares a scene, its victim, others who read and write meanwhile, the command."""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from crash.place import Place, answers_of, module, seen_in, write_tree
from crash.scenes import SCENES, publish_everything
from scova import Index
from scova.cli.main import main
from scova.errors import IndexMissing

_LEFT_OPEN: list[Index] = []


def warm_up() -> None:
    """Load whatever a build, a search and a repair load, before processes are forked off."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        write_tree(place.tree)
        place.build()
        with place.open() as index:
            answers_of(index)
            index.status()
        Index.repair(place.tree, data=str(place.data))


def prepare(name: str, folder: str) -> None:
    """Make the place of a scene."""
    place = Place(Path(folder))
    place.open_environment()
    SCENES[name].prepare(place)


def act(name: str, folder: str) -> None:
    """What the victim does."""
    place = Place(Path(folder))
    place.open_environment()
    SCENES[name].act(place)


def act_in_company(name: str, folder: str) -> None:
    """The same while the index is open elsewhere too, and stays so: then the last to leave does not tidy up."""
    company = Place(Path(folder)).open()
    company.status()
    act(name, folder)
    company.search("still there")
    _LEFT_OPEN.append(company)


def act_in_another_year(name: str, folder: str, years: int) -> None:
    """The same with a clock that is wrong."""
    right, away = time.time_ns, years * 365 * 86_400 * 10**9
    time.time_ns = lambda: right() + away
    act(name, folder)


def write_on(folder: str, number: int, times: int) -> None:
    """Change files again and again, and bring the index up to date each time."""
    place = Place(Path(folder))
    for turn in range(times):
        path = place.tree / f"part_{number}/written_{number}_{turn % 3}.py"
        path.write_text(module(20 + turn, f"\n\ndef written_{number}_{turn}():\n    return {turn}\n"))
        if turn % 4 == 3:
            path.unlink()
        place.build()


def read_on(folder: str) -> dict[str, Any]:
    """Read until told to stop, by a handle that stays open and by fresh ones; says how often, and what was seen last.

    Whatever goes wrong goes wrong here: a reader that raises fails the test.
    """
    place = Place(Path(folder))
    stop = place.folder / "stop"
    rounds, seen, seq = 0, {}, -1
    held: Index | None = None
    while not stop.exists() or rounds == 0:
        rounds += 1
        try:
            if held is None and place.store.exists():
                held = place.open()
            for index in (held, place.open()):
                if index is not None:
                    before = index._opened().change_seq()
                    list(map(index.search, ("paint_3", "measure the parcel")))
                    index.grep("measure")
                    index.status()
                    files = seen_in(index)
                    seen, seq = files, before
                    if index is not held:
                        index.close()
        except IndexMissing:
            continue
    if held is not None:
        held.close()
    return {"rounds": rounds, "seen": seen, "seq": seq}


def say(folder: str, words: list[str], out: str) -> int:
    """Run `scova` with these words in this process, as the command would; what it prints goes to the file `out`."""
    place = Place(Path(folder))
    place.open_environment()
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(descriptor, 1)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    if "impatient" in words:
        words.remove("impatient")
        publish_everything()
    code = main(words)
    sys.stdout.flush()
    return code
