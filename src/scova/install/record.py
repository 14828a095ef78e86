"""What scova has written into other programs' files, so that it can be taken out without a trace: one small file for each of them.

A record that is lost or damaged costs only exactness: then an entry is known by its command, and what was made for it stays empty.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scova.core.small_files import STATE_LIMIT, read_small
from scova.install.text.trace import Trace
from scova.whole import atomic_write


@dataclass(frozen=True, slots=True)
class Record:
    """What was done to one file. `users` are the clients it was done for: several may share a file of instructions."""

    path: str
    users: tuple[str, ...]
    trace: Trace
    made_file: bool = False
    made_folders: tuple[str, ...] = ()
    entry: dict[str, object] | None = None
    replaced: str = ""  # the words of another entry that stood in its place


class Records:
    """The records in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, path: Path) -> Record | None:
        """What is known of a file."""
        try:
            values: dict[str, Any] = json.loads(read_small(self._at(path), STATE_LIMIT) or b"")
            trace = _trace(*values.pop("trace"))
            users, folders = tuple(values.pop("users")), tuple(values.pop("made_folders"))
            record = Record(**values, trace=trace, users=users, made_folders=folders)
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        return record if record.path == str(path) else None

    def put(self, record: Record) -> None:
        """Remember what is done to a file."""
        with atomic_write(self._at(Path(record.path))) as file:
            file.write(json.dumps(asdict(record) | {"trace": list(record.trace)}, indent=1).encode())

    def forget(self, path: Path) -> None:
        """Nothing of it is left."""
        self._at(path).unlink(missing_ok=True)

    def _at(self, path: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(path).encode(errors='surrogateescape')).hexdigest()[:24]}.json"


def _trace(lead: str, tail: str, made: int) -> Trace:
    if (lead + tail).strip() or made < 0:
        raise ValueError("this was never written")
    return Trace(lead, tail, made)
