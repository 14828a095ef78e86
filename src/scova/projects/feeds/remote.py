"""Feeds for what is fetched, and what they share: who fetches, what robots may, where pages are kept. Opens no path but those of the
project's own place."""

from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Self

from scova.core.own_files import remove_own
from scova.errors import ProjectError
from scova.projects.feeds.feed import Feed, Fetching
from scova.projects.spec import SourceSpec, SourceType
from scova.projects.works import Works
from scova.stores.names import LISTINGS

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from scova.projects.feeds.pages import PagesFeed, Web


class RemoteFeeds:
    """Pages, sitemaps and PDFs by URL; close it, or use it in a `with`."""

    def __init__(self, works: Works, fetching: Fetching) -> None:
        self._works = works
        self._fetching = fetching
        self._reads_pdf = False
        self._expected: set[str] = set()

    def begin_anew(self) -> None:
        """Forget which pages sitemaps had when an earlier build came to them."""
        remove_own(self._works.place.listing("").parent, LISTINGS)

    def expect(self, specs: Sequence[SourceSpec]) -> None:
        """Begin with the single pages among these that come next, beside each other: each would wait for the one before it otherwise.

        Whatever is not one ends the row, so that no more is fetched at a time than was asked for.
        """
        for spec in takewhile(lambda spec: spec.type is SourceType.URL, specs):
            if spec.source_id not in self._expected:
                self._expected.add(spec.source_id)
                self._web.flying[spec.source_id] = self._pool.submit(self._pages(spec).fetch, spec.uri)

    def of(self, spec: SourceSpec) -> Feed:
        """A source, about to be read; ProjectError for one that is not fetched."""
        place = self._works.place
        if not spec.is_remote:
            raise ProjectError(
                f"a {spec.type} of this machine is not read here", "add it by its URL, or push its files"
            )
        if spec.type is SourceType.PDF:
            from scova.projects.feeds.pdf import PdfFeed

            self._reads_pdf = True
            return PdfFeed(spec, self._web, place)
        return self._pages(spec)

    def size(self, spec: SourceSpec) -> int | None:
        """Not without fetching."""
        return None

    def close(self) -> None:
        """Let go of connections, of the spool and of open documents."""
        if self._reads_pdf:
            from scova.sources.pdf.reading import close_all

            close_all()
        if "_pool" in self.__dict__:
            self._pool.shutdown(cancel_futures=True)
            del self.__dict__["_pool"]
        if "_web" in self.__dict__:
            self._web.fetcher.close()
            self._web.spool.close()
            del self.__dict__["_web"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _pages(self, spec: SourceSpec) -> "PagesFeed":
        from scova.projects.feeds.pages import PagesFeed

        return PagesFeed(spec, self._web, self._works.place.listing(spec.source_id))

    @cached_property
    def _pool(self) -> "ThreadPoolExecutor":
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(self._fetching.concurrency, thread_name_prefix="scova-fetch")

    @cached_property
    def _web(self) -> "Web":
        from scova.projects.feeds.pages import Web
        from scova.sources.web.fetch import Fetcher
        from scova.sources.web.robots import MAX_ROBOTS_BYTES, Robots
        from scova.sources.web.spool import Spool

        allow = [entry.strip() for entry in self._works.config.fetch_allow.split(",") if entry.strip()]
        fetcher = Fetcher(allow=allow, stop=self._fetching.stop)
        robots = Robots(lambda url: fetcher.get(url, max_bytes=MAX_ROBOTS_BYTES))
        spool = Spool(self._works.place.pages_db)
        return Web(fetcher, robots, spool, self._fetching.concurrency, self._fetching.force)
