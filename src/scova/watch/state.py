"""What a watcher says of itself to other processes: `watch.json`, replaced whole, so that it is valid at every instant.

Whether it is alive is not for this file to say: its lock does, which dies with it. Light, since `scova status` reads it.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scova.core.own_files import read_own
from scova.core.small_files import STATE_LIMIT
from scova.lock import holder
from scova.stores.layout import Layout
from scova.types import Watching, Worked
from scova.whole import Unfinished


def write_state(path: Path, state: Watching) -> None:
    """Replace what is said. It need not survive a power cut, as no watcher does."""
    unfinished = Unfinished(path, durable=False)
    try:
        unfinished.file.write(json.dumps(asdict(state)).encode())
        unfinished.finish()
    finally:
        unfinished.discard()


def read_state(path: Path) -> Watching | None:
    """What was said last; None when that is nothing that can be read."""
    try:
        values: dict[str, Any] = dict(json.loads(read_own(path, STATE_LIMIT) or b""))
        last = values.pop("last_batch", None)
        return Watching(**values, last_batch=Worked(**last) if last else None)
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def watcher_of(layout: Layout) -> Watching | None:
    """The watcher of an index; None when none is alive."""
    if not holder(layout.watch_lock):
        return None
    return read_state(layout.watch_state) or Watching(0, "", "starting")
