"""Where the index of a folder is kept, and whether what lies there may be used: it may have come with somebody else's repository.

In the user's cache it is always ours. Elsewhere it must be an index of ours, or an empty folder. Inside the very tree that is
indexed it must have been made by this user, which the user's state folder remembers.
"""

import os
from pathlib import Path

from scova import config as settings
from scova.config import Config
from scova.core import own_folder
from scova.core.path_text import native, shown, stored
from scova.errors import ConfigError, IndexForeign, IndexReadOnly, IndexState, NotAFolder
from scova.lock import make_folder
from scova.stores.layout import Layout, folder_for
from scova.stores.owned import mark


def folder_of(path: str | os.PathLike[str]) -> Path:
    """The folder, absolute and without links; NotAFolder when there is none."""
    try:
        root = Path(path).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise NotAFolder(f"`{path}` does not exist or cannot be reached", "give the folder of the project") from error
    if not str(path) or not root.is_dir():
        raise NotAFolder(f"`{path}` is not a folder", "give the folder it lies in")
    return root


def data_folder(root: Path, config: Config) -> Path:
    """The folder of the index of `root`; ConfigError where scova would keep its own files among those of the user."""
    cache = settings.cache_folder()
    data = _chosen(root, config) if config.data else folder_for(cache, root)
    if own_folder.identities((root,)) & own_folder.identities((data, cache)):
        raise ConfigError(
            f"scova would keep its own files in `{root}` itself",
            "choose a folder of their own, inside or outside of it, with --data or SCOVA_CACHE",
        )
    return data


def _chosen(root: Path, config: Config) -> Path:
    origin = config.origins.get("data", "")
    is_of_a_file = origin.endswith(".toml")  # such a file is UTF-8, whatever the locale
    return root / (native(config.data) if is_of_a_file else Path(config.data)).expanduser()


def project_name(root: Path) -> str:
    """What the project in a folder is called, in any locale."""
    return shown(stored(root.name)) or "root"


def check_owner(layout: Layout, root: Path) -> None:
    """One folder of data holds one index. A root that was renamed keeps its index; two roots do not share one."""
    owner = layout.owner()
    if owner and owner != stored(root) and native(owner).exists() and not root.samefile(native(owner)):
        raise IndexState(f"`{layout.root}` holds the index of `{shown(owner)}`", "choose another folder with --data")


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
