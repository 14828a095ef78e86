"""Compressed bytes into plain ones, piece by piece, stopping before they become too many.

A small file can unpack to more than any memory holds, so nothing is ever unpacked further than the caller has room for. Knows
nothing of where the bytes come from.
"""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

GZIP_MAGIC: Final = b"\x1f\x8b"
ENCODINGS: Final = "gzip, deflate"  # what we ask servers for

_PIECE = 65_536
_RATIO_MATTERS_FROM = 8_000_000


class TooLarge(Exception):
    """More bytes than allowed; says which limit."""


class Damaged(Exception):
    """The bytes are not what they claim to be, or end too early."""


class Unpacker:
    """Plain bytes out of those a server sends, under limits on both."""

    def __init__(self, encoding: str, *, max_bytes: int, max_ratio: float) -> None:
        """`encoding` as in a Content-Encoding header; Damaged for one that was not asked for."""
        self._kind = _kind(encoding)
        self._max_bytes = max_bytes
        self._max_ratio = max_ratio
        self._packed = 0
        self._plain = 0
        self._engine = zlib.decompressobj(31 if self._kind == "gzip" else 15)
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What this much more of the packed bytes holds."""
        self._packed += len(data)
        if self._packed > self._max_bytes:
            raise TooLarge(f"it has more than {self._max_bytes:,} bytes")
        if not self._kind:
            yield data
            return
        yield from self._unpacked(data)

    def end(self) -> None:
        """Damaged if something is missing."""
        if self._kind and self._begun and not self._engine.eof:
            raise Damaged("the compressed content ends too early")

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._engine.eof:
                if not data.startswith(GZIP_MAGIC):
                    return  # padding after the end, which every reader passes over
                self._engine = zlib.decompressobj(31)
            piece = self._step(data)
            self._count(len(piece))
            if piece:
                yield piece
            data = self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail

    def _step(self, data: bytes) -> bytes:
        try:
            piece = self._engine.decompress(data, _PIECE)
        except zlib.error as problem:
            if self._kind != "deflate" or self._begun:
                raise Damaged(f"the compressed content is damaged: {problem}") from None
            self._engine = zlib.decompressobj(-15)  # some servers leave the header away
            self._begun = True
            return self._step(data)
        self._begun = True
        return piece

    def _count(self, size: int) -> None:
        self._plain += size
        if self._plain > self._max_bytes:
            raise TooLarge(f"unpacked it has more than {self._max_bytes:,} bytes")
        if self._plain > _RATIO_MATTERS_FROM and self._plain > self._packed * self._max_ratio:
            raise TooLarge(f"it unpacks to more than {self._max_ratio:,.0f} times its size")


def gunzip(pieces: Iterable[bytes], *, max_bytes: int, max_ratio: float) -> Iterator[bytes]:
    """The content of a gzip file. Raises TooLarge or Damaged on the way."""
    unpacker = Unpacker("gzip", max_bytes=max_bytes, max_ratio=max_ratio)
    for piece in pieces:
        yield from unpacker.feed(piece)
    unpacker.end()


def _kind(encoding: str) -> str:
    kind = encoding.strip().lower().removeprefix("x-")
    if kind in ("", "identity"):
        return ""
    if kind not in ("gzip", "deflate"):
        raise Damaged(f"it is compressed in a way that was not asked for ({encoding})")
    return kind
