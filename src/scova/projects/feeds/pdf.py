"""A PDF as a feed: its pages, some at a time. One that lies on the web is downloaded first, whole, and again only when it has changed."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scova.core import own_folder
from scova.core.path_text import native
from scova.core.small_files import STATE_LIMIT, read_small
from scova.errors import ProjectError
from scova.projects.feeds.feed import Batch, Turn
from scova.projects.feeds.pages import Web
from scova.projects.spec import SourceSpec
from scova.sources.pdf.opened import PdfUnreadable
from scova.sources.pdf.reading import pages
from scova.sources.pdf.source import PdfSource
from scova.sources.web.fetched import Status
from scova.stores.project_layout import ProjectLayout
from scova.types import Region, Skip
from scova.whole import atomic_write

BATCH = 100  # pages: each batch is read by processes of its own, which take a moment to start


class PdfFeed:
    """The pages of one PDF, each named after the file and its number."""

    kind = "files"

    def __init__(self, spec: SourceSpec, web: Web | None, place: ProjectLayout) -> None:
        """`web` is for a file that lies there."""
        self._spec = spec
        self._web = web
        self._place = place
        self._path = native(spec.uri) if web is None else place.download(spec.source_id)
        self._count = 0
        self.notes: list[str] = []

    def names(self) -> list[str]:
        """Every page, in order."""
        if self._web is not None and not self._begun.exists():
            self._download(self._web)
        count = self._counted()
        self._count = min(count, self._spec.max_pages or count)
        if self._count < count:
            self.notes.append(f"only the first {self._count} of {count} pages are taken")
        return [self._name(number) for number in range(1, self._count + 1)]

    def batches(self, left: list[str], turn: Turn) -> Iterator[Batch]:
        """The pages that are left, some at a time."""
        for first, last in _runs([int(name.rpartition("=")[2]) for name in left[: turn.most]]):
            if turn.stop():
                return
            source = self._source(first, last)
            region = Region(files=frozenset(source.place(number) for number in range(first, last + 1)))
            yield Batch(source, region, tuple(self._name(number) for number in range(first, last + 1)))

    def everything(self, skips: Sequence[Skip]) -> Batch:
        """All pages."""
        self._begun.unlink(missing_ok=True)
        region = Region(trees=frozenset((self._spec.source_id,)))
        return Batch(self._source(1, self._count), region, ())

    @property
    def _begun(self) -> Path:
        """There while pages of the file that was downloaded are still to be put: then it is not asked for again."""
        return self._place.listing(self._spec.source_id)

    def _source(self, first: int, last: int) -> PdfSource:
        return PdfSource(self._path, self._spec.source_id, self._title, first=first, last=last)

    @property
    def _title(self) -> str:
        path = urlsplit(self._spec.uri).path if self._spec.is_remote else self._spec.uri
        return unquote(path.rstrip("/").rpartition("/")[2]) or "document.pdf"

    def _name(self, number: int) -> str:
        return f"{self._title}#page={number}"

    def _counted(self) -> int:
        """How many pages the file has. One that was fetched and is none is not kept: what is there next time may be."""
        try:
            count = pages(self._path)
        except PdfUnreadable:
            if self._web is not None:
                self._begun.unlink(missing_ok=True)
                self._place.validators(self._spec.source_id).unlink(missing_ok=True)
            raise
        if self._web is not None:
            _write(self._begun, {})
        return count

    def _download(self, web: Web) -> None:
        """Fetch the file, if that is allowed, unless the server says that it is as it was."""
        verdict = web.robots.verdict(self._spec.uri)
        if not verdict.allowed:
            raise ProjectError(f"{self._spec.uri}: {verdict.reason}", "ask its owner, or add the file from a folder")
        web.fetcher.slow(self._spec.uri, web.robots.delay(self._spec.uri))
        own_folder.make(self._path.parent)
        beside = self._place.validators(self._spec.source_id)
        known = {} if web.force or not self._path.exists() else _read(beside)
        fetched = web.fetcher.download(
            self._spec.uri,
            self._path,
            etag=known.get("etag", ""),
            last_modified=known.get("last_modified", ""),
        )
        if fetched.status in (Status.FAILED, Status.GONE):
            raise ProjectError(f"{self._spec.uri}: {fetched.error}", "check the address, or build again later")
        if fetched.is_ok:
            _write(beside, {"etag": fetched.etag, "last_modified": fetched.last_modified})


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Numbers as runs without gaps, none longer than a batch."""
    start = 0
    for index in range(1, len(numbers) + 1):
        is_end = index == len(numbers) or numbers[index] != numbers[index - 1] + 1
        if is_end or index - start >= BATCH:
            yield numbers[start], numbers[index - 1]
            start = index


def _read(path: Path) -> dict[str, str]:
    try:
        return {str(name): str(value) for name, value in json.loads(read_small(path, STATE_LIMIT) or b"").items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _write(path: Path, kept: dict[str, str]) -> None:
    with atomic_write(path) as file:
        file.write(json.dumps(kept).encode())
