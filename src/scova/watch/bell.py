"""A folder of our own that is watched beside the others: what is put there is told after everything that happened before.

The system tells of changes in order, but in its own time. So whoever must know that nothing is on its way puts a file here,
and waits until that is told.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scova.core.own_files import check_folder, open_own
from scova.errors import IndexForeign


class Bell:
    """A folder, and the files that were put there."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self._rung = 0

    def hang(self) -> bool:
        """Make the folder; whether it is there."""
        try:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
            check_folder(Path(self.folder))
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
        sign = Path(self.folder) / str(self._rung)
        try:
            sign.unlink(missing_ok=True)  # of one that was killed
            os.close(open_own(sign, os.O_WRONLY | os.O_CREAT | os.O_EXCL, within=2))
            yield str(sign)
        finally:
            with suppress(OSError):
                sign.unlink()
