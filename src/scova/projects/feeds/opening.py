"""The feed for each kind of source, and what they share: who fetches, what robots may, where pages are kept."""

import shutil
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Self

from scova.projects.feeds.feed import Feed
from scova.projects.feeds.folder import FolderFeed
from scova.projects.library import Library
from scova.projects.spec import SourceSpec, SourceType

if TYPE_CHECKING:
    from scova.projects.feeds.pages import Web

Stop = Callable[[], bool]


class Feeds:
    """The feeds of one build; close it, or use it in a `with`."""

    def __init__(self, library: Library, *, concurrency: int, force: bool, stop: Stop) -> None:
        """`stop` ends whatever is being fetched."""
        self._library = library
        self._concurrency = concurrency
        self._force = force
        self._stop = stop
        self._reads_pdf = False

    def begin_anew(self) -> None:
        """Forget which pages sitemaps had when an earlier build came to them."""
        shutil.rmtree(self._library.place.listing("").parent, ignore_errors=True)

    def of(self, spec: SourceSpec) -> Feed:
        """A source, about to be read."""
        place, config = self._library.place, self._library.config
        if spec.type is SourceType.FOLDER:
            return FolderFeed(spec, max_file_bytes=config.max_file_bytes, index_secrets=config.index_secrets)
        if spec.type is SourceType.PDF:
            from scova.projects.feeds.pdf import PdfFeed

            self._reads_pdf = True
            return PdfFeed(spec, self._web if spec.is_remote else None, place)
        from scova.projects.feeds.pages import PagesFeed

        return PagesFeed(spec, self._web, place.listing(spec.source_id))

    def close(self) -> None:
        """Let go of connections, of the spool and of open documents."""
        if self._reads_pdf:
            from scova.sources.pdf.opened import close_all

            close_all()
        if "_web" in self.__dict__:
            self._web.fetcher.close()
            self._web.spool.close()
            del self.__dict__["_web"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @cached_property
    def _web(self) -> "Web":
        from scova.projects.feeds.pages import Web
        from scova.sources.web.fetch import Fetcher
        from scova.sources.web.robots import MAX_ROBOTS_BYTES, Robots
        from scova.sources.web.spool import Spool

        allow = [entry.strip() for entry in self._library.config.fetch_allow.split(",") if entry.strip()]
        fetcher = Fetcher(allow=allow, stop=self._stop)
        robots = Robots(lambda url: fetcher.get(url, max_bytes=MAX_ROBOTS_BYTES))
        return Web(fetcher, robots, Spool(self._library.place.pages_db), self._concurrency, self._force)
