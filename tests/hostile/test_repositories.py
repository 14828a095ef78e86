"""Nothing that a stranger's repository holds does harm: `make hostile` tries 300 of them, `make test` a sample.

For each, and for each command: nothing outside the index folder, the cache and the user's own state folder is written, read as
text or removed; no traceback; memory and work within bounds.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from hostile.repositories import CANARY, Hostile, made
from measured import Measured, measured
from scova.index import Index

SEEDS = range(300 if os.environ.get("HOSTILE") == "all" else 20)
SCOVA = Path(sys.executable).with_name("scova")
COMMANDS = (["search", "first"], ["index"], ["grep", "first"], ["status", "--json"])
MOST_BYTES = 400_000_000
MOST_SECONDS = 10.0  # of processor time
PATIENCE = 100.0  # by the clock: who takes so long waits for something that never comes

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def template():
    """A sound index of some folder, as it may be shipped."""
    folder = Path(tempfile.mkdtemp())
    (folder / "tree").mkdir()
    (folder / "tree" / "first.py").write_text("def first():\n    return 1\n")
    with Index.open(folder / "tree", data=str(folder / "index")) as index:
        index.refresh()
    yield folder / "index"
    shutil.rmtree(folder)


def seen(folder: Path) -> dict[str, object]:
    """Everything below a folder, without following or opening what may not be opened."""
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        regular = path.is_file() and not path.is_symlink()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if regular and status.st_size < 1e8 else ""
        link = os.readlink(path) if path.is_symlink() else ""
        mtime = status.st_mtime_ns if not path.is_dir() or path.is_symlink() else 0
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_size * regular, mtime, digest, link)
    return found


def of_user(one: Hostile) -> dict[str, object]:
    """What nobody may change."""
    own = ("cache", "state")
    at_home = {name: what for name, what in seen(one.home).items() if name.split("/")[0] not in own}
    in_tree = {name: what for name, what in seen(one.root).items() if name.split("/")[0] != ".scova"}
    return {"home": at_home, "tree": in_tree, "outside": seen(one.outside)}


def run(one: Hostile, words: list[str]) -> tuple[Measured, str]:
    """What a command ends with, says, and costs."""
    own = {name: str(one.home / name) for name in ("cache", "state", "config")}
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SCOVA_")},
        **{f"XDG_{name.upper()}_HOME" if name != "config" else "XDG_CONFIG_HOME": place for name, place in own.items()},
        "HOME": str(one.home),
        **one.environment,
    }
    with tempfile.TemporaryFile() as said:
        done = measured([SCOVA, *words, one.root], said.fileno(), patience=PATIENCE, env=environment, cwd=one.folder)
        said.seek(0)
        return done, said.read().decode(errors="replace")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hostile_repository_harms_nothing(seed, tmp_path, template):
    one = made(seed, tmp_path, template)
    before = of_user(one)
    for words in COMMANDS:
        (code, seconds, held), said = run(one, words)
        about = f"seed {seed} ({'; '.join(one.words)}), {words}: {said[-2000:]}"
        assert code in (0, 1, 2, 3), f"ended with {code}: {about}"
        assert "Traceback" not in said, about
        assert CANARY not in said, about
        assert seconds <= MOST_SECONDS, f"{seconds:.1f} s: {about}"
        assert held <= MOST_BYTES, f"{held / 1e6:.0f} MB: {about}"
        assert of_user(one) == before, about
    kept = [
        one.home / "cache",
        one.home / "state",
        *([one.root / ".scova"] if not (one.root / ".scova").is_symlink() else []),
    ]
    for folder in kept:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                assert CANARY.encode() not in path.read_bytes(), f"{path}: {one.words}"


@pytest.mark.parametrize(("held", "is_too_much"), [(1, False), (MOST_BYTES, True)])
def test_what_is_measured_is_what_the_command_holds_whatever_this_process_does(held, is_too_much, tmp_path):
    ballast = b"x" * (MOST_BYTES + 100_000_000)
    command = [sys.executable, "-c", f"b'x' * {held}"]
    with tempfile.TemporaryFile() as said:
        done = measured(command, said.fileno(), patience=PATIENCE, env=os.environ, cwd=tmp_path)
    assert (done.code, done.most_bytes > MOST_BYTES) == (0, is_too_much), len(ballast)


def test_a_command_that_waits_for_ever_is_ended_and_told(tmp_path):
    with tempfile.TemporaryFile() as said:
        done = measured(["sleep", "60"], said.fileno(), patience=0.2, env=os.environ, cwd=tmp_path)
    assert done.code == -9
