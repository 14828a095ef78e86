"""What a build saw of the folder, so that the next look can tell by stats alone whether anything changed since.

Light on purpose: every search asks this before it answers. It reads no file of the tree and matches no ignore rule.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scova.build import memory
from scova.core.path_text import stored
from scova.record import record
from scova.sources.secrets import SecretRules
from scova.sources.trail import Trail, changed_items, same_way, untouched
from scova.stores.layout import Layout
from scova.types import WHOLE, IndexedFile, Item, Mark, Share, is_racy

if TYPE_CHECKING:
    from scova.protocols import WholeStore

_KEY = "footprint"
_TRAIL = "trail"  # apart: it is large, and stays while files only change

# What is made of a file: tokens, chunks, symbols, what is skipped. To be raised whenever one of them changes, so that
# indexes made before are made anew.
ENGINE = 5


def is_published(layout: Layout, model: str, store_id: str) -> bool:
    """Whether there are derived files that open; those that were deleted or torn come back with the next refresh."""
    from scova.stores.derived import (
        newest_grams,
        newest_matrix,
        newest_segment,
    )  # not for every question of a large tree

    found = newest_segment(layout, store_id) and newest_grams(layout, store_id)
    return bool(found and (not model or newest_matrix(layout, model, store_id)))


@record
class Footprint:
    """How a folder is indexed: which root, under which limits, with which embedding model ("" for none)."""

    root: Path
    max_file_bytes: int
    secrets: SecretRules
    model: str
    choice: tuple[tuple[str, ...], ...] = ()  # what is included, excluded, and in which languages; empty for everything

    @property
    def chooses_languages(self) -> bool:
        """Whether only files of some languages are indexed."""
        return bool(self.choice and self.choice[-1])

    def is_current(self, store: "WholeStore", layout: Layout, share: Share = WHOLE) -> bool:
        """Whether the index reflects this part of the folder as it is, the last build came to its end, and its files are all
        there. The first part has everything beside the indexed files."""
        if _saved(store) != self._circumstances(store):
            return False
        if share.number == 0 and not (self.is_whole(store, layout) and self._is_same_beside(store)):
            return False
        with store.reader() as reader:
            return untouched(self.root, reader.seen(share))

    def is_whole(self, store: "WholeStore", layout: Layout) -> bool:
        """Whether all derived files are there; vectors that a remote embedder did not give are not waited for, for a while."""
        rest = memory.put_off_for(store, self.model)
        return rest != 0.0 and is_published(layout, self.model if rest is None else "", store.store_id)

    def _is_same_beside(self, store: "WholeStore") -> bool:
        """Whether the way through the folder, and the files that were left out after reading them, are as they were."""
        skips = memory.read_skips(store)
        if any(is_racy(entry.changed_ns, entry.read_ns) for entry in skips.values()):
            return False
        try:
            trail = Trail.from_dict(json.loads(store.setting(_TRAIL) or ""))
        except (KeyError, TypeError, ValueError):
            return False
        seen = ((path, entry.size, entry.changed_ns) for path, entry in skips.items())
        return same_way(self.root, trail) and untouched(self.root, seen)

    def changed(self, store: "WholeStore", known: Mapping[str, IndexedFile] | None = None) -> list[Item] | None:
        """Files whose content may have changed since the last build; None when only a walk can tell.

        `known` are the files of the store, where the caller has them already.
        """
        trail = self.trail(store)
        if trail is None:
            return None
        marks, racy = self._marks(store, store.files() if known is None else known)
        items = changed_items(self.root, trail, marks)
        if items is None:
            return None
        found = {item.path for item in items}
        return items + [Item(path, marks[path]) for path in racy if path not in found]

    def trail(self, store: "WholeStore") -> Trail | None:
        """What was seen of the folder when the index was last brought up to date; None when that cannot be built upon."""
        if _saved(store) != self._circumstances(store):
            return None
        try:
            return Trail.from_dict(json.loads(store.setting(_TRAIL) or ""))
        except (KeyError, TypeError, ValueError):
            return None

    def is_outdated(self, store: "WholeStore") -> bool:
        """Whether another version of scova made this index, in another way."""
        saved = _saved(store)
        return bool(saved) and saved.get("engine") != ENGINE

    def is_complete(self, store: "WholeStore") -> bool:
        """Whether some build came to its end."""
        return "change_seq" in _saved(store)

    def is_under_other_limits(self, store: "WholeStore") -> bool:
        """Whether files were left out by limits that are no longer in force."""
        return bool(_saved(store).get("limits", self._limits()) != self._limits())

    def begin(self, store: "WholeStore") -> None:
        """Sign a store before its first build: one that is cut short is known to be of this engine."""
        if store.setting(_KEY) is None:
            store.put_settings({_KEY: json.dumps({"engine": ENGINE, "limits": self._limits()})})

    def remember(self, store: "WholeStore", trail: Trail | None) -> None:
        """A build came to its end, and survives a power cut from here on; None keeps the trail of the walk before."""
        walked = {} if trail is None else {_TRAIL: json.dumps(trail.to_dict())}
        store.put_settings({_KEY: json.dumps(self._circumstances(store)), **walked})
        store.sync()

    def _circumstances(self, store: "WholeStore") -> dict[str, object]:
        """What must be as it was at the end of a build for its trail to count. `change_seq` is not when one was cut short."""
        return {"engine": ENGINE, "limits": self._limits(), "model": self.model, "change_seq": store.change_seq()}

    def _limits(self) -> list[object]:
        choice = [list(map(list, self.choice))] if any(self.choice) else []  # without one, as before there were any
        secrets = [self.secrets.everything, sorted(self.secrets.allowed)]
        return [stored(self.root), self.max_file_bytes, *secrets, *choice]

    def _marks(self, store: "WholeStore", known: Mapping[str, IndexedFile]) -> tuple[dict[str, Mark], list[str]]:
        """The mark of every file that was read, and the paths whose marks are too young to be trusted."""
        marks: dict[str, Mark] = {}
        racy: list[str] = []
        for path, file in known.items():
            marks[path] = file.mark
            if file.is_racy:
                racy.append(path)
        for path, entry in memory.read_skips(store).items():
            marks[path] = Mark(entry.size, entry.changed_ns)
            if is_racy(entry.changed_ns, entry.read_ns):
                racy.append(path)
        return marks, racy


def _saved(store: "WholeStore") -> dict[str, object]:
    return memory.remembered(store, _KEY)
