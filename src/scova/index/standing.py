"""How an index stands: what there is, how fresh it is, who watches it, and whether those who answer have kept up.

Whoever inherits brings the parts. What only a status needs is imported when it is asked for, because a search must start fast.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from scova.core.path_text import stored
from scova.types import Status

if TYPE_CHECKING:
    from scova.build.footprint import Footprint
    from scova.config import Config
    from scova.index.closing import Uses
    from scova.protocols import WholeStore
    from scova.search.coordinator import SearchCoordinator
    from scova.sources.trail import Trail
    from scova.stores.layout import Layout


class Standing(ABC):
    """What an index tells of itself."""

    root: Path
    _uses: "Uses"
    layout: "Layout"
    config: "Config"

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._uses.is_closed

    @property
    def trail(self) -> "Trail | None":
        """What was seen of the folder when the index was last brought up to date; None when that cannot be built upon."""
        return self._footprint().trail(self._opened()) if self.indexed else None

    def keep_up(self, *, heal: bool = True) -> None:
        """Follow what was written by now, whoever wrote it, so that no question has to; with `heal`, try again what could
        not follow. Does nothing before the first question."""
        coordinator = self._following()
        if coordinator is not None and coordinator.view().behind and heal:
            coordinator.reload()

    def status(self) -> Status:
        """What there is, how fresh it is, where it lives."""
        from scova.sources.git.branch import branch_of
        from scova.watch.state import watcher_of

        watcher = watcher_of(self.layout)
        known = Status(
            root=stored(self.root),
            data=stored(self.layout.root),
            branch=branch_of(self.root),
            embedder=self.config.embedder,
            watcher_alive=watcher is not None,
            watcher=watcher,
            ignored_settings=self.config.ignored,
        )
        return self._whole(known) if self.indexed else known

    def _whole(self, known: Status) -> Status:
        """A status with what can be said once there is something indexed."""
        from collections import Counter
        from dataclasses import asdict, replace

        from scova.lock import holder
        from scova.search.coordinator import freshness_of
        from scova.stores.ann.metadata import VectorIndexMetadata
        from scova.stores.derived import damaged_files

        store = self._opened()
        with store.reader() as reader:
            tally = reader.tally()
        coordinator = self._searching()
        view = coordinator.view()  # once, so that all of it is said of one moment
        return replace(
            known,
            indexed=True,
            files=tally.files,
            chunks=tally.chunks,
            symbols=tally.symbols,
            calls=tally.calls,
            languages=tally.languages,
            chunk_types=tally.chunk_types,
            skipped=Counter(skip.reason for skip in store.skips()),
            indexed_at=tally.indexed_at,
            bytes_on_disk=self.layout.bytes_on_disk(),
            writer=holder(self.layout.lock),
            damaged=tuple(damaged_files(self.layout, self._footprint().model, store.store_id)),
            behind=view.behind,
            grammar_faults=_grammar_faults(store, tally.languages),
            hnsw_index=VectorIndexMetadata(self.layout).read(),
            reloads=asdict(coordinator.metrics),
            freshness=freshness_of(view)._replace(pending_files=self.pending_files()),
        )

    @property
    @abstractmethod
    def indexed(self) -> bool:
        """Whether there is anything to search."""

    @abstractmethod
    def pending_files(self) -> int:
        """How many files a refresh would read or forget."""

    @abstractmethod
    def _following(self) -> "SearchCoordinator | None":
        """Who answers questions at present; None when nobody does, or the store was replaced."""

    @abstractmethod
    def _searching(self) -> "SearchCoordinator": ...

    @abstractmethod
    def _opened(self) -> "WholeStore": ...

    @abstractmethod
    def _footprint(self) -> "Footprint": ...


def _grammar_faults(store: "WholeStore", languages: Iterable[str]) -> dict[str, str]:
    """Languages that were read, or would be read now, with a grammar that gives less than it must."""
    from scova.build.memory import grammar_faults
    from scova.parse.grammar_check import grammar_fault

    now = {language: fault for language in languages if (fault := grammar_fault(language))}
    return {**grammar_faults(store), **now}
