"""The list of sources of a server's project, kept in its store: every process that serves the project has the same."""

import re
from collections.abc import Callable, Mapping

from scova.errors import ProjectError
from scova.projects.manifest import Manifest, decoded, encoded
from scova.projects.provenance import Provenance, provenance
from scova.protocols import WholeStore
from scova.types import Answer, ChunkId

_KEY = "project sources"
_SOURCE = re.compile(r"[^/]*-[0-9a-f]{8}/")  # how paths begin that may have come from one


def kept(store: WholeStore) -> Manifest:
    """The sources of a project."""
    text = store.setting(_KEY)
    if text is None:
        return Manifest(store.project, "")
    try:
        return decoded(text, store.project)
    except (KeyError, TypeError, ValueError) as error:
        raise ProjectError(
            f"the list of sources of `{store.project}` is damaged: {error}", "remove the project, and make it anew"
        ) from error


def keep(store: WholeStore, manifest: Manifest) -> None:
    """Keep these sources, for good. Whoever calls it holds the project."""
    store.put_settings({_KEY: encoded(manifest)})
    store.sync()


def origins(found: Answer, listed: Callable[[], Manifest]) -> Mapping[ChunkId, Provenance]:
    """Where chunks of an answer come from that sources brought; the list is only looked at when there may be any."""
    chunks = [result.chunk for result in found.results if _SOURCE.match(result.chunk.file_path)]
    manifest = listed() if chunks else Manifest("", "")
    return {
        chunk.id: provenance(manifest, chunk.file_path, chunk.symbol)
        for chunk in chunks
        if manifest.holds(chunk.file_path)
    }
