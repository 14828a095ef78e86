"""What ends a line: a line feed, with the carriage returns right before it. A carriage return elsewhere is a character like any other.

Texts are kept with line feeds alone, so that a file with CRLF ends has the same lines, words, chunks and scores as one with LF
ends. What lies in the file is still known where it can be told for certain: by its size and its hash. Opens no file.
"""

import hashlib
import re

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_END = re.compile(
    r"(?<!\r)\r++\n"
)  # begins at the first of several returns only, so that a million of them take no longer


def with_line_feeds(text: str) -> str:
    """The same lines, each ended by a line feed alone. Their number stays."""
    if "\r\n" not in text:
        return text
    return _END.sub("\n", text) if "\r\r\n" in text else text.replace("\r\n", "\n")


def as_in_file(text: str, size: int, digest: str) -> str | None:
    """A text that was kept with line feeds, with the line ends of its file, which has this size and this SHA-256; without a byte
    order mark. None where they cannot be told: another encoding, or line ends of both kinds."""
    data = text.encode("utf-8", "surrogatepass")
    feeds = data.count(b"\n")
    for mark in (b"", _BYTE_ORDER_MARK):
        more = size - len(data) - len(mark)
        if more == 0 and _has_hash(mark + data, digest):
            return text
        if feeds and more == feeds and _has_hash(mark + data.replace(b"\n", b"\r\n"), digest):
            return text.replace("\n", "\r\n")
    return None


def _has_hash(data: bytes, digest: str) -> bool:
    return hashlib.sha256(data).hexdigest() == digest
