"""What happens during a build, one JSON object a line: for people who want to know afterwards. Never fails a build."""

import json
import logging
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

_log = logging.getLogger(__name__)
KEPT = 20  # logs of earlier builds


class BuildLog:
    """The log of one slice."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime()) + f"-{time.time_ns() % 10**9:09d}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = (self._folder / f"build-{stamp}.jsonl").open("w", buffering=1, encoding="utf-8")
            for old in sorted(self._folder.glob("build-*.jsonl"), reverse=True)[KEPT:]:
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
