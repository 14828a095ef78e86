"""The newest derived files of an index that can be used, and what stands in the way of the others."""

from scova.errors import DerivedDamaged
from scova.stores.layout import Layout
from scova.stores.matrix import Matrix
from scova.stores.postings import Segment


def newest_segment(layout: Layout) -> Segment | None:
    """The newest text index that opens; None when there is none."""
    for path in layout.segments():
        try:
            return Segment.open(path)
        except DerivedDamaged:
            continue
    return None


def newest_matrix(layout: Layout, model: str) -> Matrix | None:
    """The newest vector file of this model that opens; None when there is none."""
    for path in layout.vectors():
        try:
            return Matrix.open(path, model)
        except DerivedDamaged:
            continue
    return None


def reflected(layout: Layout, model: str) -> int | None:
    """The change that every derived file reflects; None while one is missing. Without a `model` there are no vectors."""
    segment, matrix = newest_segment(layout), newest_matrix(layout, model) if model else None
    if segment is None or (model and matrix is None):
        return None
    return min(segment.applied_seq, matrix.applied_seq) if matrix else segment.applied_seq


def damaged_files(layout: Layout, model: str = "", *, thoroughly: bool = False) -> dict[str, str]:
    """Derived files that do not open, or `thoroughly` read are not as they were written: name to what is wrong.

    Vector files count only for a `model`.
    """
    found: dict[str, str] = {}
    for path in [*layout.segments(), *(layout.vectors() if model else [])]:
        try:
            opened = Segment.open(path) if path.parent == layout.text_folder else Matrix.open(path, model)
            if thoroughly:
                opened.verify()
        except DerivedDamaged as error:
            found[f"{path.parent.name}/{path.name}"] = error.message
    return found
