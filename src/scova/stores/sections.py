"""The frame of every derived file: named sections behind one checked header.

Responsible for torn, truncated and foreign files being recognised, and for a file appearing whole or not at all. It
refuses to know what the sections mean.

The format, version 1, little- or big-endian as the machine that wrote it (derived files do not travel):

    0     8 bytes   kind, for example b"scovatxt"
    8     uint32    version of that kind
    12    uint32    length of the JSON header
    16    uint32    CRC-32 of the JSON header
    20    JSON      {"order": byte order, "size": of the file, "facts": {...}, "sections": {name: [offset, length, CRC-32]}}
    4096            sections, each beginning at a multiple of 64, zeros between

Opening reads the header only, so it costs the same at any size; `verify` reads everything.

History: 1 (scova 0.1) the first.
"""

import json
import mmap
import os
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from scova.core.own_files import open_own
from scova.errors import DerivedDamaged, IndexForeign
from scova.record import record
from scova.stores.layout import Unfinished

_HEADER = 4096
_ALIGNMENT = 64
_FIXED = struct.Struct("<8sIII")


def damaged(path: Path | str, problem: str) -> DerivedDamaged:
    """The error for a derived file that cannot be used."""
    return DerivedDamaged(
        f"{path}: {problem}", "Run `scova repair`: the file is derived, and is rebuilt from the store."
    )


@record
class Kind:
    """What a file claims to be."""

    magic: bytes
    version: int


@record(eq=False)
class Sections:
    """An open file: its facts, and its sections as memory-mapped bytes. It stays readable when the file is deleted."""

    path: Path
    facts: Mapping[str, Any]
    spots: Mapping[str, tuple[int, int, int]]
    data: memoryview

    @classmethod
    def open(cls, path: Path, kind: Kind, store_id: str | None = None) -> Self:
        """Map the file, or raise DerivedDamaged naming it: also when it was made from another store than this one."""
        try:
            with os.fdopen(open_own(path, os.O_RDONLY, within=2), "rb") as file:
                data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except FileNotFoundError:
            raise damaged(path, "missing") from None
        except IndexForeign as error:
            raise damaged(path, error.message) from None
        except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
            raise damaged(path, f"cannot be mapped: {error}") from error
        header = _header(path, data, kind)
        if store_id is not None and header["facts"].get("store_id") != store_id:
            raise damaged(path, "belongs to another store")
        spots = {name: (spot[0], spot[1], spot[2]) for name, spot in header["sections"].items()}
        return cls(path, header["facts"], spots, data)

    def section(self, name: str, code: Literal["b", "B", "I", "q", "Q"]) -> memoryview:
        """One section as items of `code` (as in `struct`)."""
        if name not in self.spots:
            raise damaged(self.path, f"section {name!r} is missing")
        offset, length, _ = self.spots[name]
        if length % struct.calcsize(code):
            raise damaged(self.path, f"section {name!r} has a broken length")
        return self.data[offset : offset + length].cast(code)

    def verify(self) -> None:
        """Read everything; raise DerivedDamaged when a section is not what was written."""
        for name, (offset, length, checksum) in self.spots.items():
            if zlib.crc32(self.data[offset : offset + length]) != checksum:
                raise damaged(self.path, f"section {name!r} does not match its checksum")

    def release(self) -> None:
        """Give back the memory of what was read so far; it is read again from the file when needed."""
        mapped = self.data.obj
        if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)


def _header(path: Path, data: memoryview, kind: Kind) -> dict[str, Any]:
    if len(data) < _HEADER:
        raise damaged(path, "truncated")
    magic, version, length, checksum = _FIXED.unpack_from(data)
    if magic != kind.magic:
        raise damaged(path, "not a file of this kind")
    if version != kind.version:
        raise damaged(path, f"version {version}, where {kind.version} is needed")
    text = bytes(data[_FIXED.size : _FIXED.size + length])
    if length > _HEADER - _FIXED.size or zlib.crc32(text) != checksum:
        raise damaged(path, "the header is torn")
    header: dict[str, Any] = json.loads(text)
    if header["size"] != len(data):
        raise damaged(path, f"{len(data)} bytes long, where {header['size']} were written")
    if header["order"] != sys.byteorder:
        raise damaged(path, "written by a machine of the other byte order")
    return header


class SectionWriter:
    """Writes such a file beside its place and renames it there when whole.

    Use as a context manager: leaving it without `finish` removes what was written. Several sections of known size may
    be filled side by side; one of unknown size grows until the next is begun. Spills need not be `durable`.
    """

    def __init__(self, path: Path, kind: Kind, *, durable: bool = True) -> None:
        self._kind = kind
        self._unfinished = Unfinished(path, durable=durable, within=2)
        self._file = self._unfinished.file
        self._spots: dict[str, list[int]] = {}  # name -> offset, bytes written so far, CRC-32 so far
        self._sizes: dict[str, int] = {}
        self._growing = ""
        self._end = _HEADER

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._unfinished.discard()

    def begin(self, name: str, size: int | None = None) -> None:
        """Make room for a section of `size` bytes, or of as many as will be written before the next `begin`."""
        self._settle()
        self._spots[name] = [self._end, 0, 0]
        if size is None:
            self._growing = name
        else:
            self._sizes[name] = size
            self._end = _aligned(self._end + size)

    def write(self, name: str, data: Any) -> None:
        """Append bytes-like data to a section."""
        view = memoryview(data).cast("B") if memoryview(data).nbytes else memoryview(b"")
        spot = self._spots[name]
        self._file.seek(spot[0] + spot[1])
        spot[1] += len(view)
        spot[2] = zlib.crc32(view, spot[2])
        self._file.write(view)

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Complete the header and put the file in its place."""
        self._settle()
        short = [name for name, size in self._sizes.items() if self._spots[name][1] != size]
        if short:
            raise ValueError(f"sections not filled as announced: {short}")
        self._file.truncate(self._end)
        header = {"order": sys.byteorder, "size": self._end, "facts": facts, "sections": self._spots}
        text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
        if len(text) > _HEADER - _FIXED.size:
            raise ValueError(f"a header of {len(text)} bytes does not fit")
        self._file.seek(0)
        self._file.write(_FIXED.pack(self._kind.magic, self._kind.version, len(text), zlib.crc32(text)) + text)
        self._unfinished.finish()

    def _settle(self) -> None:
        if self._growing:
            offset, written, _ = self._spots[self._growing]
            self._end = _aligned(offset + written)
            self._growing = ""


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT
