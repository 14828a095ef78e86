"""Where the index of a folder is: the folder that is meant by a path, and the folder that holds its index."""

import os
from pathlib import Path

from scova import config as settings
from scova.config import Config
from scova.core import own_folder
from scova.core.path_text import native, shown, stored
from scova.errors import ConfigError, IndexState, NotAFolder
from scova.stores.layout import Layout, folder_for


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
