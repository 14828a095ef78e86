"""Where the index of a folder is: the folder that is meant by a path, and the folder that holds its index."""

import os
from pathlib import Path

from scova import config as settings
from scova.config import Config
from scova.core.path_text import native, shown, stored
from scova.errors import NotAFolder
from scova.stores.layout import folder_for


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
    """The folder of the index of `root`."""
    if not config.data:
        return folder_for(settings.cache_folder(), root)
    origin = config.origins.get("data", "")
    is_of_a_file = origin.endswith(".toml")  # such a file is UTF-8, whatever the locale
    return root / (native(config.data) if is_of_a_file else Path(config.data)).expanduser()


def project_name(root: Path) -> str:
    """What the project in a folder is called, in any locale."""
    return shown(stored(root.name)) or "root"
