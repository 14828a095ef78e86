"""A file of the tree as it is at this instant. For whoever checks an answer; builds go through `folder`."""

import os
from collections.abc import Callable
from pathlib import Path

from scova.core.path_text import encoded, stored
from scova.sources.git.controls import change_ns
from scova.types import Document, Item, Mark, Skip


class Present:
    """The tree below a root. `read` is how a build would read an item: what it leaves out is not there."""

    def __init__(self, root: Path, read: Callable[[Item], Document | Skip]) -> None:
        self._prefix = f"{stored(root)}/" if root != root.parent else stored(root)
        self._read = read

    def mark(self, path: str) -> Mark | None:
        """The mark of a file; None when there is none to be read."""
        try:
            status = os.lstat(encoded(self._prefix + path))
        except (OSError, ValueError):
            return None
        return Mark(status.st_size, change_ns(status))

    def document(self, path: str) -> Document | None:
        """The text of a file; None when it is gone, or would not be indexed any more."""
        mark = self.mark(path)
        read = self._read(Item(path, mark)) if mark else None
        return read if isinstance(read, Document) else None
