"""A folder of our own that is watched beside the others: what is put there is told after everything that happened before.

The system tells of changes in order, but in its own time. So whoever must know that nothing is on its way puts a file here,
and waits until that is told.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scova.core import own_folder
from scova.core.own_files import check_folder, open_own
from scova.core.path_text import stored
from scova.errors import IndexForeign


class Bell:
    """A folder, and the files that were put there."""

    def __init__(self, folder: Path) -> None:
        self._place = folder
        self.folder = stored(folder)  # as it is told
        self._rung = 0

    def hang(self) -> bool:
        """Make the folder; whether it is there."""
        try:
            own_folder.make(self._place)
            check_folder(self._place)
        except (OSError, IndexForeign):
            return False
        return True

    def owns(self, path: str) -> bool:
        """Whether a path is of this folder, and nobody else's business."""
        return path == self.folder or path.startswith(f"{self.folder}/")

    @contextmanager
    def rung(self) -> Iterator[str]:
        """Put a file there for a while, with a name that was never used before; raises OSError when that is impossible."""
        self._rung += 1
        sign = self._place / str(self._rung)
        try:
            sign.unlink(missing_ok=True)  # of one that was killed
            os.close(open_own(sign, os.O_WRONLY | os.O_CREAT | os.O_EXCL, within=2))
            yield stored(sign)
        finally:
            with suppress(OSError):
                sign.unlink()
