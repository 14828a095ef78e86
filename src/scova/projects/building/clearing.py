"""What a source brought, taken out again."""

from scova.build.build import Build
from scova.projects.building.buildable import Buildable
from scova.projects.feeds.feed import Nothing
from scova.projects.spec import SourceSpec
from scova.types import Region


def clear_source(works: Buildable, spec: SourceSpec) -> None:
    """Take out of the index, and of what was fetched, all that a source brought. Whoever calls it holds the lock of the build."""
    place = works.place
    others = frozenset(other.source_id for other in works.manifest.sources) - {spec.source_id}
    works.checkpoints().keep_only(others)
    if works.indexed:
        with works.writing():
            tools = works.tools()
            region = Region(trees=frozenset((spec.source_id,)))
            Build(tools, known=tools.store.files(region)).run(Nothing(), region=region)
    if place.pages_db.exists():
        from scova.sources.web.spool import Spool

        with Spool(place.pages_db) as spool:
            spool.remove(spec.source_id)
    for left in (place.download, place.validators, place.listing):
        left(spec.source_id).unlink(missing_ok=True)
