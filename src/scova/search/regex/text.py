"""Bytes of a file into the text that is searched, as ripgrep sees it: by its byte order mark, up to where it turns binary."""

from typing import NamedTuple

_BUFFER = 1 << 16  # ripgrep reads so much at a time, and gives a file up when it meets a zero byte in what it read
_PEEKED = 3  # … after it has looked at the beginning for a byte order mark
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Text(NamedTuple):
    """What is searched of a file. `binary` says that a zero byte put an end to it."""

    data: bytes
    binary: bool = False


def text_of(data: bytes) -> Text:
    """The text to search: UTF-8 or something near it, without a byte order mark."""
    if encoding := _UTF16.get(data[:2]):
        data = data[2:].decode(encoding, "replace").encode()
        peeked = 0
    else:
        peeked = 0 if data.startswith(b"\xef\xbb\xbf") else _PEEKED
        data = data.removeprefix(b"\xef\xbb\xbf")
    zero = data.find(b"\0")
    return Text(data) if zero < 0 else Text(data[: _searched(data, zero, peeked)], binary=True)


def _searched(data: bytes, zero: int, peeked: int) -> int:
    """How much has been searched when the piece with the zero byte is read: whole lines of the pieces before."""
    start = end = 0  # the buffer holds what lies between
    room = _BUFFER
    while True:
        if end - start == room:
            room *= 2
        following = min(peeked, zero + 1) if peeked and not end else start + room
        if zero < following:
            return start
        last = data.rfind(b"\n", end, following)
        end = following
        start = last + 1 if last >= 0 else start
