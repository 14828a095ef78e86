"""Opens PDF files, each once per process, and says in words why one cannot be read.

The library under it may be used by one thread at a time: whoever holds a file here holds the library. Knows nothing of text.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scova.errors import ScovaError
from scova.types import Mark

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_PASSWORD, _SECURITY = 4, 5  # of the library's error codes
_PAGES_PER_OPENING = 256  # the library keeps what it has read of a file for as long as that is open

_lock = threading.RLock()
_kept: "dict[tuple[int, str], Opened]" = {}


class PdfUnreadable(ScovaError):
    """A PDF cannot be read; `reason` is one short word, as a Skip has it."""

    def __init__(self, message: str, hint: str = "", reason: str = "damaged") -> None:
        super().__init__(message, hint)
        self.reason = reason

    def __reduce__(self) -> tuple[type["PdfUnreadable"], tuple[str, str, str]]:  # type: ignore[override]
        return type(self), (self.message, self.hint, self.reason)


@dataclass(slots=True)
class Opened:
    """A file that is open, as of the moment its mark tells."""

    document: "PdfDocument"
    mark: Mark
    count: int
    body_height: float | None = None  # of most of its text; found out by whoever needs it
    uses: int = 0


def mark_of(path: Path) -> Mark:
    """What tells a changed file; PdfUnreadable when there is none."""
    try:
        stat = path.stat()
    except OSError as problem:
        raise PdfUnreadable(f"{path.name} cannot be opened: {problem.strerror}", reason="unreadable") from None
    return Mark(stat.st_size, max(stat.st_mtime_ns, stat.st_ctime_ns))


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """The file, for one page's work; it stays open for the next. Raises PdfUnreadable."""
    with _lock:
        key = (os.getpid(), str(path))  # a file that a parent process opened shares its place in it with the parent
        mark = mark_of(path)
        found = _kept.get(key)
        if found is None or found.mark != mark or found.uses >= _PAGES_PER_OPENING:
            body_height = found.body_height if found is not None and found.mark == mark else None
            close_all()
            found = _kept[key] = _open(path, mark)
            found.body_height = body_height
        found.uses += 1
        yield found


def pages(path: Path) -> int:
    """How many pages a file has. Raises PdfUnreadable."""
    with opened(path) as found:
        return found.count


def close_all() -> None:
    """Close what this process has open."""
    with _lock:
        for key in [key for key in _kept if key[0] == os.getpid()]:
            _kept.pop(key).document.close()


def _open(path: Path, mark: Mark) -> Opened:
    from pypdfium2 import PdfDocument, PdfiumError

    if not mark.size:
        raise PdfUnreadable(f"{path.name} is an empty file", reason="empty")
    try:
        document = PdfDocument(path)
    except PdfiumError as problem:
        if getattr(problem, "err_code", 0) in (_PASSWORD, _SECURITY):
            hint = "save a copy without a password and add that"
            raise PdfUnreadable(f"{path.name} is encrypted and needs a password", hint, "encrypted") from None
        raise PdfUnreadable(f"{path.name} is damaged, or not a PDF", "open it in a viewer and save it again") from None
    except OSError as problem:
        raise PdfUnreadable(f"{path.name} cannot be opened: {problem.strerror}", reason="unreadable") from None
    count = len(document)
    if not count:
        document.close()
        raise PdfUnreadable(f"{path.name} has no pages", reason="empty")
    return Opened(document, mark, count)
