"""A folder's index brought up to date in the cheapest way that is certain: nothing, the changed files, or a whole walk.

Everything here is for the one writer: the caller holds the write lock.
"""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from scova.build import memory
from scova.build.build import Build, Tools
from scova.build.footprint import Footprint, is_published
from scova.build.inspect import without_vector
from scova.sources.folder import FolderSource
from scova.sources.part import look
from scova.stores.derived import newest_matrix
from scova.types import Document, Item, Progress, Region, Report, Skip

OUTDATED = "the index was made by another version of scova and has been made anew"
HASTE = 4  # an update leaves derived files so many times longer: whoever makes many tidies up when there is time

Tell = Callable[[Progress], None]


class _Some:
    """A part of a folder as a source: only the files whose content changed."""

    def __init__(self, folder: FolderSource, items: list[Item]) -> None:
        self._folder = folder
        self._items = items

    def items(self) -> Iterator[Item | Skip]:
        return iter(self._items)

    def read(self, item: Item) -> Document | Skip:
        return self._folder.read(item)


def refresh(tools: Tools, folder: FolderSource, footprint: Footprint, tell: Tell | None, *, force: bool) -> Report:
    """Bring the index up to date, whatever happened since the last time."""
    started = time.monotonic()
    footprint.begin(tools.store)
    if footprint.is_under_other_limits(tools.store):
        memory.remember_read_skips(tools.store, {})
        force = force or footprint.chooses_languages  # which only the text of some files tells
    outdated = footprint.is_outdated(tools.store)
    if outdated:
        tools.layout.remove_derived()
    known = tools.store.files()
    items = None if force or outdated else footprint.changed(tools.store, known)
    build = Build(tools, tell, known=known)
    if items == [] and is_published(tools.layout, footprint.model, tools.store.store_id) and not _lacks_vectors(tools):
        return build.nothing_to_do(time.monotonic() - started)
    if items is not None:
        report = build.run(_Some(folder, items), region=Region(files=frozenset(item.path for item in items)))
        footprint.remember(tools.store, None)
        return report
    report = build.run(folder, force=force or outdated)
    footprint.remember(tools.store, folder.trail())
    return replace(report, note="; ".join(filter(None, (OUTDATED, report.note)))) if outdated else report


def update(
    tools: Tools, folder: FolderSource, footprint: Footprint, *, paths: Collection[str], tell: Tell | None
) -> Report:
    """Bring the index up to date where these paths are concerned, in a time that does not depend on the size of the tree.

    Everything is brought up to date where only that is certain: rules changed, or a build was cut short.
    """
    trail = footprint.trail(tools.store)
    part = look(folder, paths, trail) if trail is not None and footprint.is_whole(tools.store, tools.layout) else None
    if part is None:
        return refresh(tools, folder, footprint, tell, force=False)
    waits = memory.put_off_for(
        tools.store, footprint.model
    )  # a remote embedder that failed must not hold up every change
    build = Build(replace(tools, patience=HASTE, embeds=waits is None), tell, known=tools.store.files(part.region))
    report = build.run(part, region=part.region)
    footprint.remember(tools.store, part.trail)
    return report


def _lacks_vectors(tools: Tools) -> bool:
    """Whether a chunk that no vector file holds yet has lost its vector: the cache of vectors may be deleted at any time."""
    if tools.embedder is None:
        return False
    model, store = tools.embedder.model, tools.store
    matrix = newest_matrix(tools.layout, model, store.store_id)
    since = matrix.applied_seq if matrix else 0
    with store.reader() as reader:
        return bool(without_vector(reader, tools.cache, model, since=since, until=reader.change_seq))
