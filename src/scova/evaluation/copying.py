"""A copy of the indexed files of a folder, some of them with another text. The folder itself is only read."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from scova.core import own_folder
from scova.core.path_text import native
from scova.sources.raw import raw_reader

_RULES = (".gitignore", ".ignore", ".scovaignore")  # what they leave out is not copied; what they keep is all there is


def copies(cache: Path) -> Path:
    """Where copies lie in a user's cache while they are asked: a folder each, named after the process."""
    return cache / "evaluation"


def copy(root: Path, files: Iterable[str], target: Path, *, changed: Mapping[str, str]) -> None:
    """Write these files below `target`; a file that is gone by now is passed over.

    Plain copies: a link would change the time stamps of what it leads to, and the index would take the file for changed.
    """
    read = raw_reader(root)
    for path in files:
        data = changed[path].encode("utf-8", "surrogateescape") if path in changed else read(path, False)
        if data is not None and path.rpartition("/")[2] not in _RULES:
            place = target / native(path)
            own_folder.make(place.parent)
            with open(place, "wb", opener=own_folder.opener) as file:
                file.write(data)
