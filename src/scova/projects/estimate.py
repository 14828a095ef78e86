"""What a build would cost with a remote embedder, as far as that can be told without fetching: by the size of files and of pages that
are known. What has a vector already is not paid for again, and not subtracted here: it is an upper bound."""

from collections.abc import Sequence

from scova.projects.feeds.feed import Feeds
from scova.projects.spec import SourceSpec
from scova.projects.works import Works
from scova.types import Spent

BYTES_PER_TOKEN = 4


def estimated(works: Works, feeds: Feeds, sources: Sequence[SourceSpec]) -> Spent:
    """Tokens and money for these sources; nothing for an embedder that costs nothing."""
    if works.embedder is None or not works.embedder.is_remote:
        return Spent()
    sizes = {spec.source_id: feeds.size(spec) for spec in sources}
    told = sum(size for size in sizes.values() if size is not None)
    tokens = (told + _known(works, {source_id for source_id, size in sizes.items() if size is None})) // BYTES_PER_TOKEN
    return Spent(0, tokens, tokens * float(works.config.embedder_price) / 1_000_000)


def _known(works: Works, source_ids: set[str]) -> int:
    """Bytes of what the index has of these sources."""
    if not source_ids or not works.indexed:
        return 0
    known = works.tools().store.files()
    return sum(file.mark.size for path, file in known.items() if path.partition("/")[0] in source_ids)


def in_words(spent: Spent) -> str:
    """For a person."""
    return f"at most about {spent.tokens:,} tokens ({spent.usd:.2f} USD) for what can be measured without fetching"
