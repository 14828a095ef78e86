"""What a build would cost with a remote embedder, as far as that can be told without fetching: by the size of files and of pages that
are known. What has a vector already is not paid for again, and not subtracted here: it is an upper bound."""

from collections.abc import Sequence
from pathlib import Path

from scova.projects.feeds.folder import FolderFeed
from scova.projects.library import Library
from scova.projects.spec import SourceSpec, SourceType
from scova.types import Spent

BYTES_PER_TOKEN = 4


def estimated(library: Library, sources: Sequence[SourceSpec]) -> Spent:
    """Tokens and money for these sources; nothing for an embedder that costs nothing."""
    if library.embedder is None or not library.embedder.is_remote:
        return Spent()
    size = sum(_bytes(library, spec) for spec in sources)
    tokens = size // BYTES_PER_TOKEN
    return Spent(0, tokens, tokens * float(library.config.embedder_price) / 1_000_000)


def _bytes(library: Library, spec: SourceSpec) -> int:
    if spec.type is SourceType.FOLDER:
        config = library.config
        feed = FolderFeed(spec, max_file_bytes=config.max_file_bytes, index_secrets=config.index_secrets)
        feed.names()
        return feed.size()
    if spec.type is SourceType.PDF and not spec.is_remote:
        return Path(spec.uri).stat().st_size if Path(spec.uri).is_file() else 0
    if not library.indexed:
        return 0
    below = f"{spec.source_id}/"
    known = library.tools().store.files()
    return sum(file.mark.size for path, file in known.items() if path.startswith(below))


def in_words(spent: Spent) -> str:
    """For a person."""
    return f"at most about {spent.tokens:,} tokens ({spent.usd:.2f} USD) for what can be measured without fetching"
