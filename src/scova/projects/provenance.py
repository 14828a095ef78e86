"""Where a chunk of a project comes from, in words that lead there: a URL, a page of a document, a file of a folder."""

from typing import NamedTuple

from scova.projects.manifest import Manifest
from scova.projects.spec import SourceType

_PAGE = "#page="


class Provenance(NamedTuple):
    """Where a chunk comes from. `place` can be opened: a URL, or a path."""

    source_id: str
    type: str
    place: str
    heading: str = ""  # of a document: the headings it stands under
    page: int | None = None  # of a PDF


def provenance(manifest: Manifest, path: str, heading: str = "") -> Provenance:
    """Where a document of this project comes from, and what stands under a heading of it."""
    source_id, _, name = path.partition("/")
    spec = next((spec for spec in manifest.sources if spec.source_id == source_id), None)
    if spec is None:  # removed since
        return Provenance(source_id, "", name)
    if spec.type is SourceType.FOLDER:
        return Provenance(source_id, spec.type.value, f"{spec.uri}/{name}")
    if spec.type is SourceType.PDF:
        number = name.rpartition(_PAGE)[2]
        page = int(number) if number.isdecimal() else None
        return Provenance(source_id, spec.type.value, spec.uri, heading, page)
    return Provenance(source_id, spec.type.value, name, heading)
