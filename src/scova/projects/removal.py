"""A source taken out of a project, with everything it brought."""

from scova.config import cache_folder
from scova.projects.building.clearing import clear_source
from scova.projects.catalog import Catalog
from scova.projects.library import Library
from scova.projects.spec import SourceSpec


def remove_source(name: str, wanted: str) -> SourceSpec:
    """Remove the source with this id or place; raises IndexBusy while the project is being built.

    The index goes first: killed in between, the source is still there, and is built again or removed again.
    """
    catalog = Catalog(cache_folder())
    spec = catalog.get(name).source(wanted)
    with Library.open(name) as library, library.building():
        clear_source(library, spec)
        catalog.forget(name, spec.source_id)
    return spec
