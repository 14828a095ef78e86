"""What a disk holds after the power went: replays a recording of changes up to some step, and forgets what was never synced.

The strictest reading of what a system promises: data of a file is safe once the file was synced, a name (made, renamed,
removed) once its folder was. Everything else may be there or not, block by block and name by name, in any combination.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from crash.disk import Operation

BLOCK = 4096
_DELETED = " (deleted)"  # how the system names an open file that has no name any more


@dataclass
class _File:
    """One file, under whatever name: what is safe, and what came after, in order: (offset, data), or (size, None)."""

    safe: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def content(self, keeps: "Keeps") -> bytes:
        content = bytearray(self.safe)
        for offset, data in self.pending:
            for start, piece in _blocks(offset, data):
                if keeps.data():
                    _apply(content, start, piece)
        return bytes(content)

    def sync(self) -> None:
        for offset, data in self.pending:
            _apply(self.safe, offset, data)
        self.pending.clear()


class Keeps:
    """What the disk happened to keep of what was not synced."""

    def __init__(self, how: str) -> None:
        """`how` is everything, nothing, names (without data), data (without names), or a number: then chance decides."""
        self._how = how
        self._chance = random.Random(how)

    def data(self) -> bool:
        return self._how in ("everything", "data") or (self._how.isdigit() and self._chance.random() < 0.5)

    def name(self) -> bool:
        return self._how in ("everything", "names") or (self._how.isdigit() and self._chance.random() < 0.5)


_Names = dict[str, _File | None]


class Disk:
    """Everything under one folder, from a moment when all of it was safe."""

    def __init__(self, folder: Path, before: Path) -> None:
        """`before` holds what was in `folder`, where the recording was made, when it began."""
        self._folder = folder
        self._safe: dict[str, _File] = {}
        for path in before.rglob("*"):
            if path.is_file():
                self._safe[str(folder / path.relative_to(before))] = _File(bytearray(path.read_bytes()))
        self._now = dict(self._safe)
        self._pending: list[_Names] = []  # changes of names, each one whole

    def apply(self, operations: Iterable[Operation]) -> None:
        """Go on by these."""
        for operation in operations:
            if not operation.name.endswith(_DELETED):
                getattr(self, f"_{operation.kind}")(operation)

    def left(self, how: str) -> dict[str, bytes]:
        """What is there after the power went now, by path relative to the folder."""
        keeps = Keeps(how)
        names: _Names = dict(self._safe)
        for change in self._pending:
            if keeps.name():
                names.update(change)
        contents: dict[int, bytes] = {}
        for file in names.values():
            if file is not None and id(file) not in contents:
                contents[id(file)] = file.content(keeps)
        prefix = f"{self._folder}/"
        return {name.removeprefix(prefix): contents[id(file)] for name, file in names.items() if file is not None}

    def _rename(self, change: _Names) -> None:
        self._pending.append(change)
        for name, file in change.items():
            if file is None:
                self._now.pop(name, None)
            else:
                self._now[name] = file

    def _c(self, operation: Operation) -> None:
        self._rename({operation.name: _File()})

    def _t(self, operation: Operation) -> None:
        self._now[operation.name].pending.append((0, None))

    def _w(self, operation: Operation) -> None:
        self._now[operation.name].pending.append((operation.offset, operation.data))

    def _s(self, operation: Operation) -> None:
        self._now[operation.name].pending.append((operation.length, None))

    def _r(self, operation: Operation) -> None:
        if operation.name in self._now:
            self._rename({operation.name: None, operation.other: self._now[operation.name]})
            return
        inside = f"{operation.name}/"
        moved = {name: file for name, file in self._now.items() if name.startswith(inside)}
        change: _Names = dict.fromkeys(moved)
        change.update({operation.other + name.removeprefix(operation.name): file for name, file in moved.items()})
        self._rename(change)

    def _l(self, operation: Operation) -> None:
        self._rename({operation.other: self._now[operation.name]})

    def _u(self, operation: Operation) -> None:
        self._rename({operation.name: None})

    def _m(self, operation: Operation) -> None:
        """Folders are there when something in them is."""

    _d = _m

    def _f(self, operation: Operation) -> None:
        if operation.name in self._now:
            self._now[operation.name].sync()
            return
        for change in self._pending:
            if any(name.rpartition("/")[0] == operation.name for name in change):
                for name, file in change.items():
                    if file is None:
                        self._safe.pop(name, None)
                    else:
                        self._safe[name] = file
                change.clear()
        self._pending = [change for change in self._pending if change]


def put_down(left: dict[str, bytes], folder: Path) -> None:
    """Write what is left of a disk, where there is nothing yet."""
    folder.mkdir(parents=True)
    for name, content in left.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _blocks(offset: int, data: bytes | None) -> Iterable[tuple[int, bytes | None]]:
    """A write in the pieces that a disk writes at once."""
    if data is None:
        yield offset, None
        return
    start = 0
    while start < len(data):
        end = min(len(data), start + BLOCK - (offset + start) % BLOCK)
        yield offset + start, data[start:end]
        start = end


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    size = offset if data is None else offset + len(data)
    if len(content) < size:
        content.extend(bytes(size - len(content)))
    if data is None:
        del content[offset:]
    else:
        content[offset:size] = data
