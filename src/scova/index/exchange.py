"""An index carried elsewhere: written as files that anyone can read, and made of such files again.

Whoever inherits brings the parts. What it takes to do either is imported when it is done.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scova.core import own_folder
from scova.core.path_text import stored
from scova.errors import UsageError
from scova.index import keeping
from scova.index.consent import require_consent
from scova.lock import writer_lock

if TYPE_CHECKING:
    from scova.build.build import Tools
    from scova.build.footprint import Footprint
    from scova.chunks.exchange.outgoing import Exported
    from scova.config import Config
    from scova.index.turns import Turns
    from scova.protocols import Embedder
    from scova.sources.folder import FolderSource
    from scova.stores.embeddings import EmbeddingCache
    from scova.stores.layout import Layout
    from scova.stores.sqlite import SqliteStore
    from scova.types import Progress, Report


class Exchange(ABC):
    """How an index goes out and comes in."""

    root: Path
    _turns: "Turns"
    layout: "Layout"
    config: "Config"
    _pending: tuple[str, ...]

    def export(self, to: str | os.PathLike[str], *, form: str = "json", vectors: bool = False) -> "Exported":
        """Write everything there is to the folder `to`, as `json` or `jsonl`; with `vectors`, also those computed so far.

        The folder may hold nothing but an earlier export, which is replaced once all is written.
        """
        from scova.build.exchange.outward import export
        from scova.chunks.exchange.names import Format

        if form not in [one.value for one in Format]:
            raise UsageError(f"there is no format `{form}`", f"choose one of {', '.join(Format)}")
        if vectors and self._embedder is None:
            raise UsageError("there are no vectors: no embedder is set", "leave out `vectors`, or set `embedder`")
        store, folder = self._opened(), Path(to).expanduser().absolute()
        self._check_outside(folder)
        model, cache = (self._embedder.model, self._cache) if vectors and self._embedder else ("", None)
        with store.reader() as reader:
            return export(reader, folder, form=Format(form), cache=cache, model=model)

    def import_from(
        self,
        folder: str | os.PathLike[str],
        tell: "Callable[[Progress], None] | None" = None,
        *,
        wait_seconds: float = 0.0,
    ) -> "Report":
        """Make the index what the files in `folder` say, in one step; an ExchangeError, and nothing is changed.

        Files that the index has and `folder` does not are removed. The next refresh brings in what the tree says by now.
        """
        from scova.build.exchange.inward import import_
        from scova.chunks.exchange.incoming import Incoming

        require_consent(self)  # the next refresh would read all of it
        with Incoming(Path(folder)) as incoming:
            if not incoming.is_there:
                hint = "give a folder that `scova export` or another tool wrote"
                raise UsageError(f"`{folder}` holds no exported files", hint)
            keeping.prepare(self.layout, self.root, self.config)
            with self._turns.one(), writer_lock(self.layout.lock, wait_seconds=wait_seconds):
                self._opened(create=True, project=incoming.project)
                report = import_(self._tools(), incoming, self._footprint(), tell)
        self._pending = ()
        return report

    def _check_outside(self, folder: Path) -> None:
        """What is written must not become part of what is indexed."""
        from scova.sources.reach import is_walked

        place = folder.resolve()
        if not place.is_relative_to(self.root):
            return
        made = _made(place)
        if is_walked(self._source(), "" if place == self.root else stored(place.relative_to(self.root))):
            for path in made:
                path.rmdir()
            raise UsageError(
                f"`{folder}` lies in the indexed folder, and would be indexed itself",
                "choose a folder outside of it, or one that is ignored (.gitignore, .ignore, .scovaignore)",
            )

    @property
    @abstractmethod
    def indexed(self) -> bool: ...

    @property
    @abstractmethod
    def _embedder(self) -> "Embedder | None": ...

    @property
    @abstractmethod
    def _cache(self) -> "EmbeddingCache": ...

    @abstractmethod
    def _opened(self, *, create: bool = False, project: str = "") -> "SqliteStore": ...

    @abstractmethod
    def _tools(self) -> "Tools": ...

    @abstractmethod
    def _footprint(self) -> "Footprint": ...

    @abstractmethod
    def _source(self) -> "FolderSource": ...


def _made(folder: Path) -> list[Path]:
    """Make a folder and what is missing above it; returns what was made, the deepest first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    own_folder.make(folder)
    return missing
