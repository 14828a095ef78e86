"""Reads one file of a folder: bytes to text, or a reason why not.

Never follows a symlink out of the root, not even one that took the place of a file or folder after the walk; never
waits on a pipe; never raises for one bad file. Knows nothing of ignore rules; which language a file is in is asked
of the caller.
"""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scova.sources.git.controls import change_ns
from scova.types import Document, Item, Mark, Skip

LanguageOf = Callable[[str, str], str]  # path and first line -> language

MAX_FILE_BYTES = 5_000_000

_HEAD_BYTES = 8192
_MARKER_CHARACTERS = 2048
_LONGEST_LINE = 20_000
_MEAN_LINE, _MEAN_LINE_MATTERS_FROM = 500, 5_000

_STALE_SIZE = -1  # no file has it, so the next look finds a difference

# What a text may hold below the space: bell, backspace, tab, line feed, vertical tab, form feed, return, escape.
_CONTROLS = bytes(sorted(set(range(0x20)) - set(b"\a\b\t\n\v\f\r\x1b") | {0x7F}))
_MOST_CONTROLS_IN_UTF8 = 0.10
_MOST_CONTROLS_ELSEWHERE = 0.03

# A line is as long as a paragraph or a row there, and a heading may well speak of generated code.
_PROSE = re.compile(
    r"\.(?:md|markdown|mdx|rst|txt|text|adoc|asciidoc|org|tex|textile|wiki|log|csv|tsv|psv|po|pot|srt)$", re.IGNORECASE
)

# What comes before the first line of code; a program that writes such a marker has it further down, in a string.
_HEADER = re.compile(
    r"(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*|--[^\n]*|;[^\n]*|%[^\n]*|<!--.*?(?:-->|\Z)|<\?\w*[^>\n]*>?"
    r"|\{-.*?(?:-\}|\Z)|\(\*.*?(?:\*\)|\Z)|(?:@?rem|package)\b[^\n]*)*+",
    re.DOTALL | re.IGNORECASE,
)
_GENERATED = re.compile(
    r"@generated\b|generated\b[^\n]*\bdo not (?:edit|modify|change)\b"
    r"|\bdo not (?:edit|modify|change)\b[^\n]*generated\b|generated\b[^\n]*\.\W*\n\W*(?:please )?do not (?:edit|modify|change)\b"
    r"|\bthis (?:file|code|source)(?: is| was| has been)? (?:automatically |auto[- ]?)generated\b",
    re.IGNORECASE,
)
_PRIVATE_KEY = re.compile(rb"\s*-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_INSIDE = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\\nr|]*[A-Za-z0-9+/=\s\\n]{40}")
_SETTINGS = frozenset(("json", "yaml", "yml", "toml", "ini", "cfg", "conf", "properties", "xml", "env"))


def no_language(path: str, first_line: str) -> str:
    """The answer of a caller who does not care for languages."""
    return ""


class _Left(Exception):
    """The file is left out; carries the Skip's reason and detail."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class _Content:
    data: bytes
    mark: Mark


def read_document(
    root: Path,
    item: Item,
    language_of: LanguageOf,
    *,
    max_file_bytes: int = MAX_FILE_BYTES,
    index_secrets: bool = False,
) -> Document | Skip:
    """The item's text as it is now, or why it has none. `root` is absolute.

    The mark is of the moment of reading. If the file kept changing meanwhile, the mark is one that no file can have,
    so that the next look finds a difference and reads again.
    """
    try:
        content = _read(root, item.path, max_file_bytes)
        if not index_secrets and _holds_private_key(item.path, content.data):
            raise _Left("secret", "holds a private key")
        text = _decoded(content.data)
        _refuse_unreadable_code(item.path, text)
    except _Left as left:
        return Skip(item.path, left.reason, left.detail)
    language = language_of(item.path, text[:1024].split("\n", 1)[0].rstrip("\r"))
    return Document(item.path, text, hashlib.sha256(content.data).hexdigest(), language, content.mark)


def _holds_private_key(path: str, data: bytes) -> bool:
    """Whether it is a private key, or settings with one inside. Code and prose may speak of keys."""
    if _PRIVATE_KEY.match(data):
        return True
    return path.rpartition(".")[2].lower() in _SETTINGS and _KEY_INSIDE.search(data) is not None


def _read(root: Path, path: str, limit: int) -> _Content:
    """The bytes and the mark they belong to; tries once more if the file changes meanwhile."""
    try:
        first = _read_once(root, path, limit)
        return first if first is not None and first.mark.size != _STALE_SIZE else _read_again(root, path, limit)
    except (FileNotFoundError, NotADirectoryError):
        raise _Left("vanished", "it was gone when it was to be read") from None
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise _Left("symlink", "a symlink took its place") from None
        raise _Left("unreadable", problem.strerror or "it cannot be read") from None
    except ValueError as problem:
        raise _Left("unreadable", str(problem)) from None


def _read_again(root: Path, path: str, limit: int) -> _Content:
    content = _read_once(root, path, limit)
    if content is None:
        raise FileNotFoundError
    return content


def _read_once(root: Path, path: str, limit: int) -> _Content | None:
    """The bytes with their mark, a stale one if they changed meanwhile; None if the file was replaced just now."""
    # Without O_NONBLOCK a pipe that took the file's place would hold us for ever.
    descriptor = os.open(_place(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise _Left("special", "neither a file nor a folder")
        if not _lies_at(descriptor, root, path):
            if os.fstat(descriptor).st_nlink == 0:
                return None
            raise _Left("symlink", "a folder on the way became a symlink")
        if before.st_size > limit:
            raise _Left("too-large", f"{before.st_size:,} bytes; the limit is {limit:,}")
        data = _read_up_to(descriptor, limit + 1, before.st_size)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise _Left("too-large", f"it grew over the limit of {limit:,} bytes while it was read")
    same = (change_ns(before), before.st_size) == (change_ns(after), after.st_size) and len(data) == before.st_size
    return _Content(data, Mark(before.st_size if same else _STALE_SIZE, change_ns(before)))


def _read_up_to(descriptor: int, limit: int, expected: int) -> bytes:
    """Everything to the end of the file, but not much more than the limit. One call more than needed finds the end."""
    parts = []
    remaining = limit
    while remaining > 0 and (part := os.read(descriptor, min(remaining, max(expected + 1, 65_536)))):
        parts.append(part)
        remaining -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _lies_at(descriptor: int, root: Path, path: str) -> bool:
    """Whether the open file is where its path says, with no symlink on the way below the root.

    Asks the kernel for the open file's own place, which cannot be exchanged behind our back; where that cannot be had,
    resolves the folder once more.
    """
    try:
        # As plain text: a Path would cost more than the call itself, and this is done for every file.
        place = os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115
    except OSError:
        place = str((root / path).resolve())
    return place == _place(root, path) or place == _place(root.resolve(), path)


def _place(root: Path, path: str) -> str:
    """The absolute path, also below the root of the file system."""
    return f"{root}{path}" if root == root.parent else f"{root}/{path}"


def _decoded(data: bytes) -> str:
    """The text, without a byte order mark and with its line ends as they are."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded_utf16(data)
    head = data[:_HEAD_BYTES]
    if b"\0" in head:
        raise _Left("binary", "it has zero bytes")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    allowed = _MOST_CONTROLS_IN_UTF8 if text or not data else _MOST_CONTROLS_ELSEWHERE
    if controls > len(head) * allowed:
        raise _Left("binary", "it has too many control characters")
    return text or data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _decoded_utf16(data: bytes) -> str:
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        raise _Left("binary", "it begins like UTF-16 but is not") from None
    if "\0" in text[:_HEAD_BYTES]:
        raise _Left("binary", "it has zero characters")
    return text


def _refuse_unreadable_code(path: str, text: str) -> None:
    """Leave out what no person wrote or reads."""
    if _PROSE.search(path):
        return
    if _says_generated(text):
        raise _Left("generated", "it says of itself that a program wrote it")
    if len(text) <= _MEAN_LINE_MATTERS_FROM:
        return
    end = "\n" if "\n" in text else "\r"
    if len(text) / (text.count(end) + 1) > _MEAN_LINE:
        raise _Left("minified", f"its lines have more than {_MEAN_LINE} characters on average")
    if _has_long_line(text, end):
        raise _Left("minified", f"it has a line of more than {_LONGEST_LINE:,} characters")


def _says_generated(text: str) -> bool:
    """Whether the comments at the beginning say that a program wrote this."""
    # Most files do not even have the word; looking for it first is much cheaper than the expressions.
    if "generated" not in text[:_MARKER_CHARACTERS].lower():
        return False
    header = _HEADER.match(text, 0, _MARKER_CHARACTERS)
    return header is not None and _GENERATED.search(header[0]) is not None


def _has_long_line(text: str, end: str) -> bool:
    """Whether a line is over the limit, found in leaps of that length instead of line by line."""
    start = 0
    while len(text) - start > _LONGEST_LINE:
        last = text.rfind(end, start, start + _LONGEST_LINE + 1)
        if last < 0:
            return True
        start = last + 1
    return False
