"""Projects: named sets of sources (folders, pages, sitemaps, PDFs), built in slices that can be gone on with, and asked like any index."""

from scova.projects.build import project_build
from scova.projects.building.options import BuildOptions, ChunkOptions, chunk_options
from scova.projects.catalog import Catalog, Manifest
from scova.projects.library import Library
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
