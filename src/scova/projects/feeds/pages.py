"""Pages of the web as a feed: a single one, or those of a sitemap. Several are fetched at the same time, never more than was asked for.

What was fetched lies in the spool before it is handed over. A page that is gone, or that is nothing to read, is settled; one that could not be
had may be tried again.
"""

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from scova.core.small_files import STATE_LIMIT, read_small
from scova.errors import Cancelled, ProjectError
from scova.projects.feeds.feed import Batch, Turn
from scova.projects.spec import MOST_PAGES, SourceSpec, SourceType
from scova.sources.web.fetch import Fetcher
from scova.sources.web.fetched import Fetched, Status
from scova.sources.web.html import read_page, why_unwanted
from scova.sources.web.robots import Robots
from scova.sources.web.sitemap import Patterns, pages
from scova.sources.web.spool import Spool, SpooledPage, SpoolSource, Validators
from scova.types import Document, Item, Region, Skip
from scova.whole import atomic_write

BATCH = 20  # pages
MAX_PAGE_BYTES = 20_000_000
_TRY_AGAIN = frozenset((408, 425, 429))  # of what a server may answer below 500


@dataclass(frozen=True, slots=True)
class Web:
    """What is needed to fetch. `force` asks for everything again, whatever was fetched before."""

    fetcher: Fetcher
    robots: Robots
    spool: Spool
    concurrency: int
    force: bool = False
    flying: "dict[str, Future[Outcome | None]]" = field(default_factory=dict)  # single pages begun ahead, by source


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a page: it is in the spool, or `skipped` for good, or `failed` for now."""

    url: str
    skipped: Skip | None = None
    failed: str = ""


class PagesFeed:
    """The pages of one source."""

    kind = "urls"

    def __init__(self, spec: SourceSpec, web: Web, listing: Path) -> None:
        """`listing` is where the pages of a sitemap are kept while it is being built, so that it is read once."""
        self._spec = spec
        self._web = web
        self._listing = listing
        self._names: list[str] = []
        self._unlisted: dict[str, str] = {}
        self.notes: list[str] = []

    def names(self) -> list[str]:
        """The URLs of all pages, in the order of the sitemap."""
        if self._spec.type is SourceType.URL:
            self._names = [self._spec.uri]
        else:
            self._names = self._kept() or self._listed()
        return self._names

    def batches(self, left: list[str], turn: Turn) -> Iterator[Batch]:
        """The pages that are left, some at a time, as they come."""
        began = time.monotonic()
        some: list[Outcome] = []
        for outcome in self._fetched(left, turn):
            some.append(outcome)
            turn.came(sum(not one.failed for one in some))
            if len(some) >= BATCH:
                yield self._batch(some, time.monotonic() - began)
                some, began = [], time.monotonic()
        if some or self._unlisted:
            yield self._batch(some, time.monotonic() - began)

    def everything(self, skips: Sequence[Skip]) -> Batch:
        """All pages that are in the spool and still listed; others are forgotten there too."""
        source_id, spool = self._spec.source_id, self._web.spool
        wanted = {*self._names}
        spooled = spool.uris(source_id)
        spool.remove(source_id, [uri for uri in spooled if uri not in wanted])
        self._listing.unlink(missing_ok=True)
        source = SpoolSource(spool.path, source_id, [uri for uri in spooled if uri in wanted])
        absent = {f"{source_id}/{uri}" for uri in wanted - {*spooled}}
        kept = tuple(skip for skip in skips if skip.path in absent)
        return Batch(Spooled(source, kept), Region(trees=frozenset((source_id,))), tuple(self._names))

    def _fetched(self, left: list[str], turn: Turn) -> Iterator[Outcome]:
        """What became of each, as it is known; the next is begun when one has ended."""
        if left and (begun := self._web.flying.pop(self._spec.source_id, None)) is not None:
            if (outcome := begun.result()) is not None:
                yield outcome
            return
        waiting, settled = iter(left), 0
        flying: dict[Future[Outcome | None], str] = {}
        with ThreadPoolExecutor(self._web.concurrency, thread_name_prefix="scova-fetch") as pool:
            while True:
                while len(flying) < min(self._web.concurrency, turn.most - settled) and not turn.stop():
                    url = next(waiting, None)
                    if url is None:
                        break
                    flying[pool.submit(self.fetch, url)] = url
                if not flying:
                    return
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    del flying[future]
                    if (outcome := future.result()) is not None:
                        settled += not outcome.failed
                        yield outcome

    def fetch(self, url: str) -> Outcome | None:
        """Fetch one page into the spool; None when there was no time to."""
        web, source_id = self._web, self._spec.source_id
        try:
            verdict = web.robots.verdict(url)
            if not verdict.allowed and verdict.for_now:
                return Outcome(url, failed=verdict.reason)
            if not verdict.allowed:
                web.spool.remove(source_id, [url])
                return Outcome(url, Skip(f"{source_id}/{url}", "robots", verdict.reason))
            web.fetcher.slow(url, web.robots.delay(url))
            known = Validators() if web.force else web.spool.validators(source_id, url)
            fetched = web.fetcher.get(
                url,
                etag=known.etag,
                last_modified=known.last_modified,
                wanted=why_unwanted,
                max_bytes=MAX_PAGE_BYTES,
            )
        except Cancelled:
            return None
        return self._kept_page(fetched)

    def _kept_page(self, fetched: Fetched) -> Outcome:
        source_id, spool, url = self._spec.source_id, self._web.spool, fetched.url
        now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        if fetched.status is Status.UNCHANGED:
            spool.refresh(source_id, url, Validators(fetched.etag, fetched.last_modified), now)
            return Outcome(url)
        if fetched.is_ok:
            page = read_page(
                fetched.content, media_type=fetched.media_type, charset=fetched.charset, url=fetched.final_url
            )
            if not page.reason:
                spool.put(
                    SpooledPage(
                        source_id,
                        url,
                        page.text,
                        final_url=fetched.final_url,
                        etag=fetched.etag,
                        last_modified=fetched.last_modified,
                        media_type=fetched.media_type,
                        language=page.language,
                        title=page.title,
                        fetched_at=now,
                    )
                )
                return Outcome(url)
            fetched = replace(fetched, error=page.reason)
        elif fetched.status is Status.FAILED and _is_worth_trying_again(fetched):
            return Outcome(url, failed=fetched.error)
        spool.remove(source_id, [url])
        reason = "gone" if fetched.status is Status.GONE else "not-read"
        return Outcome(url, Skip(f"{source_id}/{url}", reason, fetched.error))

    def _batch(self, outcomes: list[Outcome], seconds: float) -> Batch:
        source_id = self._spec.source_id
        failed = self._unlisted | {one.url: one.failed for one in outcomes if one.failed}
        skipped = [one for one in outcomes if one.skipped]
        if self._spec.type is SourceType.URL:  # its only page: whoever named it wants to know
            failed |= {one.url: one.skipped.detail or one.skipped.reason for one in skipped if one.skipped}
        settled = [one for one in outcomes if one.url not in failed]
        spooled = [one.url for one in settled if not one.skipped]
        source = Spooled(
            SpoolSource(self._web.spool.path, source_id, spooled), tuple(one.skipped for one in skipped if one.skipped)
        )
        touched = [*settled, *skipped]
        region = Region(files=frozenset(f"{source_id}/{one.url}" for one in touched))
        return Batch(source, region, tuple(one.url for one in settled), failed, seconds)

    def _kept(self) -> list[str]:
        """The list that was made when this build came to the sitemap; empty when there is none."""
        try:
            kept = json.loads(read_small(self._listing, STATE_LIMIT) or b"")
            return [str(url) for url in kept["urls"]] if kept["wanted"] == self._wanted() else []
        except (OSError, ValueError, TypeError, KeyError):
            return []

    def _wanted(self) -> list[object]:
        """What decides about the list, beside the sitemap."""
        return [list(self._spec.include), list(self._spec.exclude), self._spec.max_pages]

    def _listed(self) -> list[str]:
        """Read the sitemap. What of it could not be read is a failure of its own, and it is read again next time."""
        spec = self._spec
        limit = spec.max_pages or MOST_PAGES
        listed = pages(self._web.fetcher.get, spec.uri, limit=limit, patterns=Patterns(spec.include, spec.exclude))
        if not listed.urls and listed.errors:
            raise ProjectError("; ".join(listed.errors[:3]))  # each names its file, and what is wrong with it
        if listed.cut:
            self.notes.append(f"only the first {limit} pages are taken")
        self.notes += listed.notes
        if listed.errors:
            self._unlisted = {spec.uri: "; ".join(listed.errors[:3])}
        else:
            with atomic_write(self._listing) as file:
                file.write(json.dumps({"wanted": self._wanted(), "urls": listed.urls}).encode())
        return list(listed.urls)


class Spooled:
    """Fetched pages as a Source, with those that are left out. Safe to send to another process."""

    def __init__(self, pages: SpoolSource, skips: tuple[Skip, ...]) -> None:
        self._pages = pages
        self._skips = skips

    def items(self) -> Iterator[Item | Skip]:
        """Each page, and each that is left out, with the reason."""
        yield from self._pages.items()
        yield from self._skips

    def read(self, item: Item) -> Document | Skip:
        """The text of a page, or why it has none."""
        return self._pages.read(item)


def _is_worth_trying_again(fetched: Fetched) -> bool:
    return not 200 <= fetched.http_status < 500 or fetched.http_status in _TRY_AGAIN
