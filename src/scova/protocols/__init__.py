"""The seams: what one room expects of another. Small on purpose; each has a conformance suite in tests/contract.

Source       where documents come from                sources/
Tree         the same documents as they are now       sources/
Embedder     text into vectors                        embed/
Store        what is kept, and pinned views of it     stores/
StoreReader  one moment of a Store                    stores/
OutlineReader    what parsing learned, at that moment
WholeStore   a Store that can be built into and searched: with Upkeep
WholeReader  one moment of it: with FileReader
Searcher     one way of finding, over one ChunkSet    search/
JobLedger    jobs, and who works at each              stores/
"""

from scova.protocols.flow import Embedder, Searcher, Source, Tree
from scova.protocols.jobs import JobLedger
from scova.protocols.stores import (
    FileReader,
    OutlineReader,
    Store,
    StoreReader,
    Upkeep,
    WholeReader,
    WholeStore,
)

__all__ = [
    "Embedder",
    "FileReader",
    "JobLedger",
    "OutlineReader",
    "Searcher",
    "Source",
    "Store",
    "StoreReader",
    "Tree",
    "Upkeep",
    "WholeReader",
    "WholeStore",
]
