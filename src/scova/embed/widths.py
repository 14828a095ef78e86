"""How wide the vectors of a remote model are, kept in a small JSON file so that it is asked for once: name to width.

Whatever happens to the file, the width can be asked for again.
"""

import json
from contextlib import suppress
from pathlib import Path

from scova.core.small_files import STATE_LIMIT, read_small
from scova.whole import atomic_write


def known_width(path: Path, name: str) -> int:
    """The width of a model; 0 when it is not known."""
    width = _read(path).get(name)
    return width if type(width) is int and width > 0 else 0


def remember_width(path: Path, name: str, width: int) -> None:
    """Keep it for other processes; where nothing can be written, they ask for themselves."""
    with suppress(OSError), atomic_write(path) as file:
        file.write(json.dumps({**_read(path), name: width}, indent=1, sort_keys=True).encode())


def _read(path: Path) -> dict[str, object]:
    try:
        known = json.loads(read_small(path, STATE_LIMIT) or b"")
    except (ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
