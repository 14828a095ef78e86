"""A PDF file as a Source: one document a page.

Reasons of the Skips it gives, in one place:

    encrypted   it needs a password
    damaged     it is no PDF, or a broken one; also of a single page
    empty       the file has no pages, or the page no content
    images      the page shows pictures only: a scan, which would have to be recognised first
    unreadable  the file cannot be opened, or the page not be read within the bounds of memory and time (limits.py)
    vanished    the file changed, and has no such page any more
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from scova.sources.pdf.opened import PdfUnreadable, mark_of, page_mark
from scova.sources.pdf.reading import page, pages
from scova.types import Document, Item, Skip


class PdfSource:
    """Some pages of a PDF file. Safe to send to another process."""

    def __init__(self, path: Path, source_id: str, name: str, first: int = 1, last: int = 0) -> None:  # noqa: PLR0917
        """`name` stands for the file in every path; pages `first` to `last` are offered, counted from 1 (0: to the end)."""
        self.path = path
        self.source_id = source_id
        self.name = name if name.lower().endswith(".pdf") else f"{name}.pdf"
        self.first = max(first, 1)
        self.last = last

    def items(self) -> Iterator[Item | Skip]:
        """One item per page, in order; a file that cannot be read is one Skip."""
        try:
            file_mark = mark_of(self.path)
            count = pages(self.path)
        except PdfUnreadable as problem:
            yield Skip(f"{self.source_id}/{self.name}", problem.reason, problem.message)
            return
        mark = page_mark(file_mark, count)
        for number in range(self.first, min(self.last or count, count) + 1):
            yield Item(self.place(number), mark)

    def place(self, number: int) -> str:
        """The path of a page's document."""
        return f"{self.source_id}/{self.name}#page={number}"

    def read(self, item: Item) -> Document | Skip:
        """The text of a page, or why it has none."""
        number = item.path.rpartition("#page=")[2]
        try:
            read = page(self.path, int(number) if number.isdecimal() else 0)
        except PdfUnreadable as problem:
            return Skip(item.path, problem.reason, problem.message)
        if read.mark is None:
            return Skip(item.path, read.reason, read.detail)
        digest = hashlib.sha256(read.text.encode()).hexdigest()
        return Document(item.path, read.text, digest, "markdown", read.mark)
