"""The feed for each kind of source: those that are fetched, and those that lie on this machine."""

from scova.core.path_text import native
from scova.index.choosing import source_of
from scova.projects.feeds.feed import Feed
from scova.projects.feeds.folder import FolderFeed
from scova.projects.feeds.remote import RemoteFeeds
from scova.projects.spec import SourceSpec, SourceType


class AllFeeds(RemoteFeeds):
    """Folders and PDFs of this machine too."""

    def of(self, spec: SourceSpec) -> Feed:
        """A source, about to be read."""
        if spec.type is SourceType.FOLDER:
            return self._folder(spec)
        if spec.type is SourceType.PDF and not spec.is_remote:
            from scova.projects.feeds.pdf import PdfFeed

            self._reads_pdf = True
            return PdfFeed(spec, None, self._works.place)
        return super().of(spec)

    def size(self, spec: SourceSpec) -> int | None:
        """Bytes of the files; None for what is fetched."""
        if spec.type is SourceType.FOLDER:
            feed = self._folder(spec)
            feed.names()
            return feed.size()
        if spec.is_remote:
            return None
        path = native(spec.uri)
        return path.stat().st_size if path.is_file() else 0

    def _folder(self, spec: SourceSpec) -> FolderFeed:
        return FolderFeed(spec, source_of(native(spec.uri), self._works.config))
