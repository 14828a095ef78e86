"""A source taken out of a project, with everything it brought."""

from scova.build.build import Build
from scova.config import cache_folder
from scova.lock import writer_lock
from scova.projects.building.checkpoints import Checkpoints
from scova.projects.catalog import Catalog, building
from scova.projects.feeds.folder import Nothing
from scova.projects.library import Library
from scova.projects.spec import SourceSpec
from scova.types import Region


def remove_source(name: str, wanted: str) -> SourceSpec:
    """Remove the source with this id or place; raises IndexBusy while the project is being built.

    The index goes first: killed in between, the source is still there, and is built again or removed again.
    """
    catalog = Catalog(cache_folder())
    spec = catalog.get(name).source(wanted)
    place = catalog.layout(name)
    with building(place, name), Library.open(name) as library:
        others = frozenset(other.source_id for other in library.manifest.sources) - {spec.source_id}
        Checkpoints(place.checkpoints, name).keep_only(others)
        if library.indexed:
            tools = library.tools()
            with writer_lock(tools.layout.lock, wait_seconds=60.0):
                region = Region(trees=frozenset((spec.source_id,)))
                Build(tools, known=tools.store.files(region)).run(Nothing(), region=region)
        if place.pages_db.exists():
            from scova.sources.web.spool import Spool

            with Spool(place.pages_db) as spool:
                spool.remove(spec.source_id)
        for left in (place.download, place.validators, place.listing):
            left(spec.source_id).unlink(missing_ok=True)
        catalog.forget(name, spec.source_id)
    return spec
