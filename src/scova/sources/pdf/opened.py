"""Opens PDF files, one at a time, and says in words why one cannot be read. For readers only: nobody else opens any.

Knows nothing of text.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scova.errors import ScovaError
from scova.types import Mark

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_PASSWORD, _SECURITY = 4, 5  # of the library's error codes
_PAGES_PER_OPENING = 256  # the library keeps what it has read of a file for as long as that is open

_kept: "dict[Path, Opened]" = {}


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
    uses: int = 0

    @property
    def page_mark(self) -> Mark:
        """The mark of each of its pages."""
        return page_mark(self.mark, self.count)


def mark_of(path: Path) -> Mark:
    """What tells a changed file; PdfUnreadable when there is none."""
    try:
        stat = path.stat()
    except OSError as problem:
        raise PdfUnreadable(f"{path.name} cannot be opened: {problem.strerror}", reason="unreadable") from None
    return Mark(stat.st_size, max(stat.st_mtime_ns, stat.st_ctime_ns))


def page_mark(mark: Mark, count: int) -> Mark:
    """The mark of a page of a file: it changes with the file, and has a page's share of its size."""
    return mark._replace(size=-(-mark.size // max(count, 1)))


def opened(path: Path) -> Opened:
    """The file, for one page's work; it stays open for the next. Raises PdfUnreadable."""
    mark = mark_of(path)
    found = _kept.get(path)
    if found is None or found.mark != mark or found.uses >= _PAGES_PER_OPENING:
        for other in list(_kept):
            _kept.pop(other).document.close()
        found = _kept[path] = _open(path, mark)
    found.uses += 1
    return found


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
