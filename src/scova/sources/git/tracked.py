"""Which paths git tracks, read from its index file.

The format, as far as it is needed (numbers are big-endian):

    header      "DIRC", version (2, 3 or 4), number of entries, each 4 bytes
    entry       40 bytes of stat, hash (20 bytes, or 32 in a SHA-256 repository), 2 bytes of flags, 2 more in an
                extended entry (flag 0x4000), then the name:
                  2, 3  as it is; ended by 1 to 8 zero bytes that bring the entry to a multiple of 8
                  4     a number of bytes to drop from the previous name, then what follows them, then one zero byte
    extension   4 letters, size, content. Only "link" matters: the entries above are changes to a shared index
                (`sharedindex.<hash>` beside this one), the content its hash and two bitmaps: entries of the shared
                one that are deleted, and that are replaced (a replacement has an empty name)

Numbers in the file are never believed beyond the bytes that are there. Knows nothing of patterns. An index that cannot be
read tracks nothing.
"""

import struct
from bisect import bisect_left
from pathlib import Path

from scova.sources.git.controls import LARGEST_LIST, Controls

_LONGEST_NAME = 65_536  # bytes of a path; no system takes longer ones
_SMALLEST = 40  # bytes that an entry has beside its hash


class Tracked:
    """The tracked paths of one repository, as bytes relative to its top."""

    __slots__ = ("_paths",)

    def __init__(self, paths: list[bytes]) -> None:
        self._paths = paths  # sorted: git keeps them so

    def __contains__(self, path: bytes) -> bool:
        at = bisect_left(self._paths, path)
        return at < len(self._paths) and self._paths[at] == path

    def holds(self, folder: bytes) -> bool:
        """Whether anything inside this folder is tracked."""
        inside = folder + b"/"
        at = bisect_left(self._paths, inside)
        return at < len(self._paths) and self._paths[at].startswith(inside)


def read_tracked(git_dir: Path, controls: Controls, *, hash_bytes: int = 20) -> Tracked:
    """What the index of this repository lists; nothing if it is missing or damaged."""
    try:
        return Tracked(_read(git_dir / "index", controls, hash_bytes))
    except (struct.error, IndexError, ValueError):
        return Tracked([])


def _read(path: Path, controls: Controls, hash_bytes: int, *, is_shared: bool = False) -> list[bytes]:
    data = controls.read(path, limit=LARGEST_LIST) or b""
    if data[:4] != b"DIRC":
        return []
    version, count = struct.unpack_from(">II", data, 4)
    if version not in (2, 3, 4) or count * (_SMALLEST + hash_bytes) > len(data):
        return []
    names, end = (_compressed if version == 4 else _padded)(data, count, hash_bytes)
    link = b"" if is_shared else _extension(data, end, hash_bytes)  # a shared one shares no other
    if not any(link[:hash_bytes]):
        return names
    shared = _read(path.with_name(f"sharedindex.{link[:hash_bytes].hex()}"), controls, hash_bytes, is_shared=True)
    deleted = _bits(link[hash_bytes:], len(shared))
    return sorted({name for at, name in enumerate(shared) if at not in deleted} | set(filter(None, names)))


def _padded(data: bytes, count: int, hash_bytes: int) -> tuple[list[bytes], int]:
    """Names of an index of version 2 or 3, and where they end."""
    names = []
    at = 12
    head = 42 + hash_bytes
    for _ in range(count):
        high = data[at + head - 2]
        length = (high & 0x0F) << 8 | data[at + head - 1]
        start = at + head + (2 if high & 0x40 else 0)
        end = start + length if length < 0xFFF else data.index(b"\0", start)
        names.append(data[start:end])
        at += (end - at + 8) & ~7
    return names, at


def _compressed(data: bytes, count: int, hash_bytes: int) -> tuple[list[bytes], int]:
    """Names of an index of version 4, and where they end."""
    names = []
    name = b""
    at = 12
    head = 42 + hash_bytes
    room = 4 * len(data)  # names share beginnings, but git's whole index of any tree is within this
    for _ in range(count):
        start = at + head + (2 if data[at + head - 2] & 0x40 else 0)
        dropped = data[start] & 0x7F
        while data[start] & 0x80:
            start += 1
            dropped = (dropped + 1) << 7 | data[start] & 0x7F
        at = data.index(b"\0", start + 1)
        if dropped > len(name):
            raise ValueError("more is dropped from a name than it has")
        name = name[: len(name) - dropped] + data[start + 1 : at]
        room -= len(name)
        if room < 0 or len(name) > _LONGEST_NAME:
            raise ValueError("its names are longer than it can hold")
        names.append(name)
        at += 1
    return names, at


def _extension(data: bytes, at: int, hash_bytes: int) -> bytes:
    """The content of the "link" extension, empty if there is none."""
    while at + 8 <= len(data) - hash_bytes:
        size = struct.unpack_from(">I", data, at + 4)[0]
        if data[at : at + 4] == b"link":
            return data[at + 8 : at + 8 + size]
        at += 8 + size
    return b""


def _bits(data: bytes, count: int) -> set[int]:
    """Positions below `count` that are set in the first bitmap: 64-bit words, each marker followed by as many plain words as it says.

    A marker's lowest bit is repeated for as many words as its next 32 bits say; its highest 31 bits count plain words.
    """
    if len(data) < 8:
        return set()
    (size,) = struct.unpack_from(">I", data, 4)
    words = memoryview(data)[8 : 8 + 8 * size]
    if len(words) < 8 * size:
        raise ValueError("a bitmap ends early")
    found: set[int] = set()
    at = position = 0
    while at < size and position < count:
        (marker,) = struct.unpack_from(">Q", words, 8 * at)
        run, plain = marker >> 1 & 0xFFFFFFFF, marker >> 33
        if marker & 1:
            found.update(range(position, min(position + run * 64, count)))
        position += run * 64
        for number in range(at + 1, min(at + 1 + plain, size)):
            if position >= count:
                break
            (word,) = struct.unpack_from(">Q", words, 8 * number)
            found.update(position + bit for bit in range(64) if word >> bit & 1)
            position += 64
        at += 1 + plain
    return found
