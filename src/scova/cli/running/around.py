"""A word before a first index is made for a folder inside one that has an index: the one around it could answer."""

from argparse import Namespace
from pathlib import Path

from scova.cli import render
from scova.config import cache_folder
from scova.core.path_text import shown, stored
from scova.index import Index
from scova.stores.layout import Layout, folder_for


def tell_of_one_around(index: Index, arguments: Namespace) -> None:
    """Say so, unless the index is there already or has a place that was chosen. Costs a stat for each folder around."""
    if index.indexed or index.config.data:
        return
    outer = _indexed_around(index.root)
    if outer is None:
        return
    inner = render.clean(shown(stored(index.root.relative_to(outer))))
    with_what = f" with `-g '{inner}/**'`" if hasattr(arguments, "glob") else ""
    with_what = f" with `--path {inner}`" if hasattr(arguments, "paths") else with_what
    render.talk(
        f"note: a separate index is made for `{inner}`; `{render.clean(shown(stored(outer)))}` around it has one: ask there{with_what} to use that"
    )


def _indexed_around(root: Path) -> Path | None:
    cache = cache_folder()
    return next((each for each in root.parents if Layout(folder_for(cache, each)).store_db.exists()), None)
