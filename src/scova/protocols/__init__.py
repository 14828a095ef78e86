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
TokenLedger  who may come in                          stores/, server/
VectorCache  vectors of texts seen before             stores/
VectorIndex  vectors of a store on a server           stores/; in `protocols.vectors`, which few need to load
"""

from scova.protocols.embeddings import VectorCache
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
from scova.protocols.tokens import TokenLedger

__all__ = [
    "Embedder",
    "FileReader",
    "JobLedger",
    "OutlineReader",
    "Searcher",
    "Source",
    "Store",
    "StoreReader",
    "TokenLedger",
    "Tree",
    "Upkeep",
    "VectorCache",
    "WholeReader",
    "WholeStore",
]
