"""scova finds the right code and documentation in a codebase.

    from scova import Index

    with Index.open("path/to/project") as index:
        index.refresh()
        for result in index.search("where are passwords checked").results:
            print(result.chunk.file_path, result.chunk.start_line)

These are all public names; everything else may move. They are loaded on first use, so that importing scova costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scova.errors import ScovaError
    from scova.index import Index
    from scova.types import Answer, Chunk, ChunkType, Filters, Freshness, Mode, Query, Report, Result, Skip

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Chunk",
    "ChunkType",
    "Filters",
    "Freshness",
    "Index",
    "Mode",
    "Query",
    "Report",
    "Result",
    "ScovaError",
    "Skip",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `scova` has no attribute `{name}`")
    home = {"Index": "scova.index", "ScovaError": "scova.errors"}.get(name, "scova.types")
    return getattr(import_module(home), name)
