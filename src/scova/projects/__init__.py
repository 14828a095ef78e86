"""Projects: named sets of sources (folders, pages, sitemaps, PDFs), built in slices that can be gone on with, and asked like any index.

Names are loaded on first use: whoever builds from URLs only must not load what reads folders.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scova.projects.build import project_build
    from scova.projects.building.options import BuildOptions, ChunkOptions, chunk_options
    from scova.projects.catalog import Catalog
    from scova.projects.library import Library
    from scova.projects.manifest import Manifest
    from scova.projects.spec import SourceSpec, SourceType, chosen, read_spec
    from scova.projects.status import project_build_status

__all__ = [
    "BuildOptions",
    "Catalog",
    "ChunkOptions",
    "Library",
    "Manifest",
    "SourceSpec",
    "SourceType",
    "chosen",
    "chunk_options",
    "project_build",
    "project_build_status",
    "read_spec",
]

_ROOMS = {
    "BuildOptions": "building.options",
    "Catalog": "catalog",
    "ChunkOptions": "building.options",
    "Library": "library",
    "Manifest": "manifest",
    "SourceSpec": "spec",
    "SourceType": "spec",
    "chosen": "spec",
    "chunk_options": "building.options",
    "project_build": "build",
    "project_build_status": "status",
    "read_spec": "spec",
}


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(name)
    return getattr(import_module(f"scova.projects.{_ROOMS[name]}"), name)
