"""What every build does for the graph at its end, in milliseconds: it says that there is something new. It builds nothing."""

from scova.build.compaction.compact import settle
from scova.build.compaction.due import Place
from scova.stores.ann.metadata import VectorIndexMetadata


def end_of_build(place: Place, *, vector_dim: int, change_seq: int) -> None:
    """Mark the graph stale unless it reflects this change, which has been committed; clear up graphs that nobody can use."""
    settle(place)
    metadata = VectorIndexMetadata(place.layout, vector_dim=vector_dim)
    said = metadata.read()
    if said.get("applied_seq") != change_seq or said.get("store_id") != place.store_id:
        metadata.mark_stale()
