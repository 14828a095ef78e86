"""Where the index of a folder is kept, and whether what lies there may be used: it may have come with somebody else's repository.

In the user's cache it is always ours. Elsewhere it must be an index of ours, or an empty folder. Inside the very tree that is
indexed it must have been made by this user, which the user's state folder remembers.
"""

import os
from pathlib import Path

from scova import config as settings
from scova.config import Config
from scova.errors import IndexForeign, IndexReadOnly
from scova.index.opening import data_folder, folder_of
from scova.lock import make_folder
from scova.stores.layout import Layout
from scova.stores.owned import mark


def check(layout: Layout, root: Path, config: Config) -> None:
    """IndexForeign or UsageError where what lies there is not to be opened. Opens nothing but the mark."""
    if config.data:
        _check_way(layout, root)
        if not _is_inside(layout, root):
            mark.refuse_others(layout)
        elif not mark.is_empty(layout) and not mark.is_known(settings.state_folder(), mark.index_id(layout)):
            raise mark.unknown(layout, root)
    mark.check_entries(layout)


def prepare(layout: Layout, root: Path, config: Config) -> None:
    """Make the folder of an index where there is none, with a mark by which it is known as ours."""
    make_folder(layout.root)
    try:
        remembered = mark.sign(layout, settings.state_folder())
    except OSError as error:  # as when nothing can be written there, which whoever takes the lock says better
        if not isinstance(error, PermissionError) and not _is_read_only(error):
            raise
        return
    if not remembered and config.data and _is_inside(layout, root):
        raise IndexReadOnly(
            f"an index inside its own folder must be remembered in `{settings.state_folder()}`, which cannot be written",
            "choose a folder elsewhere with --data or SCOVA_DATA, or set XDG_STATE_HOME",
        )


def adopt(path: str | os.PathLike[str], data: str | None = None) -> None:
    """Remove an index that was not made here, so that the next refresh builds one in its place."""
    root = folder_of(path)
    config = settings.load(root, {"data": data})
    layout = Layout(data_folder(root, config))
    if config.data:
        _check_way(layout, root)
        if not _is_inside(layout, root):
            mark.refuse_others(layout)
    mark.clear(layout, settings.state_folder())


def _is_inside(layout: Layout, root: Path) -> bool:
    return layout.root.resolve().is_relative_to(root)


def _check_way(layout: Layout, root: Path) -> None:
    """IndexForeign where the way to the folder leads through a link inside the tree: whoever made the tree would choose the folder."""
    place = Path(os.path.normpath(layout.root))
    if place.is_relative_to(root) and place.resolve() != place:
        raise IndexForeign(
            f"`{layout.root}` is a link inside the folder that is indexed, and is not followed",
            "remove the link, or name another folder with --data or SCOVA_DATA",
        )


def _is_read_only(error: OSError) -> bool:
    import errno

    return error.errno in (errno.EROFS, errno.EPERM)
