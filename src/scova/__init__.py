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
    from scova.answers import CallTree, Context, Definitions, Matches, Outlines, Usages
    from scova.errors import ScovaError
    from scova.index import Index
    from scova.types import Answer, Chunk, ChunkType, Filters, Freshness, Mode, Query, Report, Result, Skip

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "CallTree",
    "Chunk",
    "ChunkType",
    "Context",
    "Definitions",
    "Filters",
    "Freshness",
    "Index",
    "Matches",
    "Mode",
    "Outlines",
    "Query",
    "Report",
    "Result",
    "ScovaError",
    "Skip",
    "Usages",
    "__version__",
]

_HOMES = {
    "Index": "scova.index",
    "ScovaError": "scova.errors",
    **dict.fromkeys(("CallTree", "Context", "Definitions", "Matches", "Outlines", "Usages"), "scova.answers"),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `scova` has no attribute `{name}`")
    home = _HOMES.get(name, "scova.types")
    return getattr(import_module(home), name)
