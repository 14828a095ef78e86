"""What happens during a build, one JSON object a line: for people who want to know afterwards. Never fails a build."""

import calendar
import json
import logging
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from scova.core import own_folder

_log = logging.getLogger(__name__)
KEPT = 20  # logs of earlier builds
_STAMP = "build-%Y%m%dT%H%M%S"


class BuildLog:
    """The log of one slice."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        try:
            own_folder.make(self._folder)
            earlier = sorted(self._folder.glob("build-*.jsonl"))
            path = self._folder / _name_after(earlier)
            self._file = open(path, "w", buffering=1, encoding="utf-8", opener=own_folder.opener)
            for old in earlier[: 1 - KEPT]:
                old.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("no build log: %s", error)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def note(self, what: str, **more: object) -> None:
        """Something happened."""
        if self._file is None:
            return
        said = {"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "what": what, **more}
        with suppress(OSError):
            print(json.dumps(said), file=self._file)


def last_noted(folder: Path) -> str:
    """When the last slice noted something; empty where there is no log. Every slice has one, also one without checkpoints."""
    try:
        noted = max(log.stat().st_mtime for log in folder.glob("build-*.jsonl"))
    except (OSError, ValueError):  # none, or one that is being cleared away
        return ""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(noted))


def _name_after(earlier: list[Path]) -> str:
    """A name by the time, that sorts after those of earlier slices even where the clock was set back in between."""
    now = max(time.time_ns(), _moment(earlier[-1]) + 1 if earlier else 0)
    seconds, rest = divmod(now, 10**9)
    return f"{time.strftime(_STAMP, time.gmtime(seconds))}-{rest:09d}.jsonl"


def _moment(log: Path) -> int:
    """When a log was begun, by its name; the beginning of time for a name that is not ours."""
    stamp, _, rest = log.stem.rpartition("-")
    try:
        return calendar.timegm(time.strptime(stamp, _STAMP)) * 10**9 + int(rest)
    except ValueError:
        return 0
