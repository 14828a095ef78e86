"""The pages of PDF files, as readers give them.

A page that goes beyond a bound, or takes its reader down, costs that page; another reader goes on with the rest. What was learned of a file
is remembered for as long as it does not change. Opens nothing itself. Any number of threads may ask.
"""

import logging
import os
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from scova.sources.pdf import limits, readers
from scova.sources.pdf.opened import PdfUnreadable, mark_of
from scova.sources.pdf.readers import Beyond, Told, asked
from scova.types import Mark

_SAMPLED_PAGES = 8
_LOST_SAMPLES = 2  # after which no more are tried
_REMEMBERED = 2 * readers.MOST  # files

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a page, and its mark as of then; or `reason` and `detail` of why there is none."""

    text: str = ""
    mark: Mark | None = None
    reason: str = ""
    detail: str = ""


def pages(path: Path) -> int:
    """How many pages a file has. Raises PdfUnreadable."""
    file = _known(path)
    if file.count is None:
        try:
            file.count = int(file.told("count")["count"])
        except Beyond as beyond:
            hint = "save it anew with another program, or split it, and add that"
            raise PdfUnreadable(f"{path.name} cannot be opened: that {beyond}", hint, "unreadable") from None
    return file.count


def page(path: Path, number: int) -> Page:
    """A page, the first is 1. Raises PdfUnreadable when it is the whole file that cannot be read."""
    file = _known(path)
    if file.body_height is None:
        file.body_height = _body_height(file)
    try:
        told = file.of_page(number, "text", body_height=file.body_height)
    except Beyond as beyond:
        return Page(reason="unreadable", detail=f"page {number} is left out: reading it {beyond}")
    if "skip" in told:
        reason, detail = told["skip"]
        return Page(reason=reason, detail=detail)
    return Page(str(told["text"]), Mark(*told["mark"]))


def close_all() -> None:
    """Forget what this process knows of files, and let go of its readers."""
    with _lock:
        for key in [key for key in _files if key[0] == os.getpid()]:
            del _files[key]
    readers.close_all()


@dataclass(slots=True)
class File:
    """What is known of a file that does not change."""

    path: Path
    mark: Mark
    count: int | None = None
    body_height: float | None = None  # of most of its letters
    lost: dict[int, str] = field(default_factory=dict)  # pages, and what reading them did

    @property
    def seconds(self) -> float:
        """For the next page: the more were lost already, the less, so that a file full of such pages comes to an end."""
        return max(limits.LEAST_SECONDS, limits.PAGE_SECONDS * 0.5 ** len(self.lost))

    def told(self, do: str, **more: object) -> Told:
        """What a reader says. Raises Beyond and PdfUnreadable."""
        return asked({"do": do, "path": str(self.path), "seconds": self.seconds, **more})

    def of_page(self, number: int, do: str, **more: object) -> Told:
        """What a reader says of a page; a page that was lost is not tried again."""
        if number in self.lost:
            raise Beyond(self.lost[number])
        try:
            return self.told(do, page=number, **more)
        except Beyond as beyond:
            self.lost[number] = str(beyond)
            _log.info("%s: reading page %d %s", self.path.name, number, beyond)
            raise


_files: dict[tuple[int, Path], File] = {}  # by process: a forked one learns by itself
_lock = threading.Lock()


def _known(path: Path) -> File:
    """What is known of a file as it is now; that of the last few is kept."""
    mark, key = mark_of(path), (os.getpid(), path)
    with _lock:
        found = _files.get(key)
        if found is None or found.mark != mark:
            found = _files[key] = File(path, mark)
            for other in list(_files)[:-_REMEMBERED]:
                del _files[other]
        return found


def _body_height(file: File) -> float:
    """The height of most letters, from some pages spread over the file; 0 when there are none."""
    total = pages(file.path)
    count = min(total, _SAMPLED_PAGES)
    found: Counter[float] = Counter()
    lost = 0
    for place in range(count):
        try:
            told = file.of_page(place * total // count + 1, "heights")
            found.update({float(height): int(letters) for height, letters in told.get("heights", ())})
        except Beyond:
            lost += 1
        if lost >= _LOST_SAMPLES:
            break
    return found.most_common(1)[0][0] if found else 0.0
