"""What a build saw of the folder, so that the next look can tell by stats alone whether anything changed since.

Light on purpose: every search asks this before it answers. It reads no file of the tree and matches no ignore rule.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scova.build import memory
from scova.sources.trail import Trail, changed_items
from scova.stores.layout import Layout
from scova.stores.sqlite import SqliteStore
from scova.types import Item, Mark

_KEY = "footprint"

# What is made of a file: tokens, chunks, symbols, what is skipped. To be raised whenever one of them changes, so that
# indexes made before are made anew.
ENGINE = 1


def is_published(layout: Layout, *, with_vectors: bool) -> bool:
    """Whether there are derived files at all; deleted ones come back with the next refresh."""
    return bool(layout.segments()) and (bool(layout.vectors()) or not with_vectors)


@dataclass(frozen=True, slots=True)
class Footprint:
    """How a folder is indexed: which root, under which limits, with which embedding model ("" for none)."""

    root: Path
    max_file_bytes: int
    index_secrets: bool
    model: str

    def is_current(self, store: SqliteStore, layout: Layout) -> bool:
        """Whether the index reflects the folder as it is, the last build came to its end, and its files are all there."""
        return is_published(layout, with_vectors=bool(self.model)) and self.changed(store) == []

    def changed(self, store: SqliteStore) -> list[Item] | None:
        """Files whose content may have changed since the last build; None when only a walk can tell."""
        saved = self._saved(store)
        if saved is None:
            return None
        marks, racy = self._marks(store)
        try:
            items = changed_items(self.root, Trail.from_dict(saved), marks)
        except (KeyError, TypeError, ValueError):
            return None
        if items is None:
            return None
        known = {item.path for item in items}
        return items + [Item(path, marks[path]) for path in racy if path not in known]

    def is_outdated(self, store: SqliteStore) -> bool:
        """Whether another version of scova made this index, in another way."""
        saved = json.loads(store.setting(_KEY) or "{}")
        return bool(saved) and saved.get("engine") != ENGINE

    def is_complete(self, store: SqliteStore) -> bool:
        """Whether some build came to its end."""
        return "trail" in json.loads(store.setting(_KEY) or "{}")

    def is_under_other_limits(self, store: SqliteStore) -> bool:
        """Whether files were left out by limits that are no longer in force."""
        saved = json.loads(store.setting(_KEY) or "{}")
        return bool(saved.get("limits", self._limits()) != self._limits())

    def begin(self, store: SqliteStore) -> None:
        """Sign a store before its first build: one that is cut short is known to be of this engine."""
        if store.setting(_KEY) is None:
            store.put_settings({_KEY: json.dumps({"engine": ENGINE, "limits": self._limits()})})

    def remember(self, store: SqliteStore, trail: Mapping[str, object] | None) -> None:
        """A build came to its end; None keeps the trail of the walk before."""
        kept = trail if trail is not None else json.loads(store.setting(_KEY) or "{}").get("trail", {})
        with store.reader() as reader:
            change_seq = reader.change_seq
        values = {
            "engine": ENGINE,
            "limits": self._limits(),
            "model": self.model,
            "change_seq": change_seq,
            "trail": kept,
        }
        store.put_settings({_KEY: json.dumps(values)})

    def _saved(self, store: SqliteStore) -> Mapping[str, object] | None:
        """The trail of the last build, if it came to its end under the same circumstances."""
        saved = json.loads(store.setting(_KEY) or "{}")
        if (saved.get("engine"), saved.get("limits"), saved.get("model")) != (ENGINE, self._limits(), self.model):
            return None
        with store.reader() as reader:
            if saved.get("change_seq") != reader.change_seq:
                return None  # a build was cut short after it had committed something
        trail: Mapping[str, object] = saved["trail"]
        return trail

    def _limits(self) -> list[object]:
        return [str(self.root), self.max_file_bytes, self.index_secrets]

    def _marks(self, store: SqliteStore) -> tuple[dict[str, Mark], list[str]]:
        """The mark of every file that was read, and the paths whose marks are too young to be trusted."""
        marks: dict[str, Mark] = {}
        racy: list[str] = []
        for path, file in store.files().items():
            marks[path] = file.mark
            if memory.is_racy(file.mark.changed_ns, file.indexed_ns):
                racy.append(path)
        for path, entry in memory.read_skips(store).items():
            marks[path] = Mark(entry.size, entry.changed_ns)
            if memory.is_racy(entry.changed_ns, entry.read_ns):
                racy.append(path)
        return marks, racy
