"""The layer between a process and the disk (disk.c): made once per machine, steered and read from here.

Knows nothing of scova. The layout of `struct state` and `struct record` is that of disk.c.
"""

import hashlib
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("disk.c")
_STATE = struct.Struct("IIQQII1024s1024s")
_RECORD = struct.Struct("IIIIQQ")
_STATE_BYTES = 4096
_STEPS = 16  # where in it the number of steps lies


class Mode(IntEnum):
    """What happens at the chosen step."""

    COUNT = 0  # nothing
    KILL = 1  # SIGKILL before it
    TORN = 2  # SIGKILL after it; in the middle of it when it is a write
    FULL = 3  # from there on nothing more fits on the disk


class Operation(NamedTuple):
    """One change of the disk. `kind` is one of: c(reate) t(runcate to nothing) w(rite) s(et size) f(sync) r(ename)
    l(ink) u(nlink) m(ake folder) d(elete folder)."""

    kind: str
    name: str
    other: str = ""
    offset: int = 0
    length: int = 0
    data: bytes = b""


def library() -> Path:
    """The layer, compiled. Says what is missing when it cannot be: a crash suite that quietly does not run is worth nothing."""
    made = Path(tempfile.gettempdir()) / f"scova-disk-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]}.so"
    if not made.exists():
        if not (compiler := _compiler()):
            raise RuntimeError("the crash suite needs a C compiler: apt-get install -y gcc libc6-dev")
        beside = made.with_suffix(f".{os.getpid()}")
        command = [compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"]
        subprocess.run([*command, "-o", str(beside), str(SOURCE)], check=True)
        beside.replace(made)
    return made


def _compiler() -> str | None:
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-qq", "gcc", "libc6-dev"], check=False, stdout=subprocess.DEVNULL)
        found = shutil.which("gcc")
    return found


class Steering:
    """What a process and its test share: which steps are counted, and which of them is the last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.write_bytes(bytes(_STATE_BYTES))
        with path.open("r+b") as file:
            self._mapped = mmap.mmap(file.fileno(), _STATE_BYTES)

    def aim(self, under: Path, *, mode: Mode = Mode.COUNT, stop_at: int = 0, log: Path | None = None) -> None:
        """To be called in the process that is to be counted, from here on, with its children; it leads its own group."""
        values = (mode, stop_at, 0, self._get(4), 0, os.fsencode(under), os.fsencode(log) if log else b"")
        _STATE.pack_into(self._mapped, 0, os.getpid(), *values)

    def begin(self) -> None:
        """Begin to count anew, before the process that will be counted is there."""
        struct.pack_into("Q", self._mapped, _STEPS, 0)

    def stop(self) -> None:
        """Count nobody any more."""
        struct.pack_into("I", self._mapped, 0, 0)

    @property
    def steps(self) -> int:
        """How many steps were begun since `aim`."""
        return int(self._get(3))

    def _get(self, field: int) -> int:
        return int(_STATE.unpack_from(self._mapped)[field])


def recorded(log: Path) -> Iterator[Operation]:
    """What was done, in order."""
    data = log.read_bytes()
    at = 0
    while at < len(data):
        kind, name, other, _, offset, length = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        names = os.fsdecode(data[at : at + name]), os.fsdecode(data[at + name : at + name + other])
        at += name + other
        content = data[at : at + length] if chr(kind) == "w" else b""
        at += len(content)
        yield Operation(chr(kind), *names, offset, length, content)
